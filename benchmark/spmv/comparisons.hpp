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

/// How cuSPARSE holds the matrix, and which of its algorithms runs. sell has slices of 32 rows, and one right-hand side only.
enum class cusparse_format { csr_alg1, csr_alg2, coo, sell };

/// cuSPARSE with the analysis that it offers, done once; a lives on a CudaExecutor.
template <typename ValueType, typename IndexType>
std::unique_ptr<product<ValueType, IndexType>> create_cusparse_product(
    std::shared_ptr<const matrix::Csr<ValueType, IndexType>> a, cusparse_format format);

}  // namespace spruce::bench
