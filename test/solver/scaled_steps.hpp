// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "test/solver/step_fixture.hpp"

namespace spruce::test {

/// Compares steps on vectors of ordinary size with steps on vectors that are larger by a power of
/// two.
template <typename Types>
class scaled_step_test : public step_test<Types> {
protected:
    using typename step_test<Types>::real;
    using typename step_test<Types>::operands;

    /// Multiplies operands by a power of two. Holds the reduction whose scale is its inverse.
    class scaling {
    public:
        scaling(operands& with, int exponent)
            : reduction{with.tmp}, exponent_{exponent}, scale_{with.exec, with.size[1]}
        {
            scale_.fill(std::ldexp(real{1}, -exponent));
            if (exponent != 0) {
                reduction.set_scale(scale_.get_const_data());
            }
        }

        template <typename T>
        matrix::Dense<T>& enlarge(matrix::Dense<T>& operand)
        {
            multiply(operand, exponent_);
            undo_.push_back([&operand, exponent = exponent_] { multiply(operand, -exponent); });
            return operand;
        }
        template <typename T>
        void enlarge_row(matrix::Dense<T>& operand, size_type row)
        {
            const std::shared_ptr<matrix::Dense<T>> view =
                operand.create_submatrix({row, row + 1}, {0, operand.get_size()[1]});
            multiply(*view, exponent_);
            undo_.push_back([view, exponent = exponent_] { multiply(*view, -exponent); });
        }
        /// Divides the operands by the power of two.
        void undo() const
        {
            for (const auto& function : undo_) {
                function();
            }
        }

        Reduction reduction;

    private:
        template <typename T>
        static void multiply(matrix::Dense<T>& operand, int exponent)
        {
            operand.scale(initialize<matrix::Dense<T>>({T(std::ldexp(real{1}, exponent))}, operand.get_executor()));
        }

        int exponent_;
        array<real> scale_;
        std::vector<std::function<void()>> undo_;
    };

    /// Expects that run(operands, scaling) computes the same numbers to the last bit, with a power
    /// of two and without.
    template <typename Run>
    void expect_scale_changes_nothing(Run run)
    {
        for (const auto& size : {dim<2>{33, 4}, dim<2>{300, 1}}) {
            for (const auto exponent : {60, -60}) {
                SCOPED_TRACE(exponent);
                operands expected{this->exec, size, 3, this->engine};
                operands found{this->exec, size, 3, this->engine};
                scaling unscaled{expected, 0};
                scaling scaled{found, exponent};

                run(expected, unscaled);
                run(found, scaled);
                scaled.undo();

                ASSERT_EQ(found.all().size(), expected.all().size());
                for (size_type i = 0; i < found.all().size(); ++i) {
                    EXPECT_MTX_NEAR(found.all()[i], expected.all()[i], 0.0) << "operand " << i;
                }
                EXPECT_EQ(found.status.copy_to_host(), expected.status.copy_to_host());
            }
        }
    }
};

}  // namespace spruce::test
