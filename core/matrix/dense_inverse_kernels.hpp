// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/array.hpp>
#include <spruce/matrix/dense.hpp>

#include "core/base/kernel.hpp"

namespace spruce::kernels::dense {

using matrix::Dense;

/// Computes the inverse of a dense matrix by Gauss-Jordan elimination with partial pivoting. Where
/// the largest possible pivot is at most tolerance times the largest entry of a, the unknown and
/// the equation are left out: their column and row of the result are zero.
/// @param a          n x n with n < 2^20; overwritten
/// @param inverse    n x n; overwritten
/// @param workspace  resized if it is too small
template <typename V>
SPRUCE_EXPORT inline Kernel<void(remove_complex<V> tolerance, Dense<V>& a, Dense<V>& inverse, array<int64>& workspace)>
    invert{"dense::invert"};

}  // namespace spruce::kernels::dense
