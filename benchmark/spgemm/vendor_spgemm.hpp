// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/matrix/csr.hpp>

namespace spruce::bench {

/// a b by cuSPARSE, looked up at run time; its buffers are allocated on the executor of a.
/// @return null where the executor is not CUDA's
std::unique_ptr<matrix::Csr<double, int32>> multiply_by_vendor(const matrix::Csr<double, int32>& a,
                                                               const matrix::Csr<double, int32>& b);

}  // namespace spruce::bench
