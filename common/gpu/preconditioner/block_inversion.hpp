// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <limits>

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/components/pivot_search.hpp"
#include "common/unified/preconditioner/block_entries.hpp"
#include "core/preconditioner/jacobi_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace jacobi {

using spruce::preconditioner::detail::block_row;

namespace kernel {

/// Number of threads of a block of threads. A thread holds a row of up to 32 values in registers
/// (doc/tuning/constants.md).
constexpr int inversion_block_size = 128;

/// Number of columns of a block that a subwarp exchanges at once.
template <int subwarp_size>
constexpr int num_exchanged = std::min(subwarp_size, 8);
/// Distance of these columns in shared memory, which avoids conflicts of banks.
template <int subwarp_size>
constexpr int exchange_stride = subwarp_size + 1;

/// Returns true if the rows of the lanes form a Hermitian block.
template <int subwarp_size, typename Subwarp, typename T>
__device__ __forceinline__ bool is_hermitian(const Subwarp& subwarp, const T (&row)[subwarp_size], T* exchange)
{
    constexpr auto width = num_exchanged<subwarp_size>;
    constexpr auto stride = exchange_stride<subwarp_size>;
    const auto rank = static_cast<int>(subwarp.thread_rank());
    auto is_equal = true;
#pragma unroll
    for (int first = 0; first < subwarp_size; first += width) {
#pragma unroll
        for (int k = 0; k < width; ++k) {
            exchange[k * stride + rank] = row[first + k];
        }
        subwarp.sync();
        if (rank >= first && rank < first + width) {
#pragma unroll
            for (int j = 0; j < subwarp_size; ++j) {
                is_equal = is_equal && row[j] == conj_of(exchange[(rank - first) * stride + j]);
            }
        }
        subwarp.sync();
    }
    return subwarp.all(is_equal);
}

/// Inverts a Hermitian positive definite block with the sweep operator, which needs no other pivots
/// than the diagonal entries and keeps the block Hermitian. The registers rotate by one column in
/// each step. Returns false if the block is not positive definite.
template <int subwarp_size, typename Subwarp, typename T>
__device__ __forceinline__ bool invert_definite(const Subwarp& subwarp, int block_size, T (&row)[subwarp_size],
                                                T* exchange)
{
    using R = remove_complex<T>;
    const auto rank = static_cast<int>(subwarp.thread_rank());
    for (int step = 0; step < block_size; ++step) {
        exchange[(rank - step) & (subwarp_size - 1)] = row[0];
        subwarp.sync();
        const R pivot = real_of(exchange[0]);
        if (!(pivot > R{})) {
            subwarp.sync();
            return false;
        }
        const auto is_pivot = rank == step;
        const auto inverse = R{1} / pivot;
        const auto factor = is_pivot ? T(-inverse) : row[0] * T(inverse);
#pragma unroll
        for (int j = 1; j < subwarp_size; ++j) {
            row[j - 1] = (is_pivot ? T{} : row[j]) - factor * conj_of(exchange[j]);
        }
        row[subwarp_size - 1] = factor;
        subwarp.sync();
    }
#pragma unroll
    for (int j = 0; j < subwarp_size; ++j) {
        row[j] = -row[j];
    }
    return true;
}

/// Inverts a block B by Gauss-Jordan elimination. Rows are not exchanged: each lane records the
/// step k in which its row is the pivot row, and lane k records the pivot row of step k. If P
/// denotes the permutation that moves the pivot row of step k to row k, the elimination computes
/// C = (P B)^-1, and B^-1 = C P. The registers rotate by one column in each step, so that the
/// column of the pivot is in register 0.
template <int subwarp_size, typename Subwarp, typename T>
__device__ __forceinline__ void invert_with_pivots(const Subwarp& subwarp, int block_size, T (&row)[subwarp_size],
                                                   int& step_as_pivot, int& pivot_of_step)
{
    const auto rank = static_cast<int>(subwarp.thread_rank());
    step_as_pivot = -1;
    pivot_of_step = 0;  // the step is the rank
    for (int step = 0; step < block_size; ++step) {
        const auto is_candidate = rank < block_size && step_as_pivot < 0;
        const auto magnitude = abs_of(row[0]);
        const auto pivot = find_pivot(subwarp, is_candidate ? magnitude : static_cast<remove_complex<T>>(-1));
        const auto is_pivot = rank == pivot;
        const auto inverse = one<T>() / subwarp.shfl(row[0], pivot);
        const auto factor = row[0];
#pragma unroll
        for (int j = 1; j < subwarp_size; ++j) {
            const auto scaled = subwarp.shfl(row[j], pivot) * inverse;
            row[j - 1] = is_pivot ? scaled : row[j] - factor * scaled;
        }
        row[subwarp_size - 1] = is_pivot ? inverse : -factor * inverse;
        step_as_pivot = is_pivot ? step : step_as_pivot;
        pivot_of_step = rank == step ? pivot : pivot_of_step;
    }
}

/// Stores the rows of a Hermitian block halved. The last registers of a lane contain a row of the
/// block, whose columns are those of the ranks 0, 1, .... Columns of the storage are collected in
/// shared memory.
template <int subwarp_size, typename Subwarp, typename T>
__device__ __forceinline__ void store_halved(const Subwarp& subwarp, int block_size, const T (&registers)[subwarp_size],
                                             int row, int col_of_rank, T* exchange, T* target)
{
    constexpr auto width = num_exchanged<subwarp_size>;
    constexpr auto stride = exchange_stride<subwarp_size>;
    const auto rank = static_cast<int>(subwarp.thread_rank());
    const auto has_row = rank < block_size;
    for (int first = 0; first <= block_size / 2; first += width) {
#pragma unroll
        for (int i = 0; i < subwarp_size; ++i) {
            const auto step = i - (subwarp_size - block_size);
            const auto col = subwarp.shfl(col_of_rank, max(step, 0));
            const auto distance = col - row + (col >= row ? 0 : block_size) - first;
            if (has_row && step >= 0 && distance >= 0 && distance < width) {
                exchange[distance * stride + row] = registers[i];
            }
        }
        subwarp.sync();
#pragma unroll
        for (int k = 0; k < width; ++k) {
            if (has_row && first + k <= block_size / 2) {
                target[(first + k) * block_entries<T>::stride] = exchange[k * stride + rank];
            }
        }
        subwarp.sync();
    }
}

/// Inverts each block in a subwarp, whose lanes hold the rows in registers, and sets is_halved of
/// the rows. Without is_halved, blocks are stored in full.
template <int subwarp_size, typename T, typename I>
__global__ __launch_bounds__(inversion_block_size,
                             sizeof(T) <= 8 ? 4 : 2) void invert_blocks(size_type num_blocks, const I* block_ptrs,
                                                                        block_entries<T> entries, block_row* rows,
                                                                        bool may_halve, int32* any_not_finite)
{
    __shared__ T
        exchanges[inversion_block_size / subwarp_size][num_exchanged<subwarp_size> * exchange_stride<subwarp_size>];
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    const auto block = global_subwarp_id<subwarp_size>();
    if (block >= num_blocks) {
        return;
    }
    const auto exchange = exchanges[threadIdx.x / subwarp_size];
    const auto first_row = static_cast<size_type>(block_ptrs[block]);
    const auto block_size = static_cast<int>(block_ptrs[block + 1] - block_ptrs[block]);
    const auto rank = static_cast<int>(subwarp.thread_rank());
    const auto has_row = rank < block_size;
    const auto target = has_row ? entries.row_begin(first_row + rank) : nullptr;
    T row[subwarp_size];
    const auto load_row = [&] {
#pragma unroll
        for (int j = 0; j < subwarp_size; ++j) {
            row[j] = has_row && j < block_size ? target[j * entries.stride] : T{};
        }
    };
    load_row();
    auto is_finite = true;
#pragma unroll
    for (int j = 0; j < subwarp_size; ++j) {
        is_finite = is_finite && is_finite_value(row[j]);
    }
    const auto is_hermitian = block_size > 2 && kernel::is_hermitian(subwarp, row, exchange);
    auto step_as_pivot = rank;
    auto pivot_of_step = rank;
    if (!(is_hermitian && subwarp.all(is_finite) && invert_definite(subwarp, block_size, row, exchange))) {
        load_row();
        if (!is_finite) {  // also infinity must not give a finite inverse
            row[0] = T(std::numeric_limits<remove_complex<T>>::quiet_NaN());
        }
        invert_with_pivots(subwarp, block_size, row, step_as_pivot, pivot_of_step);
    }
    const auto first_register = subwarp_size - block_size;
#pragma unroll
    for (int i = 0; i < subwarp_size; ++i) {
        is_finite = is_finite && (!has_row || i < first_register || is_finite_value(row[i]));
    }
    if (!is_finite) {
        atomicOr(any_not_finite, 1);
    }
    subwarp.sync();  // all lanes have read their rows
    const auto is_halved = may_halve && is_hermitian && subwarp.all(is_finite);
    if (may_halve && has_row) {
        rows[first_row + rank].is_halved = is_halved ? 1 : 0;
    }
    if (is_halved) {
        store_halved(subwarp, block_size, row, step_as_pivot, pivot_of_step, exchange, target);
        return;
    }
#pragma unroll
    for (int i = 0; i < subwarp_size; ++i) {
        const auto step = i - first_register;
        const auto col = subwarp.shfl(pivot_of_step, max(step, 0));
        if (has_row && step >= 0) {
            entries(first_row + step_as_pivot, col) = row[i];
        }
    }
}

}  // namespace kernel

/// Inverts the blocks in place. If may_halve is true, Hermitian blocks of more than two rows are
/// stored halved. Returns whether the results are finite.
template <typename V, typename I>
bool invert_blocks(const DeviceExecutor& exec, spruce::preconditioner::detail::block_diagonal<V, I>& blocks,
                   bool may_halve)
{
    const auto any_not_finite = reserve_sums<int32>(blocks.workspace, 1);
    run_for_each(exec, 1, [=] SPRUCE_KERNEL_LAMBDA(size_type) { *any_not_finite = 0; });
    const auto num_blocks = blocks.get_num_blocks();
    select_subwarp_size(blocks.max_block_size, [&](auto subwarp_size) {
        // Warps may have more threads than blocks have rows.
        constexpr int size =
            std::min(int{decltype(subwarp_size)::value}, spruce::preconditioner::detail::largest_block_size);
        constexpr auto per_block = static_cast<size_type>(kernel::inversion_block_size / size);
        launch_blocks<kernel::inversion_block_size>(
            exec, kernel::invert_blocks<size, device_type<V>, I>, (num_blocks + per_block - 1) / per_block, num_blocks,
            blocks.block_ptrs.get_const_data(), entries_of(blocks), blocks.rows.get_data(), may_halve, any_not_finite);
    });
    return exec.copy_val_to_host(any_not_finite) == 0;
}

}  // namespace jacobi

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
