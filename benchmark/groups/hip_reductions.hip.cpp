// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "hip/base/backend.hpp"

#include "benchmark/groups/create_reductions.hpp"

namespace spruce::bench {

std::vector<tile_reduction> create_hip_reductions(const std::shared_ptr<const HipExecutor>& exec)
{
    return create_reductions(exec);
}

}  // namespace spruce::bench
