// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <string>

#include <spruce/factorization/incomplete_factorization.hpp>
#include <spruce/matrix/csr.hpp>

namespace spruce::factorization::detail {

/// Checks the limits from the parameters of a factorization.
/// @param name  of the factorization in messages
/// @throws OutOfBoundsError  if a limit is out of range
void require_valid(const std::string& name, const threshold_limits& limits);

/// Chooses a pattern for incomplete factors by the size of their entries (Anzt, Chow and Dongarra
/// 2018). Each iteration adds entries of A - L U to the pattern of the factors, improves the
/// factors by a sweep, removes the smallest entries, and improves the others by a sweep. If the
/// residual is large after a sweep, the factors are computed by elimination. If that fails, too,
/// the search ends with the last suitable pattern, or with that of A.
/// @param a  is square and sorted and stores all diagonal entries; its lower triangle if it is
///           Hermitian
/// @return  a matrix with the pattern of L + U, or of L. Its values are arbitrary
template <typename V, typename I>
std::shared_ptr<matrix::Csr<V, I>> find_threshold_pattern(const std::shared_ptr<const matrix::Csr<V, I>>& a,
                                                          bool is_hermitian, const threshold_limits& limits);

}  // namespace spruce::factorization::detail
