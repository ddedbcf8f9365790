// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <functional>

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

namespace spruce::bench {

/// Prepares solves with a triangle by cuSPARSE. The result solves triangle x = b for these two
/// vectors. It is empty for an executor that has no such library.
/// @param triangle  contains nothing but a lower or an upper triangle with its diagonal
std::function<void()> analyze_by_vendor(const matrix::Csr<double, int32>& triangle, bool upper,
                                        const matrix::Dense<double>& b, matrix::Dense<double>& x);

}  // namespace spruce::bench
