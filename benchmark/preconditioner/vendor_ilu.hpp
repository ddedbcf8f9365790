// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <functional>
#include <memory>

#include <spruce/matrix/csr.hpp>

namespace spruce::bench {

/// Prepares the factorization of a matrix by csrilu02 of cuSPARSE. The result computes the factors.
/// It is empty for an executor that has no such library.
/// @param a        its rows are sorted, and it stores all diagonal entries
/// @param factors  receives L without its diagonal, and U; it has the pattern of A
std::function<void()> analyze_ilu_by_vendor(const std::shared_ptr<const matrix::Csr<double, int32>>& a,
                                            const std::shared_ptr<matrix::Csr<double, int32>>& factors);

}  // namespace spruce::bench
