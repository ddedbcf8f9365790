// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: 2026 The Spruce authors

// Runs a kernel whose threads read values that other threads wrote into shared memory.
// usage: race none|block|warp|vote
// The argument selects the missing barrier: none, that of the block, or that of the warp. The
// argument vote replaces the barrier of the warp by a vote. The program is compiled with the thread
// sanitizer, which has to report the last three.

#include <cstdio>
#include <cstring>

#include "device_buffer.hpp"

namespace {

enum class barrier { present, none, vote };

__device__ void wait_for_warp(barrier kind)
{
    if (kind == barrier::present) {
        __syncwarp();
    } else if (kind == barrier::vote) {
        __any(1);
    }
}

__global__ void exchange(barrier of_block, barrier of_warp, unsigned* result)
{
    __shared__ unsigned numbers[128];
    const auto i = threadIdx.x;
    numbers[i] = i;
    wait_for_warp(of_warp);
    const auto neighbour = numbers[i ^ 1u];
    __syncthreads();
    numbers[i] = neighbour;
    if (of_block == barrier::present) {
        __syncthreads();
    }
    result[i] = numbers[127 - i];
}

}  // namespace

int main(int argc, char** argv)
{
    const auto wants = [&](const char* what) { return argc > 1 && std::strcmp(argv[1], what) == 0; };
    const auto of_block = wants("block") ? barrier::none : barrier::present;
    const auto of_warp = wants("warp") ? barrier::none : wants("vote") ? barrier::vote : barrier::present;
    const Buffer<unsigned> result(128);

    hipLaunchKernelGGL(exchange, dim3(1), dim3(128), 0, nullptr, of_block, of_warp, result.get());

    if (hipDeviceSynchronize() != hipSuccess || result.host().size() != 128) {
        return 1;
    }
    std::puts("good");
    return 0;
}
