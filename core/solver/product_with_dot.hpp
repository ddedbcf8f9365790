// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/lin_op.hpp>
#include <spruce/matrix/dense.hpp>

namespace spruce::solver::detail {

/// Products with an operator A that come with inner products: in one pass if A can do that, else one after the other.
template <typename ValueType>
class product_with_dot {
public:
    using dense = matrix::Dense<ValueType>;

    /// op outlives this.
    explicit product_with_dot(const LinOp& op)
        : op_{op}, in_one_pass_{dynamic_cast<const DotApplicable<ValueType>*>(&op)}
    {}

    /// x = A b, dot_j = b_j^H x_j
    void operator()(const dense* b, dense* x, dense* dot, array<char>& tmp) const
    {
        if (in_one_pass_) {
            in_one_pass_->apply_with_dot(b, x, dot, tmp);
        } else {
            op_.apply(b, x);
            b->compute_conj_dot(x, dot, tmp);
        }
    }

private:
    const LinOp& op_;
    const DotApplicable<ValueType>* in_one_pass_;
};

}  // namespace spruce::solver::detail
