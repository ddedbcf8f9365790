// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/diagonal.hpp>
#include <spruce/matrix/ell.hpp>

#include "core/base/kernel.hpp"

/// a: m x n, b: n x k, x: m x k; alpha and beta 1 x 1.
namespace spruce::kernels::ell {

using matrix::Csr;
using matrix::Dense;
using matrix::Diagonal;
using matrix::Ell;

/// x = a b
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Ell<V, I>& a, const Dense<V>& b, Dense<V>& x)> spmv{"ell::spmv"};

/// x = alpha a b + beta x; where one is zero its operand does not count, NaN or not
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const Ell<V, I>& a, const Dense<V>& b, const Dense<V>& beta,
                                 Dense<V>& x)>
    advanced_spmv{"ell::advanced_spmv"};

/// Computes x = a b and dot_j = b_j^H x_j for a square matrix. dot: 1 x k, scaled (see Reduction::set_scale()).
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Ell<V, I>& a, const Dense<V>& b, Dense<V>& x, Dense<V>& dot,
                                 const Reduction& reduction)>
    spmv_with_dot{"ell::spmv_with_dot"};

/// The first entries of each row of a, as many as x has room for, in their order; the rest of x is padded.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, Ell<V, I>& x)> fill_from_csr{"ell::fill_from_csr"};

/// counts[i] = number of entries of row i
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Ell<V, I>& a, I* counts)> count_entries{"ell::count_entries"};

/// Puts the entries of row i to row_ptrs[i] and behind it.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Ell<V, I>& a, const I* row_ptrs, I* col_idxs, V* values)> convert_to_csr{
    "ell::convert_to_csr"};

/// d_i += a_ii, the sum of the entries there
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Ell<V, I>& a, Diagonal<V>& d)> extract_diagonal{"ell::extract_diagonal"};

}  // namespace spruce::kernels::ell
