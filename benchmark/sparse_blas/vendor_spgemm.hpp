// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/matrix/csr.hpp>

namespace spruce::bench {

/// Computes a b by cuSPARSE, which is loaded at run time. Its buffers are allocated on the executor
/// of a.
/// @return null if the executor is not a CudaExecutor
std::unique_ptr<matrix::Csr<double, int32>> multiply_by_vendor(const matrix::Csr<double, int32>& a,
                                                               const matrix::Csr<double, int32>& b);

}  // namespace spruce::bench
