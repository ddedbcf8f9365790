// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <spruce/base/executor.hpp>
#include <spruce/matrix/dense.hpp>

namespace spruce::bench {

/// Holds the copy bandwidth of the executor's memory, to which bandwidths of other operations are
/// compared.
struct copy_bandwidth {
    double bytes_per_second{};  ///< bytes read plus bytes written
    size_type array_bytes{};    ///< size of each of the two arrays, at least four times the last-level cache
    std::string method;         ///< the fastest method
};

/// Creates a vector that is at least four times as large as the last-level cache, if there is
/// enough memory.
/// @throws AllocationError  if the vector does not fit into memory
std::unique_ptr<matrix::Dense<double>> create_large_vector(std::shared_ptr<const Executor> exec);

/// Describes a way to copy between two large arrays.
struct copy_method {
    std::string name;
    std::function<void()> copy;
};

/// Returns the ways to copy from one array to another of the same size on the same executor. They
/// refer to the arrays.
std::vector<copy_method> copy_methods(const matrix::Dense<double>& from, matrix::Dense<double>& to);

/// Copies between two arrays by every available method and returns the fastest one by its median of
/// at most 20 repetitions. After an interrupt the result contains the measurements until then, or
/// zero if there are none.
/// @throws AllocationError  if the arrays do not fit into memory
copy_bandwidth measure_copy(std::shared_ptr<const Executor> exec, int repetitions);

}  // namespace spruce::bench
