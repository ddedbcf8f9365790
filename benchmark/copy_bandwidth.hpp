// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <string>

#include <spruce/base/executor.hpp>

namespace spruce::bench {

/// How fast the executor's memory is: what bandwidths of other operations are compared with.
struct copy_bandwidth {
    double bytes_per_second{};  ///< read and written
    size_type array_bytes{};    ///< size of each of the two arrays, at least four times the last-level cache
    std::string method;         ///< the fastest way to copy
};

/// Copies between two arrays in every way there is and keeps the fastest median of at most 20 repetitions. After an
/// interrupt the result is what was measured until then, zero if that is nothing.
/// @throws AllocationError  if the arrays do not fit into memory
copy_bandwidth measure_copy(std::shared_ptr<const Executor> exec, int repetitions);

/// How fast the same arrays are read, by the norm of a vector: the median in bytes per second, zero after an interrupt. Processors
/// whose cores have few loads under way read more slowly than they copy.
/// @throws AllocationError  as measure_copy()
double measure_read(std::shared_ptr<const Executor> exec, int repetitions);

}  // namespace spruce::bench
