// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/coo.hpp>
#include <spruce/matrix/csr.hpp>

#include "core/base/kernel.hpp"

/// Declares the kernels that split rows between the parts of a Hybrid.
namespace spruce::kernels::hybrid {

using matrix::Coo;
using matrix::Csr;

/// Adds to counts[l] the number of rows with l entries for l < max_length. Adds to
/// counts[max_length] the number of all longer rows and of those with max_length entries.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_ptrs, size_type num_rows, size_type max_length, size_type* counts)>
    count_rows_by_length{"hybrid::count_rows_by_length"};

/// Computes counts[i] = the number of entries of row i after the first ell_length ones.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_ptrs, size_type num_rows, size_type ell_length, I* counts)> count_rest{
    "hybrid::count_rest"};

/// Writes the column indices and values of x: the entries of each row of a after the first
/// ell_length ones. The row indices of x are set already. rest_ptrs[i] is the position in x of the
/// first entry of row i or of a later row.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, size_type ell_length, const I* rest_ptrs, Coo<V, I>& x)> fill_rest{
    "hybrid::fill_rest"};

/// Computes counts[i] += ptrs[i + 1] - ptrs[i].
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* ptrs, size_type num_rows, I* counts)> add_lengths{"hybrid::add_lengths"};

/// Writes the entries of a to the ends of their rows. rest_ptrs[i] is the position in a of the
/// first entry of row i or of a later row.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Coo<V, I>& a, const I* rest_ptrs, const I* row_ptrs, I* col_idxs, V* values)>
    fill_rest_in_csr{"hybrid::fill_rest_in_csr"};

}  // namespace spruce::kernels::hybrid
