// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/types.hpp>

namespace spruce::bench {

/// Most work of a thread / mean work of the threads in the product of a Csr matrix on an OmpExecutor. Work is what is
/// read and written: an entry counts as much as a row. 0 if it is not known.
template <typename IndexType>
double csr_imbalance(const IndexType* row_ptrs, size_type num_rows);

}  // namespace spruce::bench
