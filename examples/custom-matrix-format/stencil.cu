// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/exception_helpers.hpp>

#include "stencil_kernel.hpp"

namespace example {

void multiply_on(const spruce::CudaExecutor& exec, const vectors& data)
{
    if (data.num_rows > 0) {
        multiply<<<num_blocks(data), block_size, 0, exec.get_stream()>>>(data);
        SPRUCE_ASSERT_NO_CUDA_ERRORS(cudaGetLastError());
    }
}

}  // namespace example
