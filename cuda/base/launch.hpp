// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "cuda/base/runtime.hpp"

namespace spruce::kernels::cuda {

template <typename... Params>
void launch_kernel(const CudaExecutor& exec, void (*kernel)(Params...), unsigned num_blocks, unsigned block_size,
                   Params... args)
{
    kernel<<<num_blocks, block_size, 0, exec.get_stream()>>>(args...);
}

}  // namespace spruce::kernels::cuda
