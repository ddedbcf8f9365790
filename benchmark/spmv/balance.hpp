// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/types.hpp>

namespace spruce::bench {

/// Returns the most work of a thread over the mean work of the threads, if the product of a Csr matrix is distributed by merge
/// paths, as omp does. Work is what is read and written: an entry counts as much as a row.
template <typename IndexType>
double csr_imbalance(const IndexType* row_ptrs, size_type num_rows);

}  // namespace spruce::bench
