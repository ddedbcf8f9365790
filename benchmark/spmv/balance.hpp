// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/types.hpp>

namespace spruce::bench {

/// Returns the largest work of a thread divided by the mean work of the threads. The product of a
/// Csr matrix is distributed by merge paths, as by the omp kernels. Work is the number of rows and
/// entries, which count equally.
template <typename IndexType>
double csr_imbalance(const IndexType* row_ptrs, size_type num_rows);

}  // namespace spruce::bench
