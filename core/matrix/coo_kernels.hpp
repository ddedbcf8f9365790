// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/coo.hpp>
#include <spruce/matrix/dense.hpp>

#include "core/base/kernel.hpp"

/// Declares the kernels of Coo. Shapes: a: m x n, b: n x k, x: m x k; alpha and beta are 1 x 1. The
/// entries of a are sorted by row.
namespace spruce::kernels::coo {

using matrix::Coo;
using matrix::Dense;

/// Computes x = a b.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Coo<V, I>& a, const Dense<V>& b, Dense<V>& x)> spmv{"coo::spmv"};

/// Computes x = alpha a b + beta x. If alpha or beta is zero, its operand is ignored, even if it
/// contains NaN.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const Coo<V, I>& a, const Dense<V>& b, const Dense<V>& beta,
                                 Dense<V>& x)>
    advanced_spmv{"coo::advanced_spmv"};

/// Computes x = x + a b.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Coo<V, I>& a, const Dense<V>& b, Dense<V>& x)> spmv2{"coo::spmv2"};

/// Computes x = x + alpha a b.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const Coo<V, I>& a, const Dense<V>& b, Dense<V>& x)>
    advanced_spmv2{"coo::advanced_spmv2"};

/// Computes b = a^T, sorted by row. Entries of a row of b keep the order that they have in a. b has
/// the right size already.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Coo<V, I>& a, Coo<V, I>& b)> transpose{"coo::transpose"};

/// Computes b = conj(a)^T, sorted by row. Entries of a row of b keep the order that they have in a.
/// b has the right size already.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Coo<V, I>& a, Coo<V, I>& b)> conj_transpose{"coo::conj_transpose"};

}  // namespace spruce::kernels::coo
