// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/matrix/csr.hpp>

#include "benchmark/progress.hpp"
#include "benchmark/spmv/result.hpp"

namespace spruce::bench {

/// Steps that the progress advances for one matrix.
size_type steps_per_matrix(size_type num_formats, int repetitions);

/// Measures all formats with one matrix and compares their results with the reference's. The formats take turns in each
/// repetition, so that a change of the machine's speed hits all alike. One that fails says why in its result, and the
/// others go on; after an interrupt the result holds what was done.
/// @param a  on a host executor that the executor exec can copy from
template <typename ValueType, typename IndexType>
void measure_formats(const std::vector<std::string>& formats, const spmv_options& options,
                     std::shared_ptr<const Executor> exec, std::shared_ptr<const matrix::Csr<ValueType, IndexType>> a,
                     progress& bar, matrix_result& result);

}  // namespace spruce::bench
