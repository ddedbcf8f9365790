// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <hip/hip_runtime.h>

#include <spruce/base/exception_helpers.hpp>

#include "stencil_kernel.hpp"

namespace example {

void multiply_on(const spruce::HipExecutor& exec, const vectors& data)
{
    if (data.num_rows > 0) {
        hipLaunchKernelGGL(multiply, dim3(num_blocks(data)), dim3(block_size), 0, exec.get_stream(), data);
        SPRUCE_ASSERT_NO_HIP_ERRORS(hipGetLastError());
    }
}

}  // namespace example
