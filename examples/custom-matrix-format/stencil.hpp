// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)
#define EXAMPLE_FN __host__ __device__
#else
#define EXAMPLE_FN
#endif

#include <spruce/base/executor.hpp>

namespace example {

/// Describes columns of b and of x, which are stored by rows. The pointers refer to the executor's
/// memory.
struct vectors {
    int num_rows;
    int num_columns;
    const double* b;
    int b_stride;
    double* x;
    int x_stride;
};

/// Computes one row of x = A b for the matrix A of the stencil (-1, 2, -1), on any executor.
EXAMPLE_FN inline void multiply_row(const vectors& data, int row)
{
    for (int col = 0; col < data.num_columns; ++col) {
        const auto b = data.b + col;
        const auto above = row > 0 ? b[(row - 1) * data.b_stride] : 0;
        const auto below = row < data.num_rows - 1 ? b[(row + 1) * data.b_stride] : 0;
        data.x[row * data.x_stride + col] = 2 * b[row * data.b_stride] - above - below;
    }
}

/// Computes all rows of x = A b on a GPU by CUDA.
/// @throws spruce::CudaError  if the kernel cannot be launched
void multiply_on(const spruce::CudaExecutor& exec, const vectors& data);
/// Computes all rows of x = A b on a GPU by HIP.
/// @throws spruce::HipError  if the kernel cannot be launched
void multiply_on(const spruce::HipExecutor& exec, const vectors& data);

}  // namespace example
