// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>

#include "core/base/kernel.hpp"

/// Declares the kernels of permutations. p is a permutation of 0, ..., size - 1. Results do not
/// overlap operands.
namespace spruce::kernels::permutation {

using matrix::Dense;

/// Computes inverse_(p_i) = i.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* p, size_type size, I* inverse)> invert{"permutation::invert"};

/// Computes result_i = first_(second_i).
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* first, const I* second, size_type size, I* result)> compose{
    "permutation::compose"};

/// Computes the inverse of P S, where S is the diagonal matrix of scale: inverse_(p_i) = i and
/// inverse_scale_i = 1 / scale_(p_i).
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const V* scale, const I* p, size_type size, V* inverse_scale, I* inverse)>
    invert_scaled{"permutation::invert_scaled"};

/// Computes result_i = first_(second_i) and result_scale_(result_i) = second_scale_(second_i)
/// first_scale_(result_i).
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const V* first_scale, const I* first, const V* second_scale, const I* second,
                                 size_type size, V* result_scale, I* result)>
    compose_scaled{"permutation::compose_scaled"};

/// Computes x_ij = alpha scale_(p_i) b_(p_i)j + beta x_ij with 1 x 1 alpha and beta. If alpha or
/// beta is zero, its operand is ignored, even if it contains NaN.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const V* scale, const I* p, const Dense<V>& b,
                                 const Dense<V>& beta, Dense<V>& x)>
    advanced_apply_scaled{"permutation::advanced_apply_scaled"};

}  // namespace spruce::kernels::permutation
