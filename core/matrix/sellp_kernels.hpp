// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/diagonal.hpp>
#include <spruce/matrix/sellp.hpp>

#include "core/base/kernel.hpp"

/// Declares the kernels of Sellp. Shapes: a: m x n, b: n x k, x: m x k; alpha and beta are 1 x 1.
namespace spruce::kernels::sellp {

using matrix::Csr;
using matrix::Dense;
using matrix::Diagonal;
using matrix::Sellp;

/// Computes x = a b.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Sellp<V, I>& a, const Dense<V>& b, Dense<V>& x)> spmv{"sellp::spmv"};

/// Computes x = alpha a b + beta x. If alpha or beta is zero, its operand is ignored, even if it
/// contains NaN.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const Sellp<V, I>& a, const Dense<V>& b, const Dense<V>& beta,
                                 Dense<V>& x)>
    advanced_spmv{"sellp::advanced_spmv"};

/// Computes x = a b and dot_j = b_j^H x_j for a square matrix. dot is 1 x k and scaled (see
/// Reduction::set_scale()).
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Sellp<V, I>& a, const Dense<V>& b, Dense<V>& x, Dense<V>& dot,
                                 const Reduction& reduction)>
    spmv_with_dot{"sellp::spmv_with_dot"};

/// Computes lengths[s] = the length of the longest row of slice s, rounded up to a multiple of
/// stride_factor.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_ptrs, size_type num_rows, size_type slice_size, size_type stride_factor,
                                 size_type* lengths)>
    compute_slice_lengths{"sellp::compute_slice_lengths"};

/// Copies the entries of a in their order. The slice sets of x are set already. The rest of x is
/// padded.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, Sellp<V, I>& x)> fill_from_csr{"sellp::fill_from_csr"};

/// Computes counts[i] = the number of entries of row i.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Sellp<V, I>& a, I* counts)> count_entries{"sellp::count_entries"};

/// Writes the entries of row i from position row_ptrs[i] on.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Sellp<V, I>& a, const I* row_ptrs, I* col_idxs, V* values)> convert_to_csr{
    "sellp::convert_to_csr"};

/// Computes d_i += a_ii, where a_ii is the sum of all entries at that position.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Sellp<V, I>& a, Diagonal<V>& d)> extract_diagonal{"sellp::extract_diagonal"};

}  // namespace spruce::kernels::sellp
