// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

#include "core/base/kernel.hpp"

/// Declares kernels for systems with the lower or upper triangle of a matrix.
namespace spruce::kernels::triangular {

using matrix::Csr;
using matrix::Dense;

/// Computes levels[i] for each row i: 0 if row i depends on no other row, otherwise one more than
/// the largest level of the rows that it depends on. If upper is true, the upper triangle is used.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, bool upper, I* levels)> compute_levels{
    "triangular::compute_levels"};

/// Computes x by substitution, level by level: level l has the rows order[level_ptrs[l]], ...,
/// order[level_ptrs[l + 1] - 1], which are independent. b, x: n x k.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, bool upper, bool unit_diagonal, const I* order,
                                 const std::vector<size_type>& level_ptrs, const Dense<V>& b, Dense<V>& x)>
    solve{"triangular::solve"};

}  // namespace spruce::kernels::triangular
