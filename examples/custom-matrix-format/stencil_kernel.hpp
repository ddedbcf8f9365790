// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Contains the kernel for CUDA and HIP. It must be included after the header of the runtime.

#pragma once

#include "stencil.hpp"

namespace example {

constexpr int block_size = 256;
inline int num_blocks(const vectors& data) { return (data.num_rows + block_size - 1) / block_size; }

/// Computes x = A b with a thread for each row.
static __global__ void multiply(vectors data)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < data.num_rows) {
        multiply_row(data, row);
    }
}

}  // namespace example
