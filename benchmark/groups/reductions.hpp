// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <spruce/base/executor.hpp>

namespace spruce::bench {

/// Describes a kernel that sums a value over each tile of size threads repeatedly, in eight blocks
/// for each multiprocessor.
struct tile_reduction {
    std::string value_type;
    int size;              ///< threads of a tile
    std::string shuffles;  ///< "groups" for those of Spruce's groups, or "vendor"
    /// Launches the kernel with this number of sums, each of the result of the one before it.
    std::function<void(int num_sums)> launch;
    /// Returns the largest error of sums of small integers, which is 0 if all are right.
    std::function<double()> error;
};

/// Returns the reductions for each type and each tile size. Builds without the backend lack the
/// function.
std::vector<tile_reduction> create_cuda_reductions(const std::shared_ptr<const CudaExecutor>& exec);
std::vector<tile_reduction> create_hip_reductions(const std::shared_ptr<const HipExecutor>& exec);

}  // namespace spruce::bench
