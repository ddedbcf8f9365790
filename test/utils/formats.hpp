// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "test/utils/fixture.hpp"

namespace spruce::test {

/// Describes a matrix format independently of its type.
struct format {
    std::string name;
    /// Creates an empty matrix.
    std::function<std::unique_ptr<LinOp>(std::shared_ptr<const Executor>)> create;
    /// Sorts each row by column; empty if the format has nothing to sort.
    std::function<void(LinOp*)> sort;

    /// Returns a matrix of this format with the entries of a.
    std::unique_ptr<LinOp> convert(const LinOp* a) const
    {
        auto result = this->create(a->get_executor());
        result->copy_from(a);
        return result;
    }
};

/// Returns the format Matrix.
/// @param args  arguments of create() after the executor
template <typename Matrix, typename... Args>
format make_format(std::string name, Args... args)
{
    return {std::move(name), [=](auto exec) { return Matrix::create(exec, args...); },
            [](LinOp* a) { as<Matrix>(a)->sort_by_column_index(); }};
}

/// Provides the formats to tests of their common properties.
template <typename Types>
class formats_test : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::Coo;
    using typename kernel_test<Types>::Dense;
    using Ell = matrix::Ell<V, I>;
    using Sellp = matrix::Sellp<V, I>;
    using Hybrid = matrix::Hybrid<V, I>;
    using Fbcsr = matrix::Fbcsr<V, I>;
    using SparsityCsr = matrix::SparsityCsr<V, I>;

    /// Returns the sparse formats that keep all values.
    static std::vector<format> formats()
    {
        return {make_format<Csr>("Csr"),
                make_format<Coo>("Coo"),
                make_format<Ell>("Ell"),
                make_format<Sellp>("Sellp"),
                make_format<Sellp>("Sellp, slices of 3 rows", dim<2>{}, 3, 2, 0),
                make_format<Hybrid>("Hybrid", std::make_shared<typename Hybrid::column_limit>(2)),
                make_format<Fbcsr>("Fbcsr", 1)};
    }
    static std::vector<format> formats_and_dense()
    {
        auto result = formats();
        result.push_back({"Dense", [](auto exec) { return Dense::create(exec); }, {}});
        return result;
    }
    /// Returns all formats: those that keep all values, and SparsityCsr, whose values are one.
    static std::vector<format> all_formats()
    {
        auto result = formats_and_dense();
        result.push_back(make_format<SparsityCsr>("SparsityCsr"));
        return result;
    }

    /// Calls check(matrix) for csr in each format that keeps all values and with each Csr strategy.
    template <typename Check>
    static void for_each_format(const Csr* csr, Check check)
    {
        for (const auto& format : formats()) {
            SCOPED_TRACE(format.name);
            check(*format.convert(csr));
        }
        const std::vector<std::shared_ptr<typename Csr::strategy_type>> strategies{
            std::make_shared<typename Csr::classical>(), std::make_shared<typename Csr::merge_path>(),
            std::make_shared<typename Csr::load_balance>()};
        for (const auto& strategy : strategies) {
            SCOPED_TRACE("Csr, " + strategy->get_name());
            const auto a = csr->clone();
            a->set_strategy(strategy);
            check(*a);
        }
    }

    array<I> random_order(size_type size)
    {
        std::vector<I> order(size);
        std::iota(order.begin(), order.end(), I{});
        std::shuffle(order.begin(), order.end(), this->engine);
        return {this->exec, order.begin(), order.end()};
    }

    /// Creates a test case whose row i has lengths[i] entries.
    sparse_case random_case(std::string name, const std::vector<size_type>& lengths, size_type num_cols)
    {
        return {std::move(name), random_sparse(this->engine, lengths, num_cols),
                *std::max_element(lengths.begin(), lengths.end())};
    }

    /// Expects that each of the matrices multiplies as ref_a does on the reference, and writes only
    /// entries of the result.
    /// @param are_repeatable  expects that a second product is bitwise equal
    void compare_products(const std::vector<const LinOp*>& matrices, const LinOp& ref_a, size_type num_cols,
                          double tolerance, bool are_repeatable = false)
    {
        const auto size = ref_a.get_size();
        const auto alpha = this->dense({{V(-1.25)}});
        const auto beta = this->dense({{V(0.75)}});
        const auto b = this->random_dense(size[1], num_cols, num_cols + 1);
        const auto start = this->random_dense(size[0], num_cols, num_cols + 3);
        const auto ref_b = clone(this->ref, b);
        const auto expected = make_dense_of_nan<V>(this->ref, dim<2>{size[0], num_cols});
        const auto expected_advanced = clone(this->ref, start);
        ref_a.apply(ref_b, expected);
        ref_a.apply(alpha, ref_b, beta, expected_advanced);
        for (const auto a : matrices) {
            const auto x = this->dense_of_nan(size[0], num_cols, num_cols + 2);
            const auto y = clone(this->exec, start);

            a->apply(b, x);
            a->apply(alpha, b, beta, y);

            EXPECT_MTX_NEAR(x, expected, tolerance);
            EXPECT_MTX_NEAR(y, expected_advanced, tolerance);
            EXPECT_TRUE(padding_is_intact(*x));
            if (are_repeatable) {
                const auto again = this->dense_of_nan(size[0], num_cols, num_cols + 2);
                a->apply(b, again);
                EXPECT_MTX_NEAR(again, x, 0.0);
            }
        }
    }

    static host_matrix with_ones(host_matrix data)
    {
        for (auto& entry : data.nonzeros) {
            entry.value = 1.0;
        }
        return data;
    }

    /// Expects that csr -> first -> second -> csr restores csr, whatever the targets contained.
    /// Each call tests one of num_parts parts of the pairs of formats, and the next call tests the
    /// next part.
    void expect_round_trips(const Csr* csr, const std::vector<format>& formats, size_type num_parts)
    {
        const auto old = this->csr({{1, 2}, {3, 4}});
        ++num_matrices_;
        for (size_type i = 0; i < formats.size(); ++i) {
            const auto& first = formats[i];
            const auto a = first.convert(csr);
            for (size_type j = 0; j < formats.size(); ++j) {
                const auto& second = formats[j];
                if ((i + j + num_matrices_) % num_parts != 0) {
                    continue;
                }
                SCOPED_TRACE("Csr -> " + first.name + " -> " + second.name + " -> Csr");
                const auto b = second.convert(old.get());
                const auto back = this->csr({{1, 2}, {3, 4}});

                b->copy_from(a);
                back->copy_from(b);

                EXPECT_EQ(b->get_size(), csr->get_size());
                EXPECT_MTX_STORED_ALIKE(back, csr);
            }
        }
    }
    void expect_round_trips(const Csr* csr, const std::vector<format>& formats)
    {
        this->expect_round_trips(csr, formats, is_simulated(*this->exec) ? 4 : 1);
    }

private:
    size_type num_matrices_{};
};

}  // namespace spruce::test
