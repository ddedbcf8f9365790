// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "stencil.hpp"

namespace example {
namespace {

__global__ void multiply(int n, const double* b, double* x)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = 2 * b[i] - (i > 0 ? b[i - 1] : 0) - (i < n - 1 ? b[i + 1] : 0);
    }
}

}  // namespace

void multiply_on_cuda(int n, const double* b, double* x, CUstream_st* stream)
{
    constexpr int block_size = 256;
    multiply<<<(n + block_size - 1) / block_size, block_size, 0, stream>>>(n, b, x);
}

}  // namespace example
