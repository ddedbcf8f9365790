// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

namespace fbcsr {

using matrix::Csr;
using matrix::Dense;
using matrix::Fbcsr;

namespace kernel {

template <typename T, typename I>
struct fbcsr_arrays {
    size_type num_brows;
    int block_size;
    const I* row_ptrs;
    const I* col_idxs;
    const T* values;
};

/// x = alpha a b + beta x; null stands for alpha = 1 and beta = 0.
template <typename T>
struct block_output {
    __device__ __forceinline__ void write(size_type row, size_type rhs, T sum) const
    {
        x(row, rhs) = combine(alpha ? *alpha : one<T>(), sum, beta ? *beta : T{}, x(row, rhs));
    }

    dense_entries<T> x;
    const T* alpha;
    const T* beta;
};

/// A subwarp for each block row and right-hand side. Its lanes read the blocks' values one after the other; with as many
/// lanes as make whole columns of blocks, each lane stays in its row of the blocks, and lanes of the same row add up their
/// sums in the end.
template <int subwarp_size, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void spmv(fbcsr_arrays<T, I> a, size_type num_rhs,
                                                           dense_entries<const T> b, block_output<T> out)
{
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    const auto brow = global_subwarp_id<subwarp_size>() / num_rhs;
    const auto rhs = global_subwarp_id<subwarp_size>() % num_rhs;
    if (brow >= a.num_brows) {
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
        auto block = a.row_ptrs[brow] + first_col / bs;
        auto col = first_col % bs;
        const auto end = a.row_ptrs[brow + 1];
        while (block < end) {
            const auto value = warp::load_streaming(a.values + (static_cast<size_type>(block) * bs + col) * bs + row);
            sum += value * b(static_cast<size_type>(a.col_idxs[block]) * bs + col, rhs);
            block += blocks_per_step;
            col += cols_per_step;
            if (col >= bs) {
                col -= bs;
                ++block;
            }
        }
    }
    auto num_left = cols_at_once;
    while (num_left > 1) {
        const auto num_kept = (num_left + 1) / 2;
        const auto other = subwarp.shfl_down(sum, num_kept * bs);
        if (first_col + num_kept < num_left) {
            sum += other;
        }
        num_left = num_kept;
    }
    if (first_col == 0) {
        out.write(brow * bs + row, rhs, sum);
    }
}

/// A warp for each block row and right-hand side, its lanes along the rows of blocks larger than a warp.
template <typename T, typename I>
__global__ __launch_bounds__(default_block_size) void spmv_large_blocks(fbcsr_arrays<T, I> a, size_type num_rhs,
                                                                        dense_entries<const T> b, block_output<T> out)
{
    const auto brow = global_subwarp_id<warp_size>() / num_rhs;
    const auto rhs = global_subwarp_id<warp_size>() % num_rhs;
    if (brow >= a.num_brows) {
        return;
    }
    const auto bs = static_cast<size_type>(a.block_size);
    for (size_type row = threadIdx.x % warp_size; row < bs; row += warp_size) {
        T sum{};
        for (auto block = a.row_ptrs[brow]; block < a.row_ptrs[brow + 1]; ++block) {
            for (size_type col = 0; col < bs; ++col) {
                sum += a.values[(block * bs + col) * bs + row] * b(a.col_idxs[block] * bs + col, rhs);
            }
        }
        out.write(brow * bs + row, rhs, sum);
    }
}

/// Columns and, where they are wanted, values of some rows next to each other: in shared memory, which reads them as they lie, or
/// where they are if they do not fit.
template <typename T, typename I>
struct row_entries {
    const I* cols;
    const T* values;
    I begin;  // place 0
};

constexpr int staging_bytes = 24 * 1024;
template <typename... Ts>
constexpr int staging_capacity = staging_bytes / static_cast<int>((sizeof(Ts) + ...));

template <typename T, typename I>
__device__ __forceinline__ row_entries<T, I> stage_entries(I begin, I end, const I* cols, const T* values, int capacity,
                                                           I* staged_cols, T* staged_values)
{
    const auto is_staged = end - begin <= capacity;
    if (is_staged) {
        for (int i = threadIdx.x; i < end - begin; i += default_block_size) {
            staged_cols[i] = warp::load_streaming(cols + begin + i);
        }
        if (values) {
            for (int i = threadIdx.x; i < end - begin; i += default_block_size) {
                staged_values[i] = warp::load_streaming(values + begin + i);
            }
        }
        __syncthreads();
        return {staged_cols, staged_values, begin};
    }
    return {cols, values, I{}};
}

/// The rows of a block row, through which a subwarp goes side by side, from block column to block column. A lane has a row, or
/// several where blocks are larger than a warp: their cursors are in memory.
template <int subwarp_size, bool is_large, typename I>
class block_row_walk {
public:
    using subwarp_type = group::thread_block_tile<subwarp_size>;

    /// @param row_ptrs  of the block row's first row
    /// @param begin  what is subtracted from them
    __device__ __forceinline__ block_row_walk(const subwarp_type& subwarp, int block_size, const I* row_ptrs, I begin,
                                              const I* cols, I* cursors)
        : subwarp_{subwarp}, block_size_{block_size}, row_ptrs_{row_ptrs}, begin_{begin}, cols_{cols}, cursors_{cursors}
    {
        if constexpr (is_large) {
            for (int i = subwarp.thread_rank(); i < block_size; i += subwarp_size) {
                cursors[i] = row_ptrs[i] - begin;
            }
        } else if (subwarp.thread_rank() < block_size) {
            cursor_ = row_ptrs[subwarp.thread_rank()] - begin;
            end_ = row_ptrs[subwarp.thread_rank() + 1] - begin;
        }
    }

    /// Calls function(row, cursor, end) for this lane's rows; entries cursor, ..., end - 1 are not in a block yet.
    template <typename Function>
    __device__ __forceinline__ void for_each_row(Function function)
    {
        if constexpr (is_large) {
            for (int i = subwarp_.thread_rank(); i < block_size_; i += subwarp_size) {
                function(i, cursors_[i], row_ptrs_[i + 1] - begin_);
            }
        } else if (subwarp_.thread_rank() < block_size_) {
            function(subwarp_.thread_rank(), cursor_, end_);
        }
    }

    /// Whether there is another block, and its first column.
    __device__ __forceinline__ bool find_next(I& first_col)
    {
        constexpr auto none = std::numeric_limits<I>::max();
        auto lowest = none;
        this->for_each_row([&](int, I cursor, I end) {
            if (cursor < end) {
                lowest = min(lowest, cols_[cursor]);
            }
        });
        lowest = reduce(subwarp_, lowest, [](I a, I b) { return b < a ? b : a; });
        first_col = lowest / block_size_ * block_size_;
        return lowest != none;
    }

private:
    subwarp_type subwarp_;
    int block_size_;
    const I* row_ptrs_;
    I begin_;
    const I* cols_;
    I* cursors_;
    I cursor_{};
    I end_{};
};

/// counts[brow] = number of blocks of the block row. Each block of threads has brows_per_block block rows, a subwarp each.
template <int subwarp_size, bool is_large, typename I>
__global__ __launch_bounds__(default_block_size) void count_blocks(size_type num_brows, int brows_per_block,
                                                                   int block_size, const I* row_ptrs, const I* col_idxs,
                                                                   I* cursors, I* counts)
{
    __shared__ I staged_cols[staging_capacity<I>];
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    const auto first = static_cast<size_type>(blockIdx.x) * brows_per_block;
    const auto last = min(first + brows_per_block, num_brows);
    const auto entries = stage_entries<I, I>(row_ptrs[first * block_size], row_ptrs[last * block_size], col_idxs,
                                             nullptr, is_large ? 0 : staging_capacity<I>, staged_cols, nullptr);
    const auto brow = first + threadIdx.x / subwarp_size;
    if (brow >= last) {
        return;
    }
    block_row_walk<subwarp_size, is_large, I> walk{subwarp,       block_size,   row_ptrs + brow * block_size,
                                                   entries.begin, entries.cols, cursors + brow * block_size};
    I count{};
    I first_col{};
    for (; walk.find_next(first_col); ++count) {
        walk.for_each_row([&](int, I& cursor, I end) {
            while (cursor < end && entries.cols[cursor] - first_col < block_size) {
                ++cursor;
            }
        });
    }
    if (subwarp.thread_rank() == 0) {
        counts[brow] = count;
    }
}

/// A lane writes the values of its row, and neighbouring lanes write side by side, zeros with the others: the blocks need no
/// filling before.
template <int subwarp_size, bool is_large, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void fill_blocks(size_type num_brows, int brows_per_block,
                                                                  int block_size, const I* row_ptrs, const I* col_idxs,
                                                                  const T* values, I* cursors, const I* new_row_ptrs,
                                                                  I* new_col_idxs, T* new_values)
{
    __shared__ T staged_values[staging_capacity<T, I>];
    __shared__ I staged_cols[staging_capacity<T, I>];
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    const auto first = static_cast<size_type>(blockIdx.x) * brows_per_block;
    const auto last = min(first + brows_per_block, num_brows);
    const auto entries = stage_entries<T, I>(row_ptrs[first * block_size], row_ptrs[last * block_size], col_idxs,
                                             values, is_large ? 0 : staging_capacity<T, I>, staged_cols, staged_values);
    const auto brow = first + threadIdx.x / subwarp_size;
    if (brow >= last) {
        return;
    }
    block_row_walk<subwarp_size, is_large, I> walk{subwarp,       block_size,   row_ptrs + brow * block_size,
                                                   entries.begin, entries.cols, cursors + brow * block_size};
    I first_col{};
    for (auto k = static_cast<size_type>(new_row_ptrs[brow]); walk.find_next(first_col); ++k) {
        if (subwarp.thread_rank() == 0) {
            new_col_idxs[k] = first_col / block_size;
        }
        const auto block = new_values + k * block_size * block_size;
        walk.for_each_row([&](int row, I& cursor, I end) {
            for (int i = 0; i < block_size; ++i) {
                T value{};
                for (; cursor < end && entries.cols[cursor] - first_col == i; ++cursor) {
                    value = entries.values[cursor];
                }
                block[static_cast<size_type>(i) * block_size + row] = value;
            }
        });
    }
}

}  // namespace kernel

template <typename V, typename I>
void run_spmv(const DeviceExecutor& exec, const V* alpha, const Fbcsr<V, I>& a, const Dense<V>& b, const V* beta,
              Dense<V>& x)
{
    using T = device_type<V>;
    const auto bs = a.get_block_size();
    const auto num_brows = static_cast<size_type>(a.get_num_block_rows());
    const auto num_rhs = x.get_size()[1];
    const kernel::fbcsr_arrays<T, I> arrays{num_brows, bs, a.get_const_row_ptrs(), a.get_const_col_idxs(),
                                            as_device(a.get_const_values())};
    const kernel::block_output<T> out{entries_of(x), as_device(alpha), as_device(beta)};
    if (bs > warp_size) {
        launch(exec, kernel::spmv_large_blocks<T, I>, num_brows * num_rhs * warp_size, arrays, num_rhs, entries_of(b),
               out);
        return;
    }
    // A lane for each four entries of a mean block row, so that it has several loads in flight; one for each row at least.
    const auto mean = a.get_num_stored_elements() / std::max<size_type>(num_brows, 1);
    select_subwarp_size(std::max<size_type>(mean / 4, bs), [&](auto size) {
        constexpr int subwarp_size = decltype(size)::value;
        launch(exec, kernel::spmv<subwarp_size, T, I>, num_brows * num_rhs * subwarp_size, arrays, num_rhs,
               entries_of(b), out);
    });
}

template <typename V, typename I>
void spmv(const DeviceExecutor& exec, const Fbcsr<V, I>& a, const Dense<V>& b, Dense<V>& x)
{
    run_spmv<V, I>(exec, nullptr, a, b, nullptr, x);
}

template <typename V, typename I>
void advanced_spmv(const DeviceExecutor& exec, const Dense<V>& alpha, const Fbcsr<V, I>& a, const Dense<V>& b,
                   const Dense<V>& beta, Dense<V>& x)
{
    run_spmv(exec, alpha.get_const_values(), a, b, beta.get_const_values(), x);
}

/// Calls function(subwarp size, whether blocks are larger than a warp, block rows for each block of threads, blocks of threads),
/// so that the entries of a block of threads fit its staging memory if rows are about equally long.
template <typename V, typename I, typename Function>
void divide_block_rows(const Csr<V, I>& a, int block_size, int capacity, Function function)
{
    const auto num_brows = a.get_size()[0] / block_size;
    const auto mean = a.get_num_stored_elements() / std::max<size_type>(num_brows, 1) + 1;
    const auto wanted = std::max<size_type>(capacity * 4 / 5 / mean, 1);
    select_subwarp_size(block_size, [&](auto size) {
        constexpr size_type subwarps_per_block = default_block_size / decltype(size)::value;
        const auto brows_per_block = std::min(wanted, subwarps_per_block);
        const auto num_blocks = ceildiv(num_brows, brows_per_block);
        if (decltype(size)::value == warp_size && block_size > warp_size) {
            function(std::integral_constant<int, warp_size>{}, std::true_type{}, brows_per_block, num_blocks);
        } else {
            function(size, std::false_type{}, brows_per_block, num_blocks);
        }
    });
}

template <typename V, typename I>
void count_blocks(const DeviceExecutor& exec, const Csr<V, I>& a, int block_size, I* cursors, I* counts)
{
    divide_block_rows(a, block_size, kernel::staging_capacity<I>,
                      [&](auto size, auto is_large, size_type brows_per_block, size_type num_blocks) {
                          launch_blocks(exec, kernel::count_blocks<decltype(size)::value, decltype(is_large)::value, I>,
                                        num_blocks, default_block_size, a.get_size()[0] / block_size, brows_per_block,
                                        block_size, a.get_const_row_ptrs(), a.get_const_col_idxs(), cursors, counts);
                      });
}

template <typename V, typename I>
void fill_blocks(const DeviceExecutor& exec, const Csr<V, I>& a, I* cursors, Fbcsr<V, I>& b)
{
    using T = device_type<V>;
    const auto block_size = b.get_block_size();
    divide_block_rows(a, block_size, kernel::staging_capacity<T, I>,
                      [&](auto size, auto is_large, size_type brows_per_block, size_type num_blocks) {
                          launch_blocks(
                              exec, kernel::fill_blocks<decltype(size)::value, decltype(is_large)::value, T, I>,
                              num_blocks, default_block_size, a.get_size()[0] / block_size, brows_per_block, block_size,
                              a.get_const_row_ptrs(), a.get_const_col_idxs(), as_device(a.get_const_values()), cursors,
                              b.get_const_row_ptrs(), b.get_col_idxs(), as_device(b.get_values()));
                      });
}

}  // namespace fbcsr

void register_fbcsr_blocks()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::fbcsr::spmv<V, I>.template set<DeviceExecutor>(&fbcsr::spmv<V, I>);
        kernels::fbcsr::advanced_spmv<V, I>.template set<DeviceExecutor>(&fbcsr::advanced_spmv<V, I>);
        kernels::fbcsr::count_blocks<V, I>.template set<DeviceExecutor>(&fbcsr::count_blocks<V, I>);
        kernels::fbcsr::fill_blocks<V, I>.template set<DeviceExecutor>(&fbcsr::fill_blocks<V, I>);
    });
}
