// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/coo.hpp>
#include <spruce/matrix/dense.hpp>

#include "core/base/kernel.hpp"

/// a: m x n, b: n x k, x: m x k; alpha and beta 1 x 1. Rows of a are in order.
namespace spruce::kernels::coo {

using matrix::Coo;
using matrix::Dense;

/// x = a b
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Coo<V, I>& a, const Dense<V>& b, Dense<V>& x)> spmv{"coo::spmv"};

/// x = alpha a b + beta x; where one is zero its operand does not count, NaN or not
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const Coo<V, I>& a, const Dense<V>& b, const Dense<V>& beta,
                                 Dense<V>& x)>
    advanced_spmv{"coo::advanced_spmv"};

/// x = x + a b
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Coo<V, I>& a, const Dense<V>& b, Dense<V>& x)> spmv2{"coo::spmv2"};

/// x = x + alpha a b
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const Coo<V, I>& a, const Dense<V>& b, Dense<V>& x)>
    advanced_spmv2{"coo::advanced_spmv2"};

/// b = a^T with rows in order; entries of a row of b are in the order that they have in a. b has the right size already.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Coo<V, I>& a, Coo<V, I>& b)> transpose{"coo::transpose"};

/// b = conj(a)^T, in the same order
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Coo<V, I>& a, Coo<V, I>& b)> conj_transpose{"coo::conj_transpose"};

}  // namespace spruce::kernels::coo
