// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <memory>

#include <spruce/base/array.hpp>
#include <spruce/base/exception_helpers.hpp>
#include <spruce/matrix/diagonal.hpp>

#include "core/base/dispatch.hpp"
#include "core/base/overlap.hpp"
#include "core/components/array_kernels.hpp"

/// Implements operations that all sparse formats share. Each format passes its own kernels.
namespace spruce::detail {

/// Computes x = a b.
template <typename Operation, typename Matrix>
void apply(const Operation& spmv, const Matrix& a, const LinOp* b, LinOp* x)
{
    dispatch_dense<typename Matrix::value_type>(
        [&](auto dense_b, auto dense_x) { spmv(*a.get_executor(), a, *dense_b, *dense_x); }, b, x,
        access_mode::overwrite);
}

/// Computes x = alpha a b + beta x.
template <typename Operation, typename Matrix>
void apply(const Operation& advanced_spmv, const LinOp* alpha, const Matrix& a, const LinOp* b, const LinOp* beta,
           LinOp* x)
{
    dispatch_dense<typename Matrix::value_type>(
        [&](auto dense_alpha, auto dense_b, auto dense_beta, auto dense_x) {
            advanced_spmv(*a.get_executor(), *dense_alpha, a, *dense_b, *dense_beta, *dense_x);
        },
        alpha, b, beta, x, access_mode::overwrite);
}

/// Checks that dot can store the inner products of b and a b.
/// @throws DimensionMismatch  if it cannot
inline void require_dot(const LinOp& a, const LinOp& b, const LinOp& dot)
{
    SPRUCE_ASSERT_IS_SQUARE_MATRIX(&a);
    if (dot.get_size() != dim<2>{1, b.get_size()[1]}) {
        throw DimensionMismatch(__FILE__, __LINE__, "apply_with_dot", "dot", dot.get_size()[0], dot.get_size()[1], "b",
                                b.get_size()[0], b.get_size()[1], "dot has to be a row as wide as b");
    }
}

/// Computes x = a b and the scaled inner products dot_j = b_j^H x_j (see Reduction::set_scale()).
template <typename Operation, typename Matrix, typename ValueType>
void apply_with_dot(const Operation& spmv_with_dot, const Matrix& a, const matrix::Dense<ValueType>* b,
                    matrix::Dense<ValueType>* x, matrix::Dense<ValueType>* dot, const Reduction& reduction)
{
    require_dot(a, *b, *dot);
    const auto exec = a.get_executor();
    const auto local_b = result_memory{"apply_with_dot", *x, "x", &a}.separate(exec, b, "b");
    const auto local_dot = separate_result(exec, dot, a, *b, *x);
    const auto local_x = separate_result(exec, x, a);
    spmv_with_dot(*exec, a, *local_b, *local_x, *local_dot, reduction);
}

/// Returns a zero diagonal with the length of the diagonal of a, to which kernels add entries.
template <typename Matrix>
auto zero_diagonal_of(const Matrix& a)
{
    using V = typename Matrix::value_type;
    const auto exec = a.get_executor();
    const auto length = std::min(a.get_size()[0], a.get_size()[1]);
    auto result = matrix::Diagonal<V>::create(exec, length);
    kernels::components::fill_array<V>(*exec, result->get_values(), length, zero<V>());
    return result;
}

/// Returns the absolute values of an array on an executor.
template <typename ValueType>
array<remove_complex<ValueType>> absolute_of(std::shared_ptr<const Executor> exec, const ValueType* values,
                                             size_type size)
{
    using real = remove_complex<ValueType>;
    array<real> result{exec, size};
    kernels::components::absolute_array<ValueType, real>(*exec, values, result.get_data(), size);
    return result;
}

/// Replaces the elements of an array on an executor by their absolute values.
template <typename ValueType>
void make_absolute(const Executor& exec, ValueType* values, size_type size)
{
    kernels::components::absolute_array<ValueType, ValueType>(exec, values, values, size);
}

template <typename ValueType, typename IndexType>
struct csr_arrays {
    array<ValueType> values;
    array<IndexType> col_idxs;
    array<IndexType> row_ptrs;
};

/// Converts a format with padded rows to Csr. count(*exec, row_ptrs) counts the entries of each
/// row. fill(*exec, row_ptrs, col_idxs, values) writes the entries.
template <typename Matrix, typename Count, typename Fill>
auto gather_in_csr(const Matrix& a, Count count, Fill fill)
{
    using V = typename Matrix::value_type;
    using I = typename Matrix::index_type;
    const auto exec = a.get_executor();
    const auto num_rows = a.get_size()[0];
    csr_arrays<V, I> result{array<V>{exec}, array<I>{exec}, array<I>{exec, num_rows + 1}};
    count(*exec, result.row_ptrs.get_data());
    size_type nnz{};
    kernels::components::prefix_sum<I>(*exec, result.row_ptrs.get_data(), num_rows + 1, nnz);
    result.col_idxs.resize_and_reset(nnz);
    result.values.resize_and_reset(nnz);
    fill(*exec, result.row_ptrs.get_const_data(), result.col_idxs.get_data(), result.values.get_data());
    return result;
}

}  // namespace spruce::detail
