// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>

#include "core/base/kernel.hpp"

/// A permutation p of 0, ..., size - 1; results overlap no operand.
namespace spruce::kernels::permutation {

using matrix::Dense;

/// inverse_(p_i) = i
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* p, size_type size, I* inverse)> invert{"permutation::invert"};

/// result_i = first_(second_i)
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* first, const I* second, size_type size, I* result)> compose{
    "permutation::compose"};

/// The inverse of P S, with S the diagonal matrix of scale: inverse_(p_i) = i, inverse_scale_i = 1 / scale_(p_i)
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const V* scale, const I* p, size_type size, V* inverse_scale, I* inverse)>
    invert_scaled{"permutation::invert_scaled"};

/// result_i = first_(second_i), result_scale_(result_i) = second_scale_(second_i) first_scale_(result_i)
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const V* first_scale, const I* first, const V* second_scale, const I* second,
                                 size_type size, V* result_scale, I* result)>
    compose_scaled{"permutation::compose_scaled"};

/// x_ij = alpha scale_(p_i) b_(p_i)j + beta x_ij with 1 x 1 alpha and beta; where one is zero its operand does not count,
/// NaN or not
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const V* scale, const I* p, const Dense<V>& b,
                                 const Dense<V>& beta, Dense<V>& x)>
    advanced_apply_scaled{"permutation::advanced_apply_scaled"};

}  // namespace spruce::kernels::permutation
