// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

#include "core/base/kernel.hpp"

/// Systems with the lower or upper triangle of a matrix.
namespace spruce::kernels::triangular {

using matrix::Csr;
using matrix::Dense;

/// levels[i] = 0 for rows that depend on no other, else one more than the largest level of those that row i depends on.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, bool upper, I* levels)> compute_levels{
    "triangular::compute_levels"};

/// Solves for the rows order[begin], ..., order[end - 1], for begin = level_ptrs[k], end = level_ptrs[k + 1], one k after the
/// other. b, x: n x k.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, bool upper, bool unit_diagonal, const I* order,
                                 const std::vector<size_type>& level_ptrs, const Dense<V>& b, Dense<V>& x)>
    solve{"triangular::solve"};

}  // namespace spruce::kernels::triangular
