// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

#include "core/base/kernel.hpp"

/// Declares the kernels for products and sums of sparse matrices. Patterns are structural: an entry
/// is stored even if its terms cancel or a factor is zero. No row of b or d may contain a column
/// twice. Each entry is the sum of its terms in a fixed order.
namespace spruce::kernels::csr {

using matrix::Csr;
using matrix::Dense;

/// Computes counts[i] = the number of entries in row i of a b, or of alpha a b + beta d if d is not
/// null. Shapes: a: m x n, b: n x k, d: m x k.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, const Csr<V, I>& b, const Csr<V, I>* d, I* counts)> spgemm_count{
    "csr::spgemm_count"};

/// Writes the sorted column indices and the values of c = alpha a b + beta d. c has the row
/// pointers from spgemm_count. A null alpha stands for 1. d and beta are both null or both not
/// null. If alpha or beta is zero, the values of its operand are ignored, even if they are NaN.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>* alpha, const Csr<V, I>& a, const Csr<V, I>& b, const Dense<V>* beta,
                                 const Csr<V, I>* d, Csr<V, I>& c)>
    spgemm_fill{"csr::spgemm_fill"};

/// Computes only the values of c = alpha a b + beta d. c has sorted column indices already. Terms
/// outside the pattern of c are dropped. A null alpha stands for 1. d and beta are both null or
/// both not null. If alpha or beta is zero, the values of its operand are ignored, even if they are
/// NaN.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>* alpha, const Csr<V, I>& a, const Csr<V, I>& b, const Dense<V>* beta,
                                 const Csr<V, I>* d, Csr<V, I>& c)>
    spgemm_values{"csr::spgemm_values"};

/// Views a pattern. The arrays may have unused capacity.
template <typename I>
struct stored_pattern {
    const I* row_ptrs;
    const I* col_idxs;
    size_type num_rows;
    size_type num_stored;  ///< length of col_idxs
};

template <typename V, typename I>
stored_pattern<I> stored_pattern_of(const Csr<V, I>& a)
{
    return {a.get_const_row_ptrs(), a.get_const_col_idxs(), a.get_size()[0], a.get_num_stored_elements()};
}

/// Describes what two patterns of equally many rows have in common.
struct pattern_comparison {
    bool is_a_sorted;  ///< columns are sorted within rows
    bool is_b_sorted;
    bool are_equal;  ///< row pointers and columns, in this order, and there is no unused capacity
};

/// Compares the patterns a and b.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const stored_pattern<I>& a, const stored_pattern<I>& b, pattern_comparison& result)>
    compare_patterns{"csr::compare_patterns"};

/// Computes the row pointers of alpha a + beta b, and their last one as num_entries. a and b are m
/// x n with sorted column indices. tmp receives intermediate results for spgeam_fill, or remains
/// empty.
/// @throws OverflowError  if the number of entries does not fit I
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, const Csr<V, I>& b, I* row_ptrs, size_type& num_entries,
                                 array<I>& tmp)>
    spgeam_row_ptrs{"csr::spgeam_row_ptrs"};

/// Writes the column indices and values of c = alpha a + beta b. c has the row pointers from
/// spgeam_row_ptrs. If alpha or beta is zero, the values of its operand are ignored. tmp is the
/// result of spgeam_row_ptrs, or empty.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const Csr<V, I>& a, const Dense<V>& beta, const Csr<V, I>& b,
                                 Csr<V, I>& c, array<I>& tmp)>
    spgeam_fill{"csr::spgeam_fill"};

/// Computes only the values of c = alpha a + beta b. The patterns of a, b and c are equal. If alpha
/// or beta is zero, the values of its operand are ignored.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const Csr<V, I>& a, const Dense<V>& beta, const Csr<V, I>& b,
                                 Csr<V, I>& c)>
    spgeam_values{"csr::spgeam_values"};

}  // namespace spruce::kernels::csr
