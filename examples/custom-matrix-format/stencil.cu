// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "stencil.hpp"

#include <spruce/base/exception_helpers.hpp>

namespace example {
namespace {

__global__ void multiply(vectors data)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < data.num_rows) {
        multiply_row(data, row);
    }
}

}  // namespace

void multiply_on_cuda(const vectors& data, CUstream_st* stream)
{
    if (data.num_rows == 0) {
        return;
    }
    constexpr int block_size = 256;
    multiply<<<(data.num_rows + block_size - 1) / block_size, block_size, 0, stream>>>(data);
    SPRUCE_ASSERT_NO_CUDA_ERRORS(cudaGetLastError());
}

}  // namespace example
