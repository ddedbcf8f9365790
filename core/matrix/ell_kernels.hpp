// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/diagonal.hpp>
#include <spruce/matrix/ell.hpp>

#include "core/base/kernel.hpp"

/// Declares the kernels of Ell. Shapes: a: m x n, b: n x k, x: m x k; alpha and beta are 1 x 1.
namespace spruce::kernels::ell {

using matrix::Csr;
using matrix::Dense;
using matrix::Diagonal;
using matrix::Ell;

/// Computes x = a b.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Ell<V, I>& a, const Dense<V>& b, Dense<V>& x)> spmv{"ell::spmv"};

/// Computes x = alpha a b + beta x. If alpha or beta is zero, its operand is ignored, even if it
/// contains NaN.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const Ell<V, I>& a, const Dense<V>& b, const Dense<V>& beta,
                                 Dense<V>& x)>
    advanced_spmv{"ell::advanced_spmv"};

/// Computes x = a b and dot_j = b_j^H x_j for a square matrix. dot is 1 x k and scaled (see
/// Reduction::set_scale()).
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Ell<V, I>& a, const Dense<V>& b, Dense<V>& x, Dense<V>& dot,
                                 const Reduction& reduction)>
    spmv_with_dot{"ell::spmv_with_dot"};

/// Copies the first entries of each row of a in their order, as many as x can store. The rest of x
/// is padded.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, Ell<V, I>& x)> fill_from_csr{"ell::fill_from_csr"};

/// Computes counts[i] = the number of entries of row i.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Ell<V, I>& a, I* counts)> count_entries{"ell::count_entries"};

/// Writes the entries of row i from position row_ptrs[i] on.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Ell<V, I>& a, const I* row_ptrs, I* col_idxs, V* values)> convert_to_csr{
    "ell::convert_to_csr"};

/// Computes d_i += a_ii, where a_ii is the sum of all entries at that position.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Ell<V, I>& a, Diagonal<V>& d)> extract_diagonal{"ell::extract_diagonal"};

}  // namespace spruce::kernels::ell
