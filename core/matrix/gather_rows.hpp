// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/base/dispatch.hpp"
#include "core/base/kernel.hpp"
#include "core/matrix/dense_permute_kernels.hpp"

/// Computes products with matrices that select rows. Each row of such a matrix has a single entry,
/// which has the value 1.
namespace spruce::detail {

/// Calls function(b, x) for a Dense b of any value type and a Dense x of that type or of the next
/// precision.
/// @throws NotSupported  for other operands
template <typename Function>
void dispatch_any_dense(const LinOp* b, LinOp* x, Function function)
{
    bool is_found{};
    for_each_value_type([&](auto tag) {
        using V = typename decltype(tag)::type;
        const auto dense_b = dynamic_cast<const matrix::Dense<V>*>(b);
        if (is_found || !dense_b) {
            return;
        }
        is_found = true;
        if (const auto same = dynamic_cast<matrix::Dense<V>*>(x)) {
            function(*dense_b, *same);
        } else {
            function(*dense_b, *as<matrix::Dense<next_precision<V>>>(x));
        }
    });
    if (!is_found) {
        throw NotSupported(__FILE__, __LINE__, "gathering rows of anything but a Dense", type_name_of(*b));
    }
}

/// Computes row i of x = row rows[i] of b. The operands are on exec.
template <typename IndexType>
void gather_rows(const Executor& exec, const IndexType* rows, const LinOp* b, LinOp* x)
{
    dispatch_any_dense(b, x, [&](const auto& dense_b, auto& dense_x) {
        using V = typename std::decay_t<decltype(dense_b)>::value_type;
        using Result = typename std::decay_t<decltype(dense_x)>::value_type;
        kernels::dense::row_gather<V, Result, IndexType>(exec, dense_b, rows, dense_x);
    });
}

/// Computes row i of x = alpha (row rows[i] of b) + beta (row i of x) in the higher precision of b
/// and x.
template <typename IndexType>
void gather_rows(const Executor& exec, const LinOp* alpha, const IndexType* rows, const LinOp* b, const LinOp* beta,
                 LinOp* x)
{
    dispatch_any_dense(b, x, [&](const auto& dense_b, auto& dense_x) {
        using V = typename std::decay_t<decltype(dense_b)>::value_type;
        using Result = typename std::decay_t<decltype(dense_x)>::value_type;
        using Scalar = kernels::dense::higher_precision<V, Result>;
        const const_converted_dense<Scalar> dense_alpha{alpha, "alpha"};
        const const_converted_dense<Scalar> dense_beta{beta, "beta"};
        kernels::dense::advanced_row_gather<V, Result, IndexType>(exec, *dense_alpha.get(), dense_b, rows,
                                                                  *dense_beta.get(), dense_x);
    });
}

}  // namespace spruce::detail
