// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Conversions between Fbcsr and Csr.

namespace fbcsr {

using matrix::Csr;

namespace kernel {

/// Column indices of some rows next to each other: in shared memory, which reads them as they lie, or where they are if they do
/// not fit.
template <typename I>
struct row_columns {
    const I* cols;
    I begin;  // place 0
};

constexpr int staging_bytes = 24 * 1024;
template <typename I>
constexpr int staging_capacity = staging_bytes / static_cast<int>(sizeof(I));

template <typename I>
__device__ __forceinline__ row_columns<I> stage_columns(I begin, I end, const I* cols, int capacity, I* staged_cols)
{
    if (end - begin > capacity) {
        return {cols, I{}};
    }
    for (int i = threadIdx.x; i < end - begin; i += default_block_size) {
        staged_cols[i] = warp::load_streaming(cols + begin + i);
    }
    __syncthreads();
    return {staged_cols, begin};
}

/// The rows of a block row, through which a subwarp goes side by side, from block column to block column. A lane has a row, or
/// several where blocks are larger than a warp: their cursors are in memory.
template <int subwarp_size, bool is_large, typename I>
class block_row_walk {
public:
    using subwarp_type = group::thread_block_tile<subwarp_size>;

    /// @param row_ptrs  of the block row's first row
    __device__ __forceinline__ block_row_walk(const subwarp_type& subwarp, int block_size, const I* row_ptrs,
                                              const row_columns<I>& columns, I* cursors)
        : subwarp_{subwarp}, block_size_{block_size}, row_ptrs_{row_ptrs}, columns_{columns}, cursors_{cursors}
    {
        if constexpr (is_large) {
            for (int i = subwarp.thread_rank(); i < block_size; i += subwarp_size) {
                cursors[i] = row_ptrs[i] - columns.begin;
            }
        } else if (subwarp.thread_rank() < block_size) {
            cursor_ = row_ptrs[subwarp.thread_rank()] - columns.begin;
            end_ = row_ptrs[subwarp.thread_rank() + 1] - columns.begin;
            col_ = this->column_at(cursor_, end_);
        }
    }

    /// Whether there is another block, and its column.
    __device__ __forceinline__ bool find_next(I& block_col)
    {
        auto lowest = col_;
        if constexpr (is_large) {
            for (int i = subwarp_.thread_rank(); i < block_size_; i += subwarp_size) {
                lowest = min(lowest, this->column_at(cursors_[i], this->end_of(i)));
            }
        }
        lowest = reduce(subwarp_, lowest, [](I a, I b) { return b < a ? b : a; });
        // divisions without a sign take fewer instructions
        using U = std::make_unsigned_t<I>;
        block_col = static_cast<I>(static_cast<U>(lowest) / static_cast<U>(block_size_));
        return lowest != none;
    }

    /// Moves behind the block.
    __device__ __forceinline__ void skip(I block_col)
    {
        const auto first_col = block_col * block_size_;
        if constexpr (is_large) {
            for (int i = subwarp_.thread_rank(); i < block_size_; i += subwarp_size) {
                const auto end = this->end_of(i);
                this->skip_in_row(cursors_[i], end, this->column_at(cursors_[i], end), first_col);
            }
        } else {
            col_ = this->skip_in_row(cursor_, end_, col_, first_col);
        }
    }

private:
    static constexpr auto none = std::numeric_limits<I>::max();

    __device__ __forceinline__ I end_of(int row) const { return row_ptrs_[row + 1] - columns_.begin; }
    __device__ __forceinline__ I column_at(I cursor, I end) const
    {
        return cursor < end ? columns_.cols[cursor] : none;
    }

    /// @param col  the column at the cursor
    /// @return the column at the cursor afterwards
    __device__ __forceinline__ I skip_in_row(I& cursor, I end, I col, I first_col) const
    {
        const auto is_in_block = [&](I c) { return c - first_col < block_size_; };
        if (is_in_block(col) && block_size_ <= end - cursor && is_in_block(columns_.cols[cursor + (block_size_ - 1)])) {
            cursor += block_size_ - 1;  // a full row of the block
        }
        while (is_in_block(col)) {
            ++cursor;
            col = this->column_at(cursor, end);
        }
        return col;
    }

    subwarp_type subwarp_;
    int block_size_;
    const I* row_ptrs_;
    row_columns<I> columns_;
    I* cursors_;
    I cursor_{};
    I end_{};
    I col_{none};  // at the cursor
};

/// Where the blocks of each block row are found, and what is found: see kernels::fbcsr::find_blocks.
template <typename I>
struct block_search {
    __device__ __forceinline__ I begin_of(size_type brow) const { return row_ptrs[brow * block_size]; }
    /// Whether a block row has so many entries that a whole block of threads takes it up.
    __device__ __forceinline__ bool is_long(size_type brow) const
    {
        return this->begin_of(brow + 1) - this->begin_of(brow) > longest_walk;
    }

    size_type num_brows;
    int64 num_block_cols;
    int block_size;
    const I* row_ptrs;
    const I* col_idxs;
    I longest_walk;
    I* cursors;
    I* counts;
    I* block_cols;
};

/// Lists the blocks of a block row if all of them are full, by a warp.
/// @param row_ptrs  of the block row's first row
/// @return whether they are; else found may hold anything
template <typename I>
__device__ __forceinline__ bool list_full_blocks(const group::thread_block_tile<warp_size>& warp, int block_size,
                                                 const I* row_ptrs, const row_columns<I>& columns, I* found)
{
    using U = std::make_unsigned_t<I>;
    const auto bs = static_cast<U>(block_size);
    const auto length = static_cast<U>(row_ptrs[1] - row_ptrs[0]);
    auto is_full = length % bs == 0;
    for (int i = 1; i < block_size; ++i) {
        is_full = is_full && static_cast<U>(row_ptrs[i + 1] - row_ptrs[i]) == length;
    }
    if (!is_full) {
        return false;
    }
    const auto cols = columns.cols + (row_ptrs[0] - columns.begin);
    for (U place = warp.thread_rank(); place < length; place += warp_size) {
        const auto col = cols[place];
        for (U i = 1; i < bs; ++i) {
            is_full = is_full && cols[i * length + place] == col;
        }
        const auto block = place / bs;
        const auto j = place - block * bs;
        if (j > 0) {
            is_full = is_full && col == cols[place - j] + static_cast<I>(j);
        } else {
            const auto block_col = static_cast<U>(col) / bs;
            is_full = is_full && block_col * bs == static_cast<U>(col) && (place == 0 || cols[place - 1] < col);
            found[block] = static_cast<I>(block_col);
        }
    }
    return warp.all(is_full);
}

/// Finds the blocks of each block row that is not long, in order. Each block of threads has brows_per_block block rows, of which
/// subwarps walk through those with blocks that are not full.
template <int subwarp_size, bool is_large, typename I>
__global__ __launch_bounds__(default_block_size) void walk_block_rows(block_search<I> search, int brows_per_block)
{
    __shared__ I staged_cols[staging_capacity<I>];
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    const auto first = static_cast<size_type>(blockIdx.x) * brows_per_block;
    const auto last = min(first + brows_per_block, search.num_brows);
    const auto columns = stage_columns(search.begin_of(first), search.begin_of(last), search.col_idxs,
                                       is_large ? 0 : staging_capacity<I>, staged_cols);
    __shared__ bool is_listed[default_block_size];
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    for (size_type i = threadIdx.x / warp_size; i < last - first; i += default_block_size / warp_size) {
        const auto brow = first + i;
        const auto row_ptrs = search.row_ptrs + brow * search.block_size;
        const auto is_full =
            !is_large && !search.is_long(brow) &&
            list_full_blocks(warp, search.block_size, row_ptrs, columns, search.block_cols + search.begin_of(brow));
        if (warp.thread_rank() == 0) {
            is_listed[i] = is_full;
            if (is_full) {
                search.counts[brow] = (row_ptrs[1] - row_ptrs[0]) / search.block_size;
            }
        }
    }
    __syncthreads();
    const auto brow = first + threadIdx.x / subwarp_size;
    if (brow >= last || search.is_long(brow) || is_listed[threadIdx.x / subwarp_size]) {
        return;
    }
    const auto first_row = brow * search.block_size;
    block_row_walk<subwarp_size, is_large, I> walk{subwarp, search.block_size, search.row_ptrs + first_row, columns,
                                                   search.cursors + first_row};
    const auto found = search.block_cols + search.begin_of(brow);
    I count{};
    I block_col{};
    for (; walk.find_next(block_col); ++count) {
        if (subwarp.thread_rank() == 0) {
            found[count] = block_col;
        }
        walk.skip(block_col);
    }
    if (subwarp.thread_rank() == 0) {
        search.counts[brow] = count;
    }
}

constexpr int block_cols_at_once = 24 * 1024 * 8;

/// Finds the blocks of long block rows, from whose entries they are collected in any order. Neighbours, which are often alike, go
/// to different blocks of threads.
template <typename I>
__global__ __launch_bounds__(default_block_size) void collect_long_block_rows(block_search<I> search)
{
    __shared__ block_bit_map<block_cols_at_once> map;
    __shared__ size_type long_brows[default_block_size];
    __shared__ int num_long;
    if (threadIdx.x == 0) {
        num_long = 0;
    }
    __syncthreads();
    const auto my_brow = static_cast<size_type>(threadIdx.x) * gridDim.x + blockIdx.x;
    if (my_brow < search.num_brows && search.is_long(my_brow)) {
        long_brows[atomicAdd(&num_long, 1)] = my_brow;
    }
    __syncthreads();
    for (int i = 0; i < num_long; ++i) {
        const auto brow = long_brows[i];
        const auto begin = search.begin_of(brow);
        const auto end = search.begin_of(brow + 1);
        I count{};
        for (int64 first = 0; first < search.num_block_cols; first += block_cols_at_once) {
            const auto size = static_cast<int>(min(search.num_block_cols - first, int64{block_cols_at_once}));
            map.clear(size);
            __syncthreads();
            for (auto nz = begin + static_cast<I>(threadIdx.x); nz < end; nz += default_block_size) {
                using U = std::make_unsigned_t<I>;  // divisions without a sign take fewer instructions
                const auto block_col = static_cast<U>(search.col_idxs[nz]) / static_cast<U>(search.block_size);
                const auto number = static_cast<int64>(block_col) - first;
                if (number >= 0 && number < size) {
                    map.insert(static_cast<int>(number));
                }
            }
            __syncthreads();
            count += static_cast<I>(map.list(size, [&](uint32 place, int number) {
                search.block_cols[begin + count + place] = static_cast<I>(first + number);
            }));
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            search.counts[brow] = count;
        }
    }
}

/// The number of leading elements of the sorted cols[0], ..., cols[size - 1] that are at most col, looked for in growing steps
/// from a guess on.
template <typename I>
__device__ __forceinline__ I count_up_to(const I* cols, I size, I col, I guess)
{
    I low{};
    auto high = size;
    if (cols[guess] <= col) {
        low = guess + 1;
        for (I step = 1; step < high - low; step *= 2) {
            if (cols[low + step - 1] > col) {
                high = low + step - 1;
                break;
            }
            low += step;
        }
    } else {
        high = guess;
        for (I step = 1; step < high - low; step *= 2) {
            if (cols[high - step] <= col) {
                low = high - step + 1;
                break;
            }
            high -= step;
        }
    }
    while (low < high) {
        const auto middle = low + (high - low) / 2;
        if (cols[middle] <= col) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// The sorted entries of a row of Csr.
template <typename T, typename I>
struct row_entries {
    /// The value of the last entry in a column, or zero.
    __device__ __forceinline__ T find(I col, I guess) const
    {
        if (length == 0) {
            return T{};
        }
        const auto end = count_up_to(cols, length, col, min(guess, length - 1));
        return end > 0 && cols[end - 1] == col ? values[end - 1] : T{};
    }

    /// If the entries from a place on are those of columns first_col, ..., first_col + bs - 1, one each, copies their values to where
    /// a row of a block of bs has them.
    template <int bs>
    __device__ __forceinline__ bool copy_if_full(I first_col, I place, T* block_row) const
    {
        if (length - place < bs) {
            return false;
        }
        I found_cols[bs];
        T found[bs];
        for (int j = 0; j < bs; ++j) {
            found_cols[j] = cols[place + j];
            found[j] = values[place + j];
        }
        auto is_full = length - place == bs || cols[place + bs] != found_cols[bs - 1];
        for (int j = 0; j < bs; ++j) {
            is_full = is_full && found_cols[j] == first_col + j;
        }
        if (is_full) {
            for (int j = 0; j < bs; ++j) {
                block_row[j * bs] = found[j];
            }
        }
        return is_full;
    }

    const I* cols;
    const T* values;
    I length;
};

}  // namespace kernel

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
void find_blocks(const DeviceExecutor& exec, const Csr<V, I>& a, int block_size, I* cursors, I* counts, I* block_cols)
{
    const auto num_brows = a.get_size()[0] / block_size;
    const auto num_block_cols = a.get_size()[1] / block_size;
    // A step of a walk takes as long as a block of threads needs for some thousand columns.
    const auto longest_walk = static_cast<I>(512 + num_block_cols / 2048);
    const kernel::block_search<I> search{num_brows,
                                         static_cast<int64>(num_block_cols),
                                         block_size,
                                         a.get_const_row_ptrs(),
                                         a.get_const_col_idxs(),
                                         longest_walk,
                                         cursors,
                                         counts,
                                         block_cols};
    divide_block_rows(a, block_size, kernel::staging_capacity<I>,
                      [&](auto size, auto is_large, size_type brows_per_block, size_type num_blocks) {
                          launch_blocks(exec,
                                        kernel::walk_block_rows<decltype(size)::value, decltype(is_large)::value, I>,
                                        num_blocks, search, brows_per_block);
                      });
    launch_blocks(exec, kernel::collect_long_block_rows<I>, ceildiv(num_brows, default_block_size), search);
}

/// A thread for each row of a block, whose values it looks for in its row of a, first at the same share of the row as their columns
/// have in the row of blocks: that is right where blocks are full.
/// @param block_size  known at compile time, or not: loads of several values are under way at once if it is
/// @param brows  the block rows of b's blocks
/// @tparam U  counts the values of b; so do divisions of 32 bits
template <typename U, typename BlockSize, typename V, typename I>
void fill_values(const DeviceExecutor& exec, BlockSize block_size, const Csr<V, I>& a, const I* brows, Fbcsr<V, I>& b)
{
    using T = device_type<V>;
    run_for_each(
        exec, b.get_num_stored_blocks() * b.get_block_size(),
        [block_size, brows, row_ptrs = a.get_const_row_ptrs(), col_idxs = a.get_const_col_idxs(),
         values = as_device(a.get_const_values()), new_row_ptrs = b.get_const_row_ptrs(),
         new_col_idxs = b.get_const_col_idxs(),
         new_values = as_device(b.get_values())] SPRUCE_LAMBDA(size_type row_of_block) {
            const auto bs = static_cast<U>(block_size);
            const auto k = static_cast<U>(row_of_block) / bs;
            const auto i = static_cast<U>(row_of_block) - k * bs;
            const auto brow = static_cast<size_type>(brows[k]);
            const auto row = brow * bs + i;
            const auto begin = row_ptrs[row];
            const kernel::row_entries<T, I> entries{col_idxs + begin, values + begin, row_ptrs[row + 1] - begin};
            const auto first = static_cast<U>(new_row_ptrs[brow]);
            const auto num_cols = (static_cast<U>(new_row_ptrs[brow + 1]) - first) * bs;
            const auto share = static_cast<float>(entries.length) / static_cast<float>(num_cols);
            const auto guess = static_cast<I>(static_cast<float>((k - first) * bs) * share);
            const auto first_col = static_cast<I>(static_cast<U>(new_col_idxs[k]) * bs);
            const auto found = new_values + (static_cast<size_type>(k) * bs * bs + i);
            if constexpr (!std::is_same_v<BlockSize, int>) {
                if (entries.template copy_if_full<BlockSize::value>(first_col, guess, found)) {
                    return;
                }
            }
            for (I j = 0; j < static_cast<I>(bs); ++j) {
                found[static_cast<size_type>(j) * bs] = entries.find(first_col + j, guess + j);
            }
        });
}

template <typename V, typename I>
void fill_blocks(const DeviceExecutor& exec, const Csr<V, I>& a, const I* block_cols, Fbcsr<V, I>& b)
{
    const auto num_blocks = b.get_num_stored_blocks();
    array<I> brows{exec.shared_from_this(), num_blocks};
    run_for_each_nonzero(
        exec, b.get_const_row_ptrs(), static_cast<size_type>(b.get_num_block_rows()), num_blocks,
        [block_cols, bs = b.get_block_size(), row_ptrs = a.get_const_row_ptrs(), new_row_ptrs = b.get_const_row_ptrs(),
         new_col_idxs = b.get_col_idxs(), brows = brows.get_data()] SPRUCE_LAMBDA(size_type brow, size_type k) {
            const auto place = static_cast<I>(k) - new_row_ptrs[brow];
            new_col_idxs[k] = block_cols[row_ptrs[brow * bs] + place];
            brows[k] = static_cast<I>(brow);
        });
    if (b.get_num_stored_elements() <= std::numeric_limits<uint32>::max()) {
        with_block_size(b.get_block_size(),
                        [&](auto block_size) { fill_values<uint32>(exec, block_size, a, brows.get_const_data(), b); });
    } else {
        fill_values<size_type>(exec, b.get_block_size(), a, brows.get_const_data(), b);
    }
}

template <typename V, typename I>
void convert_to_csr(const DeviceExecutor& exec, const Fbcsr<V, I>& a, Csr<V, I>& b)
{
    // Numbers of entries fit I, and where that has 32 bits, divisions take a fraction of the time.
    using U = std::make_unsigned_t<I>;
    const auto bs = static_cast<U>(a.get_block_size());
    const auto num_rows = b.get_size()[0];
    const auto nnz = b.get_num_stored_elements();
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto new_row_ptrs = b.get_row_ptrs();
    run_for_each(exec, num_rows + 1, [=] SPRUCE_LAMBDA(size_type row) {
        if (row == num_rows) {
            new_row_ptrs[row] = static_cast<I>(nnz);
            return;
        }
        const auto brow = static_cast<U>(row) / bs;
        const auto begin = static_cast<U>(row_ptrs[brow]);
        const auto end = static_cast<U>(row_ptrs[brow + 1]);
        new_row_ptrs[row] = static_cast<I>((begin * bs + (static_cast<U>(row) - brow * bs) * (end - begin)) * bs);
    });
    run_for_each_nonzero(exec, new_row_ptrs, num_rows, nnz,
                         [bs, row_ptrs, new_row_ptrs, col_idxs = a.get_const_col_idxs(),
                          values = as_device(a.get_const_values()), new_col_idxs = b.get_col_idxs(),
                          new_values = as_device(b.get_values())] SPRUCE_LAMBDA(size_type row, size_type nz) {
                             const auto brow = static_cast<U>(row) / bs;
                             const auto i = static_cast<U>(row) - brow * bs;
                             const auto place = static_cast<U>(nz) - static_cast<U>(new_row_ptrs[row]);  // in the row
                             const auto block = place / bs;
                             const auto j = place - block * bs;
                             const auto k = static_cast<U>(row_ptrs[brow]) + block;
                             new_col_idxs[nz] = static_cast<I>(static_cast<U>(col_idxs[k]) * bs + j);
                             new_values[nz] = values[(k * bs + j) * bs + i];
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
        kernels::fbcsr::find_blocks<V, I>.template set<DeviceExecutor>(&fbcsr::find_blocks<V, I>);
        kernels::fbcsr::fill_blocks<V, I>.template set<DeviceExecutor>(&fbcsr::fill_blocks<V, I>);
        kernels::fbcsr::convert_to_csr<V, I>.template set<DeviceExecutor>(&fbcsr::convert_to_csr<V, I>);
    });
}
