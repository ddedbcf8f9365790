// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

#include "core/base/kernel.hpp"
#include "core/solver/triangular_schedule.hpp"

/// Declares kernels for systems with the lower or upper triangle of a matrix.
namespace spruce::kernels::triangular {

using matrix::Csr;
using matrix::Dense;
using spruce::solver::detail::triangular_schedule;

/// Computes levels[i] for each row i: 0 if row i depends on no other row, otherwise one more than
/// the largest level of the rows that it depends on. If upper is true, the upper triangle is used.
/// @param diagonal  entry (i, i) of each row i of a matrix with sorted rows, or null
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, bool upper, const I* diagonal, I* levels)> compute_levels{
    "triangular::compute_levels"};

/// Fills a schedule, whose diagonal is given, for solves with the lower or upper triangle.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, bool upper, triangular_schedule<V, I>& schedule)> analyze{
    "triangular::analyze"};

/// Replaces the values in a schedule by those of a matrix with the pattern of the analysed one.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, triangular_schedule<V, I>& schedule)> update_values{
    "triangular::update_values"};

/// Computes x by substitution. b, x: n x k.
/// @param schedule  the result of analyze() for the same arguments
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, bool upper, bool unit_diagonal,
                                 const triangular_schedule<V, I>& schedule, const Dense<V>& b, Dense<V>& x)>
    solve{"triangular::solve"};

}  // namespace spruce::kernels::triangular
