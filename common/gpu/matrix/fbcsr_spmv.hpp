// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Multiplies Fbcsr by vectors. A block row belongs to one subwarp unless it is long
// (fbcsr_long_rows.hpp). If there are several vectors, a thread has one entry of the result.
// Matrices with blocks of one entry are multiplied as Csr.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/matrix/fbcsr_long_rows.hpp"
#include "common/gpu/matrix/many_columns_spmv.hpp"
#include "common/gpu/matrix/spmv_tiles.hpp"
#include "core/matrix/csr_kernels.hpp"
#include "core/matrix/csr_tiles.hpp"
#include "core/matrix/fbcsr_kernels.hpp"
#include "core/matrix/view_as_csr.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace fbcsr {

using matrix::Csr;
using matrix::Dense;
using matrix::Fbcsr;

namespace kernel {

/// Returns true if this task does not exist, or belongs to the kernels for long block rows.
template <typename T, typename I>
__device__ __forceinline__ bool is_skipped(const fbcsr_arrays<T, I>& a, size_type block_row)
{
    return block_row >= a.num_block_rows || a.row_ptrs[block_row + 1] - a.row_ptrs[block_row] > a.max_length;
}

/// Describes the work of a subwarp or warp: one block row for one right-hand side.
struct block_row_task {
    __device__ __forceinline__ block_row_task(size_type id, size_type num_rhs)
        : block_row{num_rhs == 1 ? id : id / num_rhs}, rhs{num_rhs == 1 ? 0 : id - block_row * num_rhs}
    {}

    size_type block_row;
    size_type rhs;
};

/// Sums the columns of blocks. Lane k bs + row of a subwarp passes the sum of column k, for
/// k < num_cols. The first bs lanes receive the sums of the rows.
template <typename Group, typename T>
__device__ __forceinline__ T add_up_columns(const Group& subwarp, T sum, int bs, int num_cols)
{
    const int k = subwarp.thread_rank() / bs;
    while (num_cols > 1) {
        const auto num_retained = (num_cols + 1) / 2;
        const auto other = subwarp.shfl_down(sum, num_retained * bs);
        if (k + num_retained < num_cols) {
            sum += other;
        }
        num_cols = num_retained;
    }
    return sum;
}

/// Multiplies one block row with one right-hand side per subwarp, for a block size that is known at
/// compile time. The subwarp reads as many whole blocks at once as it has lanes for, so that each
/// lane stays at one position of the blocks. The loop is not unrolled by hand
/// (doc/tuning/fbcsr.md).
/// @param b  the first right-hand side; the others follow
template <int bs, int subwarp_size, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void spmv_small_blocks(fbcsr_arrays<T, I> a, size_type num_rhs,
                                                                        spmv_tiles::column<T> b, block_output<T> out)
{
    constexpr int area = bs * bs;
    constexpr int blocks_at_once = subwarp_size / area;
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    const block_row_task task{global_subwarp_id<subwarp_size>(), num_rhs};
    if (is_skipped(a, task.block_row)) {
        return;
    }
    b.data += task.rhs * sizeof(T);
    const int rank = subwarp.thread_rank();
    const int position = rank % area;  // in the block
    T sum{};
    if (rank < blocks_at_once * area) {
        const auto first = a.row_ptrs[task.block_row] + rank / area;
        const auto end = a.row_ptrs[task.block_row + 1];
        auto value = a.values + static_cast<size_type>(first) * area + position;
        auto col = a.col_idxs + first;
        for (auto block = first; block < end; block += blocks_at_once) {
            sum += warp::load_streaming(value) * b[static_cast<I>(warp::load_streaming(col) * bs + position / bs)];
            value += blocks_at_once * area;
            col += blocks_at_once;
        }
    }
    sum = add_up_columns(subwarp, sum, bs, blocks_at_once * bs);
    if (rank < bs) {
        out.write(task.block_row * bs + rank, sum, task.rhs);
    }
}

/// Multiplies one block row with one right-hand side per subwarp. Its lanes read the values of the
/// blocks consecutively. The number of active lanes is a multiple of the block size, so that each
/// lane stays in its row of the blocks.
template <int subwarp_size, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void spmv(fbcsr_arrays<T, I> a, size_type num_rhs,
                                                           dense_entries<const T> b, block_output<T> out)
{
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    const block_row_task task{global_subwarp_id<subwarp_size>(), num_rhs};
    if (is_skipped(a, task.block_row)) {
        return;
    }
    const auto bs = a.block_size;
    const auto cols_at_once = subwarp_size / bs;
    const auto row = subwarp.thread_rank() % bs;
    const auto first_col = subwarp.thread_rank() / bs;
    const auto blocks_per_step = cols_at_once / bs;
    const auto cols_per_step = cols_at_once % bs;
    T sum{};
    if (first_col < cols_at_once) {
        auto block = a.row_ptrs[task.block_row] + first_col / bs;
        auto col = first_col % bs;
        const auto end = a.row_ptrs[task.block_row + 1];
        while (block < end) {
            const auto value = warp::load_streaming(a.values + (static_cast<size_type>(block) * bs + col) * bs + row);
            sum += value * b(static_cast<size_type>(a.col_idxs[block]) * bs + col, task.rhs);
            block += blocks_per_step;
            col += cols_per_step;
            if (col >= bs) {
                col -= bs;
                ++block;
            }
        }
    }
    sum = add_up_columns(subwarp, sum, bs, cols_at_once);
    if (first_col == 0) {
        out.write(task.block_row * bs + row, sum, task.rhs);
    }
}

/// Multiplies one block row with one right-hand side per warp, for blocks larger than a warp. The
/// lanes lie along the rows of a block.
template <typename T, typename I>
__global__ __launch_bounds__(default_block_size) void spmv_large_blocks(fbcsr_arrays<T, I> a, size_type num_rhs,
                                                                        dense_entries<const T> b, block_output<T> out)
{
    const auto [block_row, rhs] = block_row_task{global_subwarp_id<warp_size>(), num_rhs};
    if (is_skipped(a, block_row)) {
        return;
    }
    const auto bs = static_cast<size_type>(a.block_size);
    for (size_type row = threadIdx.x % warp_size; row < bs; row += warp_size) {
        T sum{};
        for (auto block = a.row_ptrs[block_row]; block < a.row_ptrs[block_row + 1]; ++block) {
            for (size_type col = 0; col < bs; ++col) {
                sum += a.values[(block * bs + col) * bs + row] * b(a.col_idxs[block] * bs + col, rhs);
            }
        }
        out.write(block_row * bs + row, sum, rhs);
    }
}

/// Views the rows of block rows that are not left out, for many_columns::run().
/// @tparam BlockSize  a constant, or int
template <typename BlockSize, typename T, typename I>
struct rows_of_blocks {
    /// Calls function(value, column) for the entries of a row.
    /// @return  false if the row does not exist or is left out
    template <typename Function>
    __device__ __forceinline__ bool for_each_entry(size_type row, Function function) const
    {
        const int bs = block_size;
        const auto block_row = row / bs;
        if (is_skipped(a, block_row)) {
            return false;
        }
        auto value = a.values + static_cast<size_type>(a.row_ptrs[block_row]) * bs * bs + (row - block_row * bs);
        for (auto block = a.row_ptrs[block_row]; block < a.row_ptrs[block_row + 1]; ++block) {
            const auto first_col = static_cast<size_type>(a.col_idxs[block]) * bs;
            for (int col = 0; col < bs; ++col) {
                function(*value, first_col + col);
                value += bs;
            }
        }
        return true;
    }
    static __device__ __forceinline__ T product(T value, T b) { return value * b; }

    fbcsr_arrays<T, I> a;
    BlockSize block_size;
};

}  // namespace kernel

/// Selects an algorithm for Csr that uses no data prepared for the matrix.
template <typename V, typename I>
class row_distribution : public Csr<V, I>::strategy_type {
public:
    row_distribution(matrix::csr::spmv_algorithm algorithm, size_type max_length)
        : Csr<V, I>::strategy_type{"rows"}, algorithm_{algorithm}, max_length_{static_cast<int64_t>(max_length)}
    {}
    matrix::csr::spmv_algorithm get_algorithm() const noexcept override { return algorithm_; }
    void process(const array<I>&, array<I>*) override {}
    int64_t clac_size(int64_t) override { return 0; }
    std::shared_ptr<typename Csr<V, I>::strategy_type> copy() override
    {
        return std::make_shared<row_distribution>(*this);
    }
    int64_t get_max_length_per_row() const noexcept override { return max_length_; }

private:
    matrix::csr::spmv_algorithm algorithm_;
    int64_t max_length_;
};

/// Returns a view of a matrix whose blocks have one entry, for products with num_cols columns.
template <typename V, typename I>
std::unique_ptr<const Csr<V, I>> view_as_csr(const DeviceExecutor& exec, const Fbcsr<V, I>& a, size_type num_cols)
{
    using matrix::csr::spmv_algorithm;
    const auto num_rows = a.get_size()[0];
    const auto nnz = a.get_num_stored_blocks();
    const auto max_length = a.get_max_block_row_length();
    const auto has_whole_rows =
        matrix::csr::distributes_whole_rows<V>({num_rows, nnz, max_length}, num_cols, num_resident_blocks(exec), false);
    return matrix::view_as_csr<V, I>(
        a, std::make_shared<row_distribution<V, I>>(
               has_whole_rows ? spmv_algorithm::classical : spmv_algorithm::merge_path, max_length));
}

/// Calls function(block_size), with a std::integral_constant for block sizes 2 to 4
/// (doc/tuning/fbcsr.md).
template <typename Function>
void with_block_size(int block_size, Function function)
{
    switch (block_size) {
    case 2:
        return function(std::integral_constant<int, 2>{});
    case 3:
        return function(std::integral_constant<int, 3>{});
    case 4:
        return function(std::integral_constant<int, 4>{});
    default:
        return function(block_size);
    }
}

template <typename V, typename I>
void run_spmv(const DeviceExecutor& exec, const V* alpha, const Fbcsr<V, I>& a, const Dense<V>& b, const V* beta,
              Dense<V>& x)
{
    using T = device_type<V>;
    const auto bs = a.get_block_size();
    const auto num_block_rows = static_cast<size_type>(a.get_num_block_rows());
    const auto num_rhs = x.get_size()[1];
    const auto num_blocks = a.get_num_stored_blocks();
    const auto area = static_cast<size_type>(bs) * bs;
    const auto max_length = std::min(a.get_max_block_row_length(), num_blocks);
    const auto has_long_rows = num_block_rows > 0 && max_length > blocks_per_chunk(bs) &&
                               !matrix::csr::suits_whole_rows<V>({num_block_rows, num_blocks * area, max_length * area},
                                                                 num_resident_blocks(exec));
    const kernel::fbcsr_arrays<T, I> arrays{
        num_block_rows,
        bs,
        a.get_const_row_ptrs(),
        a.get_const_col_idxs(),
        as_device(a.get_const_values()),
        has_long_rows ? static_cast<I>(blocks_per_chunk(bs)) : std::numeric_limits<I>::max()};
    const kernel::block_output<T> out{entries_of(x), as_device(alpha), as_device(beta)};
    if (has_long_rows) {
        multiply_long_rows(exec, arrays, num_blocks, num_rhs, entries_of(b), out);
    }
    // A thread for each entry of x sums long rows only if there are many of them
    // (doc/tuning/fbcsr.md).
    constexpr size_type min_columns = 3;
    constexpr size_type short_row = 64;
    const auto num_entries = x.get_size()[0] * num_rhs;
    const auto mean_length = num_blocks * bs / std::max<size_type>(num_block_rows, 1);
    const auto has_short_rows = num_blocks * bs <= short_row * num_block_rows;
    if (num_rhs >= min_columns && (has_short_rows || num_entries >= num_resident_blocks(exec) * default_block_size)) {
        with_block_size(bs, [&](auto block_size) {
            many_columns::run(
                exec, kernel::rows_of_blocks<decltype(block_size), T, I>{arrays, block_size}, x.get_size()[0],
                mean_length, b,
                spmv_tiles::output<T>{as_device(x.get_values()), x.get_stride(), as_device(alpha), as_device(beta)});
        });
        return;
    }
    if (bs > warp_size) {
        launch(exec, kernel::spmv_large_blocks<T, I>, num_block_rows * num_rhs * warp_size, arrays, num_rhs,
               entries_of(b), out);
        return;
    }
    const auto mean = a.get_num_stored_elements() / std::max<size_type>(num_block_rows, 1);
    const auto multiply_small_blocks = [&](auto size_of_block) {
        constexpr int bs = decltype(size_of_block)::value;
        // One lane for sixteen entries of a mean block row. Blocks of size 3 do not use 16 lanes,
        // of which seven would be idle.
        constexpr int min_lanes = bs == 3 ? 27 : bs * bs;
        select_subwarp_size(std::max<size_type>(mean / 16, min_lanes), [&](auto size) {
            constexpr int subwarp_size = decltype(size)::value;
            if constexpr (subwarp_size >= min_lanes) {
                launch(exec, kernel::spmv_small_blocks<bs, subwarp_size, T, I>, num_block_rows * num_rhs * subwarp_size,
                       arrays, num_rhs, spmv_tiles::column_of(b), out);
            }
        });
    };
    const auto multiply = [&] {
        // One lane for four entries, so that it has several loads in flight, and at least one lane
        // for each row.
        select_subwarp_size(std::max<size_type>(mean / 4, bs), [&](auto size) {
            constexpr int subwarp_size = decltype(size)::value;
            launch(exec, kernel::spmv<subwarp_size, T, I>, num_block_rows * num_rhs * subwarp_size, arrays, num_rhs,
                   entries_of(b), out);
        });
    };
    with_block_size(spmv_tiles::has_short_stride(b) ? bs : 0, [&](auto block_size) {
        if constexpr (std::is_same_v<decltype(block_size), int>) {
            multiply();
        } else {
            multiply_small_blocks(block_size);
        }
    });
}

template <typename V, typename I>
void spmv(const DeviceExecutor& exec, const Fbcsr<V, I>& a, const Dense<V>& b, Dense<V>& x)
{
    if (a.get_block_size() == 1) {
        kernels::csr::spmv<V, I>(exec, *view_as_csr(exec, a, b.get_size()[1]), b, x);
    } else {
        run_spmv<V, I>(exec, nullptr, a, b, nullptr, x);
    }
}

template <typename V, typename I>
void advanced_spmv(const DeviceExecutor& exec, const Dense<V>& alpha, const Fbcsr<V, I>& a, const Dense<V>& b,
                   const Dense<V>& beta, Dense<V>& x)
{
    if (a.get_block_size() == 1) {
        kernels::csr::advanced_spmv<V, I>(exec, alpha, *view_as_csr(exec, a, b.get_size()[1]), b, beta, x);
    } else {
        run_spmv(exec, alpha.get_const_values(), a, b, beta.get_const_values(), x);
    }
}

}  // namespace fbcsr

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
