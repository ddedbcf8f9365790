// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <string>

#include "benchmark/spmv/formats.hpp"

/// Contains products by other libraries on the arrays of a Spruce matrix. For builds without a
/// library, its source file contains a version that only throws.
namespace spruce::bench {

/// Creates a product by Eigen's SparseMatrix on the threads of the executor. The matrix a is on a
/// host.
template <typename ValueType, typename IndexType>
std::unique_ptr<product<ValueType, IndexType>> create_eigen_product(
    std::shared_ptr<const matrix::Csr<ValueType, IndexType>> a);

/// Lists the storage formats and algorithms of cuSPARSE. The format sell has slices of 32 rows and
/// supports only one right-hand side.
enum class cusparse_format { csr_alg1, csr_alg2, coo, sell };

/// Creates a product by cuSPARSE, which performs its analysis once. The matrix a is on a
/// CudaExecutor.
template <typename ValueType, typename IndexType>
std::unique_ptr<product<ValueType, IndexType>> create_cusparse_product(
    std::shared_ptr<const matrix::Csr<ValueType, IndexType>> a, cusparse_format format);

}  // namespace spruce::bench
