// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "cuda/base/backend.hpp"

#include "benchmark/groups/create_reductions.hpp"

namespace spruce::bench {

std::vector<tile_reduction> create_cuda_reductions(const std::shared_ptr<const CudaExecutor>& exec)
{
    return create_reductions(exec);
}

}  // namespace spruce::bench
