// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <string>

#include "benchmark/spmv/formats.hpp"

/// Products by other libraries on the arrays of a matrix of ours. Each file has a version that only throws, for builds
/// without that library.
namespace spruce::bench {

/// Eigen's SparseMatrix on the threads of the executor; a lives on a host.
template <typename ValueType, typename IndexType>
std::unique_ptr<product<ValueType, IndexType>> create_eigen_product(
    std::shared_ptr<const matrix::Csr<ValueType, IndexType>> a);

/// cuSPARSE with one of its algorithms and the analysis that it offers, done once; a lives on a CudaExecutor.
/// @param algorithm  1 or 2
template <typename ValueType, typename IndexType>
std::unique_ptr<product<ValueType, IndexType>> create_cusparse_product(
    std::shared_ptr<const matrix::Csr<ValueType, IndexType>> a, int algorithm);

}  // namespace spruce::bench
