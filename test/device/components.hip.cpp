// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "hip/base/backend.hpp"

namespace spruce::kernels::hip {

template <typename... Params>
void start(void (*kernel)(Params...), unsigned num_blocks, dim3 block_size, Params... args)
{
    hipLaunchKernelGGL(kernel, dim3(num_blocks), block_size, 0, nullptr, args...);
}

}  // namespace spruce::kernels::hip

#include "test/device/components.hpp"
