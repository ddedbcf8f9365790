// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "cuda/base/backend.hpp"

namespace spruce::kernels::cuda {

template <typename... Params>
void start(void (*kernel)(Params...), unsigned num_blocks, dim3 block_size, Params... args)
{
    kernel<<<num_blocks, block_size>>>(args...);
}

}  // namespace spruce::kernels::cuda

#include "test/device/components.hpp"
