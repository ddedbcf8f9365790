// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <string>

#include <spruce/base/executor.hpp>

namespace spruce::bench {

/// Holds the copy bandwidth of the executor's memory, to which bandwidths of other operations are
/// compared.
struct copy_bandwidth {
    double bytes_per_second{};  ///< bytes read plus bytes written
    size_type array_bytes{};    ///< size of each of the two arrays, at least four times the last-level cache
    std::string method;         ///< the fastest method
};

/// Copies between two arrays by every available method and returns the fastest one by its median of
/// at most 20 repetitions. After an interrupt the result contains the measurements until then, or
/// zero if there are none.
/// @throws AllocationError  if the arrays do not fit into memory
copy_bandwidth measure_copy(std::shared_ptr<const Executor> exec, int repetitions);

/// Returns the median bandwidth in bytes per second of reading an array, which is read by the norm
/// of a vector. The result is zero after an interrupt.
///
/// Processors whose cores support only few outstanding loads read more slowly than they copy.
/// @throws AllocationError  if the array does not fit into memory
double measure_read(std::shared_ptr<const Executor> exec, int repetitions);

}  // namespace spruce::bench
