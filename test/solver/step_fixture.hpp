// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cmath>
#include <limits>

#include <spruce/base/reduction.hpp>
#include <spruce/stop/stopping_status.hpp>

#include "common/numeric/device_check.hpp"
#include "test/utils/fixture.hpp"

namespace spruce::test {

/// Provides stopped columns and comparisons with the reference to tests of the vector steps of
/// solvers.
template <typename Types>
class step_test : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::real;
    using typename kernel_test<Types>::Dense;
    using typename kernel_test<Types>::RealDense;

    /// Returns statuses of which every third has stopped.
    static std::vector<stopping_status> some_stopped(size_type size)
    {
        std::vector<stopping_status> status(size);
        for (size_type col = 2; col < size; col += 3) {
            status[col].converge(1);
        }
        return status;
    }

    array<stopping_status> statuses(const std::vector<stopping_status>& columns) const
    {
        return {this->exec, columns.begin(), columns.end()};
    }

    /// Creates the operands of one executor, with the same random numbers on each executor. All
    /// operands are compared at the end.
    class operands {
    public:
        /// Creates the statuses and buffers.
        /// @param exponent  vectors and norms are multiplied by 2^exponent, those of odd columns by
        ///    2^-exponent
        operands(std::shared_ptr<const Executor> exec, dim<2> size, size_type padding, random_engine engine,
                 int exponent = 0)
            : exec{exec},
              size{size},
              tmp{exec},
              reports{exec, 2},
              padding_{padding},
              engine_{engine},
              exponent_{exponent}
        {
            const auto stopped = some_stopped(size[1]);
            status = array<stopping_status>{exec, stopped.begin(), stopped.end()};
            reports.fill(kernels::stop::encode_running(0));
        }

        Dense& vectors()
        {
            auto data = random_full(engine_, size[0], size[1]);
            return this->keep(make_dense<V>(exec, this->multiplied(data), size[1] + padding_), true);
        }
        /// Creates scalars away from zero, for divisions.
        Dense& scalars()
        {
            auto data = random_full(engine_, 1, size[1]);
            for (auto& entry : data.nonzeros) {
                entry.value += 1.5;
            }
            return this->keep(make_dense<V>(exec, data));
        }
        RealDense& real_scalars()
        {
            auto data = random_full(engine_, 1, size[1]);
            for (auto& entry : data.nonzeros) {
                entry.value = std::abs(entry.value) + 0.5;
            }
            return this->keep(make_dense<real>(exec, this->multiplied(data)), true);
        }
        /// Returns the factor of a column.
        real factor(size_type col) const { return std::ldexp(real(1), col % 2 == 0 ? exponent_ : -exponent_); }
        /// Returns a reduction and causes the step to be repeated with scaled vectors. The
        /// reduction scales their columns back.
        Reduction reduction()
        {
            uses_scale_ = true;
            Reduction result{tmp};
            if (exponent_ != 0) {
                array<real> factors{exec->get_master(), size[1]};
                for (size_type col = 0; col < size[1]; ++col) {
                    factors.get_data()[col] = 1 / this->factor(col);
                }
                scales_ = array<real>{exec, factors};
                result.set_scale(scales_.get_const_data());
            }
            return result;
        }
        bool uses_scale() const { return uses_scale_; }
        bool is_multiplied(size_type i) const { return is_multiplied_[i]; }
        /// Returns the check that a step performs in addition if there is one column: few rows
        /// pass, many do not.
        kernels::stop::device_check<real> check()
        {
            kernels::stop::device_check<real> result;
            if (size[1] == 1) {
                result.bounds.baseline[0] = this->real_scalars().get_const_values();
                result.bounds.factor[0] = size[0] < 1000 ? 1000 : real(0.001);
                result.bounds.id[0] = 7;
                result.bounds.size = 1;
                result.state = reports.get_data();
                result.report = reports.get_data() + 1;
            }
            return result;
        }
        /// Creates num_rows numbers for each column.
        Dense& rows(size_type num_rows)
        {
            return this->keep(make_dense<V>(exec, random_full(engine_, num_rows, size[1])));
        }
        RealDense& real_rows(size_type num_rows)
        {
            return this->keep(make_dense<real>(exec, random_full(engine_, num_rows, size[1])));
        }
        Dense& filled_scalars(V value)
        {
            auto& result = this->scalars();
            result.fill(value);
            return result;
        }
        /// Adds step counts of the columns to the compared results.
        void keep_counts(const array<size_type>& num_steps) { counts_.push_back(num_steps.copy_to_host()); }
        const std::vector<std::shared_ptr<LinOp>>& all() const { return all_; }
        const std::vector<std::vector<size_type>>& counts() const { return counts_; }

        std::shared_ptr<const Executor> exec;
        dim<2> size;
        array<stopping_status> status;
        array<char> tmp;
        array<kernels::stop::check_report> reports;

    private:
        template <typename Data>
        const Data& multiplied(Data& data) const
        {
            for (auto& entry : data.nonzeros) {
                entry.value *= this->factor(entry.column);
            }
            return data;
        }
        template <typename Matrix>
        Matrix& keep(std::unique_ptr<Matrix> matrix, bool is_multiplied = false)
        {
            auto& result = *matrix;
            is_multiplied_.push_back(is_multiplied);
            all_.push_back(std::move(matrix));
            return result;
        }

        size_type padding_;
        random_engine engine_;
        int exponent_;
        bool uses_scale_{};
        array<real> scales_;
        std::vector<std::shared_ptr<LinOp>> all_;
        std::vector<bool> is_multiplied_;
        std::vector<std::vector<size_type>> counts_;
    };

    static constexpr size_type everything = 1000000;
    static constexpr size_type few_entries = 600;

    /// Expects that the results of found, with vectors and norms multiplied by the factors of
    /// scaled, equal those of scaled bit by bit.
    void expect_same_but_for_factors(const operands& found, const operands& scaled)
    {
        const auto compare = [&](const auto& found_host, const auto& scaled_host, size_type i) {
            for (size_type row = 0; row < found_host.get_size()[0]; ++row) {
                for (size_type col = 0; col < found_host.get_size()[1]; ++col) {
                    const auto factor = found.is_multiplied(i) ? scaled.factor(col) : real(1);
                    ASSERT_EQ(scaled_host.at(row, col), factor * found_host.at(row, col))
                        << "operand " << i << ", row " << row << ", column " << col;
                }
            }
        };
        for (size_type i = 0; i < found.all().size(); ++i) {
            if (const auto dense = dynamic_cast<const Dense*>(found.all()[i].get())) {
                compare(*dense->clone(this->ref), *dynamic_cast<const Dense&>(*scaled.all()[i]).clone(this->ref), i);
            } else {
                compare(*dynamic_cast<const RealDense&>(*found.all()[i]).clone(this->ref),
                        *dynamic_cast<const RealDense&>(*scaled.all()[i]).clone(this->ref), i);
            }
        }
        EXPECT_EQ(scaled.status.copy_to_host(), found.status.copy_to_host());
        EXPECT_EQ(scaled.reports.copy_to_host(), found.reports.copy_to_host());
    }

    /// Calls run(operands) on both executors and compares all operands: vectors, scalars and
    /// statuses. Vectors have up to max_entries entries. Steps with a variable number of vectors
    /// use all shapes only for some of these numbers. Steps that call reduction() are repeated with
    /// vectors whose squares overflow or underflow.
    template <typename Run>
    void compare_on_every_shape(Run run, size_type max_entries = everything)
    {
        size_type padding = 0;
        for (const auto& size : std::vector<dim<2>>{{0, 0},
                                                    {0, 2},
                                                    {5, 0},
                                                    {1, 1},
                                                    {33, 1},
                                                    {64, 2},
                                                    {129, 3},
                                                    {40, 8},
                                                    {31, 17},
                                                    {7, 70},
                                                    {1025, 1},
                                                    {4099, 5}}) {
            if (size[0] * size[1] > max_entries) {
                continue;
            }
            padding = padding == 0 ? 3 : 0;
            SCOPED_TRACE(std::to_string(size[0]) + " x " + std::to_string(size[1]) + ", padding " +
                         std::to_string(padding));
            operands found{this->exec, size, padding, this->engine};
            operands expected{this->ref, size, 0, this->engine};
            run(found);
            run(expected);

            ASSERT_EQ(found.all().size(), expected.all().size());
            for (size_type i = 0; i < found.all().size(); ++i) {
                EXPECT_MTX_NEAR(found.all()[i], expected.all()[i], this->tolerance_of_sum(size[0])) << "operand " << i;
                if (const auto dense = dynamic_cast<const Dense*>(found.all()[i].get())) {
                    EXPECT_TRUE(padding_is_intact(*dense)) << "operand " << i;
                }
            }
            EXPECT_EQ(found.counts(), expected.counts());
            EXPECT_EQ(found.status.copy_to_host(), expected.status.copy_to_host());
            EXPECT_EQ(found.reports.copy_to_host(), expected.reports.copy_to_host());
            if (found.uses_scale()) {
                constexpr auto exponent = std::numeric_limits<real>::max_exponent * 6 / 10;
                for (const auto signed_exponent : {exponent, -exponent}) {
                    SCOPED_TRACE("exponent " + std::to_string(signed_exponent));
                    operands scaled{this->exec, size, padding, this->engine, signed_exponent};
                    run(scaled);
                    this->expect_same_but_for_factors(found, scaled);
                }
            }
        }
    }
};

}  // namespace spruce::test
