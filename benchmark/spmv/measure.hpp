// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/matrix/csr.hpp>

#include "benchmark/progress.hpp"
#include "benchmark/spmv/result.hpp"

namespace spruce::bench {

/// Returns the number of progress steps for one matrix.
size_type steps_per_matrix(size_type num_formats, int repetitions);

/// Measures all formats with one matrix and compares their results to those of the reference.
///
/// Each repetition measures all formats, so that changes of the machine's speed affect all of them
/// equally. If a format fails, its result contains the reason, and the others continue. After an
/// interrupt, the result contains the measurements until then.
/// @param a  on a host executor that the executor exec can copy from
template <typename ValueType, typename IndexType>
void measure_formats(const std::vector<std::string>& formats, const spmv_options& options,
                     std::shared_ptr<const Executor> exec, std::shared_ptr<const matrix::Csr<ValueType, IndexType>> a,
                     progress& bar, matrix_result& result);

}  // namespace spruce::bench
