// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Products of sparse matrices row by row, in two phases: count the columns of each row, then find columns and values. Rows
// are binned by how many columns they may have; each bin has a hash table of its own size (Nagasaka, Nukada and Matsuoka
// 2017; Deveci, Trott and Rajamanickam 2018), in shared memory except for the longest rows.
//
// Values are added without atomics and in a fixed order: a subwarp takes up one row of b after the other, whose columns are
// distinct, so that no two lanes add to the same sum between two barriers. In rows that a block works on, the warps take up
// a row of b each and add one after the other.

namespace csr {

using matrix::Csr;
using matrix::Dense;

namespace spgemm {

template <typename I>
constexpr I no_column = static_cast<I>(~uint64{} >> (65 - 8 * sizeof(I)));  // the largest, so that it sorts to the end

/// Rows of up to capacity columns, by subwarps with table_size slots each.
template <int table_size_, int subwarp_size_>
struct short_rows {
    static constexpr int table_size = table_size_;
    static constexpr int subwarp_size = subwarp_size_;
    static constexpr int capacity = table_size / 4 * 3;
};
using bin_0 = short_rows<64, 8>;
using bin_1 = short_rows<256, 16>;
constexpr int num_bins = 4;

constexpr int floor_power_of_two(int value) { return value < 2 ? 1 : 2 * floor_power_of_two(value / 2); }
constexpr int shared_bytes = 32 * 1024;
/// Slots of a table that fills a block's shared memory.
template <typename Slot>
constexpr int block_table_size = floor_power_of_two(shared_bytes / static_cast<int>(sizeof(Slot)));
template <typename I, typename T>
struct slot {
    I key;
    T value;
};
/// How many tables of a bin fit a block.
template <typename Bin, int slot_size>
constexpr int rows_per_block = floor_power_of_two(std::min(default_block_size / Bin::subwarp_size,
                                                           shared_bytes / (Bin::table_size * slot_size)));

/// Sparse matrices and factors in c = alpha a b + beta d, as kernels see them. Without d its row pointers are null.
template <typename T, typename I>
struct operand {
    const I* row_ptrs;
    const I* col_idxs;
    const T* values;
};
template <typename T, typename I>
struct operands {
    operand<T, I> a;
    operand<T, I> b;
    operand<T, I> d;
    const T* alpha;
    const T* beta;
    size_type num_rows;
    I num_cols;
};
template <typename T, typename I>
struct result {
    const I* row_ptrs;
    I* col_idxs;
    T* values;
};

template <typename V, typename I>
operand<device_type<V>, I> operand_of(const Csr<V, I>& m)
{
    return {m.get_const_row_ptrs(), m.get_const_col_idxs(), as_device(m.get_const_values())};
}
template <typename V, typename I>
operands<device_type<V>, I> operands_of(const Dense<V>* alpha, const Csr<V, I>& a, const Csr<V, I>& b,
                                        const Dense<V>* beta, const Csr<V, I>* d)
{
    return {operand_of(a),
            operand_of(b),
            d ? operand_of(*d) : operand<device_type<V>, I>{},
            alpha ? as_device(alpha->get_const_values()) : nullptr,
            beta ? as_device(beta->get_const_values()) : nullptr,
            a.get_size()[0],
            static_cast<I>(b.get_size()[1])};
}

/// The slot of the key, which is put into the table if it is not there. The table has a free slot or the key.
template <typename I>
__device__ __forceinline__ int64 insert(I* keys, uint64 table_size, I key, bool& is_new)
{
    // Fibonacci hashing (Knuth, volume 3, section 6.4), with one multiplication of the hardware.
    auto slot = (static_cast<uint64>(static_cast<uint32>(key)) * 0x9e3779b1u >> 16) & (table_size - 1);
    while (true) {
        const auto found = atomic_cas(keys + slot, no_column<I>, key);
        is_new = found == no_column<I>;
        if (is_new || found == key) {
            return static_cast<int64>(slot);
        }
        slot = (slot + 1) & (table_size - 1);
    }
}

/// The place of the key in keys[0, ..., size - 1], which are in order; -1 if it is not there.
template <typename I>
__device__ __forceinline__ int64 search(const I* keys, I size, I key)
{
    I low = 0;
    I high = size;
    while (low < high) {
        const auto middle = (low + high) / 2;
        if (keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < size && keys[low] == key ? low : -1;
}

namespace kernel {

/// bounds[row] = number of products in the row, but not more than there are columns
template <int subwarp_size, typename I>
__global__ __launch_bounds__(default_block_size) void bound_rows(
    size_type num_rows, int64 num_cols, const I* __restrict__ a_row_ptrs, const I* __restrict__ a_cols,
    const I* __restrict__ b_row_ptrs, const I* __restrict__ d_row_ptrs, I* __restrict__ bounds)
{
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    const auto row = global_subwarp_id<subwarp_size>();
    if (row >= num_rows) {
        return;
    }
    int64 sum{};
    for (auto nz = a_row_ptrs[row] + subwarp.thread_rank(); nz < a_row_ptrs[row + 1]; nz += subwarp_size) {
        const auto col = a_cols[nz];
        sum += b_row_ptrs[col + 1] - b_row_ptrs[col];
    }
    sum = reduce_add(subwarp, sum);
    if (subwarp.thread_rank() == 0) {
        if (d_row_ptrs) {
            sum += d_row_ptrs[row + 1] - d_row_ptrs[row];
        }
        bounds[row] = static_cast<I>(min(sum, num_cols));
    }
}

/// How many rows are in each bin.
struct bin_counts {
    uint64 words[num_bins];

    __device__ friend bin_counts operator+(bin_counts a, const bin_counts& b)
    {
        for (int bin = 0; bin < num_bins; ++bin) {
            a.words[bin] += b.words[bin];
        }
        return a;
    }
    __device__ friend bin_counts operator-(bin_counts a, const bin_counts& b)
    {
        for (int bin = 0; bin < num_bins; ++bin) {
            a.words[bin] -= b.words[bin];
        }
        return a;
    }
};

struct bin_limits {
    int64 largest[num_bins - 1];

    __device__ int bin_of(int64 size) const
    {
        int bin = 0;
        while (bin < num_bins - 1 && size > largest[bin]) {
            ++bin;
        }
        return bin;
    }
};

/// counts[bin * gridDim.x + block] = the block's rows in the bin; gridDim.x blocks of default_block_size rows
template <typename I>
__global__ __launch_bounds__(default_block_size) void count_bins(size_type num_rows, const I* sizes, bin_limits limits,
                                                                 int64* counts)
{
    __shared__ bin_counts scratch[default_block_size / warp_size];
    const auto row = global_thread_id();
    bin_counts mine{};
    if (row < num_rows) {
        mine.words[limits.bin_of(sizes[row])] = 1;
    }
    const auto sum = block_reduce_add<default_block_size>(mine, scratch);
    if (threadIdx.x < num_bins) {
        counts[threadIdx.x * gridDim.x + blockIdx.x] = static_cast<int64>(sum.words[threadIdx.x]);
    }
}

/// Lists the rows bin by bin, in order within each, where starts is the prefix sum of the counts above.
template <typename I>
__global__ __launch_bounds__(default_block_size) void list_bins(size_type num_rows, const I* sizes, bin_limits limits,
                                                                const int64* starts, I* rows)
{
    __shared__ bin_counts scratch[default_block_size / warp_size];
    const auto row = global_thread_id();
    bin_counts mine{};
    const auto bin = row < num_rows ? limits.bin_of(sizes[row]) : 0;
    if (row < num_rows) {
        mine.words[bin] = 1;
    }
    bin_counts total{};
    const auto before = block_exclusive_scan<default_block_size>(mine, scratch, total);
    if (row < num_rows) {
        rows[starts[bin * gridDim.x + blockIdx.x] + static_cast<int64>(before.words[bin])] = static_cast<I>(row);
    }
}

template <typename Bin, typename I>
__global__ __launch_bounds__(default_block_size) void count_short(const I* __restrict__ rows, size_type num_rows,
                                                                  operand<void, I> a, operand<void, I> b,
                                                                  operand<void, I> d, I* counts)
{
    constexpr int subwarp_size = Bin::subwarp_size;
    constexpr int num_tables = rows_per_block<Bin, sizeof(I)>;
    __shared__ I tables[num_tables * Bin::table_size];
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    const auto index = global_subwarp_id<subwarp_size>();
    if (index >= num_rows) {
        return;
    }
    const auto lane = subwarp.thread_rank();
    const auto row = rows[index];
    const auto keys = tables + threadIdx.x / subwarp_size * Bin::table_size;
    for (int i = lane; i < Bin::table_size; i += subwarp_size) {
        keys[i] = no_column<I>;
    }
    subwarp.sync();
    I count{};
    const auto insert_columns = [&](const operand<void, I>& from, I begin, I end) {
        for (auto nz = begin + lane; nz < end; nz += subwarp_size) {
            bool is_new{};
            insert(keys, Bin::table_size, from.col_idxs[nz], is_new);
            count += is_new ? 1 : 0;
        }
    };
    if (d.row_ptrs) {
        insert_columns(d, d.row_ptrs[row], d.row_ptrs[row + 1]);
    }
    const auto end = a.row_ptrs[row + 1];
    for (auto first = a.row_ptrs[row]; first < end; first += subwarp_size) {
        // Each lane looks up one row of b.
        const auto mine = first + lane;
        const auto col = mine < end ? a.col_idxs[mine] : I{};
        const auto b_begin = mine < end ? b.row_ptrs[col] : I{};
        const auto b_end = mine < end ? b.row_ptrs[col + 1] : I{};
        const auto num = static_cast<int>(min(static_cast<I>(subwarp_size), end - first));
        for (int i = 0; i < num; ++i) {
            insert_columns(b, subwarp.shfl(b_begin, i), subwarp.shfl(b_end, i));
        }
    }
    count = reduce_add(subwarp, count);
    if (lane == 0) {
        counts[row] = count;
    }
}

/// A block for each row, with a table in shared memory, or with one for each block in global memory.
template <bool is_shared, typename I>
__global__ __launch_bounds__(default_block_size) void count_long(const I* __restrict__ rows, size_type num_rows,
                                                                 operand<void, I> a, operand<void, I> b,
                                                                 operand<void, I> d, const I* __restrict__ bounds,
                                                                 I* global_tables, size_type global_table_size,
                                                                 I* counts)
{
    constexpr int shared_size = is_shared ? block_table_size<I> : 1;
    __shared__ I shared_keys[shared_size];
    __shared__ uint64 scratch[default_block_size / warp_size];
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto keys = is_shared ? shared_keys : global_tables + blockIdx.x * global_table_size;
    for (auto index = static_cast<size_type>(blockIdx.x); index < num_rows; index += gridDim.x) {
        const auto row = rows[index];
        uint64 table_size = shared_size;
        if (!is_shared) {
            table_size = 2;
            while (table_size < static_cast<uint64>(bounds[row])) {
                table_size *= 2;
            }
            table_size *= 2;
        }
        __syncthreads();
        for (uint64 i = threadIdx.x; i < table_size; i += default_block_size) {
            keys[i] = no_column<I>;
        }
        __syncthreads();
        uint64 count{};
        const auto insert_columns = [&](const operand<void, I>& from, I begin, I end, int rank, int size) {
            for (auto nz = begin + rank; nz < end; nz += size) {
                bool is_new{};
                insert(keys, table_size, from.col_idxs[nz], is_new);
                count += is_new ? 1 : 0;
            }
        };
        if (d.row_ptrs) {
            insert_columns(d, d.row_ptrs[row], d.row_ptrs[row + 1], static_cast<int>(threadIdx.x), default_block_size);
        }
        for (auto nz = a.row_ptrs[row] + static_cast<I>(threadIdx.x / warp_size); nz < a.row_ptrs[row + 1];
             nz += default_block_size / warp_size) {
            const auto col = a.col_idxs[nz];
            insert_columns(b, b.row_ptrs[col], b.row_ptrs[col + 1], warp.thread_rank(), warp_size);
        }
        count = block_reduce_add<default_block_size>(count, scratch);
        if (threadIdx.x == 0) {
            counts[row] = static_cast<I>(count);
        }
    }
}

/// Sorts the first num_keys keys of the table, which are distinct, with their values, into the result.
template <typename Group, typename T, typename I>
__device__ __forceinline__ void write_in_order(const Group& subwarp, const I* keys, const T* values, int num_keys,
                                               I* col_idxs, T* results)
{
    for (int i = subwarp.thread_rank(); i < num_keys; i += subwarp.size()) {
        const auto key = keys[i];
        int rank = 0;
        for (int j = 0; j < num_keys; ++j) {
            rank += keys[j] < key ? 1 : 0;
        }
        col_idxs[rank] = key;
        results[rank] = values[i];
    }
}

/// Moves the keys that are there to the front, with their values.
template <int table_size, typename Group, typename T, typename I>
__device__ __forceinline__ int compact(const Group& subwarp, I* keys, T* values)
{
    const auto lane = subwarp.thread_rank();
    int num_keys = 0;
    for (int first = 0; first < table_size; first += subwarp.size()) {
        const auto key = keys[first + lane];
        const auto value = values[first + lane];
        const auto there = subwarp.ballot(key != no_column<I>);
        const auto before = warp::popcnt(there & ((lane_mask_type{1} << lane) - 1));
        subwarp.sync();  // all have read
        if (key != no_column<I>) {
            keys[num_keys + before] = key;
            values[num_keys + before] = value;
        }
        num_keys += warp::popcnt(there);
        subwarp.sync();
    }
    return num_keys;
}

/// @tparam is_known  the columns are there already, in order
template <typename Bin, bool is_known, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void fill_short(const I* __restrict__ rows, size_type num_rows,
                                                                 operands<T, I> in, result<T, I> c)
{
    constexpr int subwarp_size = Bin::subwarp_size;
    constexpr int num_tables = rows_per_block<Bin, sizeof(T) + sizeof(I)>;
    __shared__ T value_tables[num_tables * Bin::table_size];
    __shared__ I key_tables[num_tables * Bin::table_size];
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    const auto index = global_subwarp_id<subwarp_size>();
    if (index >= num_rows) {
        return;
    }
    const auto lane = subwarp.thread_rank();
    const auto row = rows[index];
    const auto keys = key_tables + threadIdx.x / subwarp_size * Bin::table_size;
    const auto values = value_tables + threadIdx.x / subwarp_size * Bin::table_size;
    const auto c_begin = c.row_ptrs[row];
    const auto c_size = static_cast<int>(c.row_ptrs[row + 1] - c_begin);
    const auto num_slots = is_known ? c_size : Bin::table_size;
    for (int i = lane; i < num_slots; i += subwarp_size) {
        keys[i] = is_known ? c.col_idxs[c_begin + i] : no_column<I>;
        values[i] = T{};
    }
    subwarp.sync();
    const auto add_row = [&](bool counts, T coefficient, const operand<T, I>& from, I begin, I end) {
        for (auto nz = begin + lane; nz < end; nz += subwarp_size) {
            bool is_new{};
            const auto key = from.col_idxs[nz];
            const auto slot = static_cast<int>(is_known ? search(keys, static_cast<I>(c_size), key)
                                                        : insert(keys, Bin::table_size, key, is_new));
            if (counts && slot >= 0) {
                values[slot] += coefficient * from.values[nz];
            }
        }
        subwarp.sync();
    };
    if (in.d.row_ptrs) {
        add_row(!is_zero(*in.beta), *in.beta, in.d, in.d.row_ptrs[row], in.d.row_ptrs[row + 1]);
    }
    const auto alpha = in.alpha ? *in.alpha : T(1);
    const auto end = in.a.row_ptrs[row + 1];
    for (auto first = in.a.row_ptrs[row]; first < end; first += subwarp_size) {
        // Each lane looks up one row of b.
        const auto mine = first + lane;
        const auto col = mine < end ? in.a.col_idxs[mine] : I{};
        const auto b_begin = mine < end ? in.b.row_ptrs[col] : I{};
        const auto b_end = mine < end ? in.b.row_ptrs[col + 1] : I{};
        const auto coefficient = mine < end ? alpha * in.a.values[mine] : T{};
        const auto num = static_cast<int>(min(static_cast<I>(subwarp_size), end - first));
        for (int i = 0; i < num; ++i) {
            add_row(!is_zero(alpha), subwarp.shfl(coefficient, i), in.b, subwarp.shfl(b_begin, i),
                    subwarp.shfl(b_end, i));
        }
    }
    if (is_known) {
        for (int i = lane; i < c_size; i += subwarp_size) {
            c.values[c_begin + i] = values[i];
        }
    } else {
        const auto num_keys = compact<Bin::table_size>(subwarp, keys, values);
        write_in_order(subwarp, keys, values, num_keys, c.col_idxs + c_begin, c.values + c_begin);
    }
}

/// Bitonic sort of a table in shared memory (Batcher 1968).
template <int table_size, typename T, typename I>
__device__ __forceinline__ void sort_table(I* keys, T* values)
{
    for (int size = 2; size <= table_size; size *= 2) {
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            for (int i = threadIdx.x; i < table_size / 2; i += default_block_size) {
                const auto low = 2 * i - (i & (step - 1));
                const auto high = low + step;
                const auto is_ascending = (low & size) == 0;
                if ((keys[low] > keys[high]) == is_ascending) {
                    const auto key = keys[low];
                    keys[low] = keys[high];
                    keys[high] = key;
                    const auto value = values[low];
                    values[low] = values[high];
                    values[high] = value;
                }
            }
        }
    }
    __syncthreads();
}

/// A block for each row. With tables in global memory the columns of new rows are in no order yet; known ones serve as
/// the table.
template <bool is_shared, bool is_known, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void fill_long(const I* __restrict__ rows, size_type num_rows,
                                                                operands<T, I> in, result<T, I> c, I* global_keys,
                                                                T* global_values, size_type global_table_size)
{
    constexpr int num_warps = default_block_size / warp_size;
    constexpr int shared_size = is_shared ? block_table_size<slot<I, T>> : 1;
    __shared__ T shared_values[shared_size];
    __shared__ I shared_keys[shared_size];
    __shared__ uint32 scratch[num_warps];
    __shared__ int num_chunks[num_warps];
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto warp_id = static_cast<int>(threadIdx.x) / warp_size;
    for (auto index = static_cast<size_type>(blockIdx.x); index < num_rows; index += gridDim.x) {
        const auto row = rows[index];
        const auto c_begin = c.row_ptrs[row];
        const auto c_size = c.row_ptrs[row + 1] - c_begin;
        auto keys = shared_keys;
        auto values = shared_values;
        uint64 table_size = shared_size;
        if (!is_shared) {
            keys = is_known ? c.col_idxs + c_begin : global_keys + blockIdx.x * global_table_size;
            values = is_known ? c.values + c_begin : global_values + blockIdx.x * global_table_size;
            table_size = 2;
            while (table_size < static_cast<uint64>(c_size)) {
                table_size *= 2;
            }
            table_size *= 2;
        }
        const auto num_slots = is_known ? static_cast<uint64>(c_size) : table_size;
        __syncthreads();  // the row before is done with
        for (uint64 i = threadIdx.x; i < num_slots; i += default_block_size) {
            if (is_shared || !is_known) {
                keys[i] = is_known ? c.col_idxs[c_begin + i] : no_column<I>;
            }
            values[i] = T{};
        }
        __syncthreads();
        const auto find = [&](I key) {
            bool is_new{};
            return is_known ? search(keys, c_size, key) : insert(keys, table_size, key, is_new);
        };
        if (in.d.row_ptrs) {
            const auto counts = !is_zero(*in.beta);
            for (auto nz = in.d.row_ptrs[row] + static_cast<I>(threadIdx.x); nz < in.d.row_ptrs[row + 1];
                 nz += default_block_size) {
                const auto slot = find(in.d.col_idxs[nz]);
                if (counts && slot >= 0) {
                    values[slot] += *in.beta * in.d.values[nz];
                }
            }
        }
        const auto alpha = in.alpha ? *in.alpha : T(1);
        for (auto first = in.a.row_ptrs[row]; first < in.a.row_ptrs[row + 1]; first += num_warps) {
            const auto mine = first + warp_id;
            const auto is_mine = mine < in.a.row_ptrs[row + 1];
            const auto col = is_mine ? in.a.col_idxs[mine] : I{};
            const auto b_begin = is_mine ? in.b.row_ptrs[col] : I{};
            const auto b_end = is_mine ? in.b.row_ptrs[col + 1] : I{};
            const auto coefficient = is_mine ? alpha * in.a.values[mine] : T{};
            __syncthreads();
            if (warp.thread_rank() == 0) {
                num_chunks[warp_id] = static_cast<int>((b_end - b_begin + (warp_size - 1)) / warp_size);
            }
            __syncthreads();
            int most_chunks = 0;
            for (int i = 0; i < num_warps; ++i) {
                most_chunks = max(most_chunks, num_chunks[i]);
            }
            for (int chunk = 0; chunk < most_chunks; ++chunk) {
                const auto nz = b_begin + static_cast<I>(chunk) * warp_size + warp.thread_rank();
                const auto slot = nz < b_end ? find(in.b.col_idxs[nz]) : int64{-1};
                const auto product = nz < b_end ? coefficient * in.b.values[nz] : T{};
                for (int turn = 0; turn < num_warps; ++turn) {
                    if (chunk < num_chunks[turn]) {  // for the whole block alike
                        __syncthreads();
                        if (turn == warp_id && slot >= 0 && !is_zero(alpha)) {
                            values[slot] += product;
                        }
                    }
                }
            }
        }
        __syncthreads();
        if (is_known) {
            if (is_shared) {
                for (I i = threadIdx.x; i < c_size; i += default_block_size) {
                    c.values[c_begin + i] = values[i];
                }
            }
        } else if (is_shared) {
            sort_table<shared_size>(keys, values);
            for (I i = threadIdx.x; i < c_size; i += default_block_size) {
                c.col_idxs[c_begin + i] = keys[i];
                c.values[c_begin + i] = values[i];
            }
        } else {
            auto next = c_begin;
            for (uint64 first = 0; first < table_size; first += default_block_size) {
                const auto i = first + threadIdx.x;
                const auto is_there = i < table_size && keys[i] != no_column<I>;
                uint32 total{};
                const auto before =
                    block_exclusive_scan<default_block_size>(static_cast<uint32>(is_there ? 1 : 0), scratch, total);
                if (is_there) {
                    c.col_idxs[next + before] = keys[i];
                    c.values[next + before] = values[i];
                }
                next += total;
            }
        }
    }
}

}  // namespace kernel

/// The rows of each bin, one bin after the other.
template <typename I>
struct binned_rows {
    array<I> list;
    std::vector<int64> begins;

    size_type size(int bin) const { return static_cast<size_type>(begins[bin + 1] - begins[bin]); }
    const I* rows(int bin) const { return list.get_const_data() + begins[bin]; }
};

template <typename I>
binned_rows<I> bin_rows(const DeviceExecutor& exec, const I* sizes, size_type num_rows,
                        const kernel::bin_limits& limits)
{
    const auto shared_exec = exec.shared_from_this();
    const auto num_blocks = (num_rows + default_block_size - 1) / default_block_size;
    array<int64> counts{shared_exec, num_bins * num_blocks + 1};
    launch(exec, kernel::count_bins<I>, num_rows, num_rows, sizes, limits, counts.get_data());
    kernels::components::prefix_sum<int64>(exec, counts.get_data(), counts.get_size());
    array<int64> begins{shared_exec, num_bins + 1};
    run_for_each(exec, num_bins + 1,
                 [begins = begins.get_data(), counts = counts.get_const_data(),
                  num_blocks] SPRUCE_LAMBDA(size_type bin) { begins[bin] = counts[bin * num_blocks]; });
    binned_rows<I> result{array<I>{shared_exec, num_rows}, begins.copy_to_host()};
    launch(exec, kernel::list_bins<I>, num_rows, num_rows, sizes, limits, counts.get_const_data(),
           result.list.get_data());
    return result;
}

/// Tables in global memory for blocks that work on rows at the same time: as many as fit the budget, at least one.
inline size_type num_global_tables(const DeviceExecutor& exec, size_type num_rows, size_type bytes_per_table,
                                   size_type budget)
{
    const auto most = std::min<size_type>(num_rows, 2 * exec.get_num_multiprocessor());
    return std::max<size_type>(1, std::min(most, budget / bytes_per_table));
}

inline size_type global_table_size(size_type longest_row)
{
    size_type size = 2;
    while (size < longest_row) {
        size *= 2;
    }
    return 2 * size;
}

template <typename Bin, typename I, typename... Args>
void launch_short(const DeviceExecutor& exec, void (*function)(const I*, size_type, Args...), int num_tables,
                  const binned_rows<I>& bins, int bin, const std::common_type_t<Args>&... args)
{
    const auto num_rows = bins.size(bin);
    launch_blocks(exec, function, (num_rows + num_tables - 1) / num_tables, num_tables * Bin::subwarp_size,
                  bins.rows(bin), num_rows, args...);
}

template <typename V, typename I, bool is_known>
void fill(const DeviceExecutor& exec, const operands<device_type<V>, I>& in, Csr<V, I>& c)
{
    using T = device_type<V>;
    constexpr int table_size = block_table_size<slot<I, T>>;
    const auto shared_exec = exec.shared_from_this();
    const auto num_rows = in.num_rows;
    array<I> sizes{shared_exec, num_rows};
    run_for_each(exec, num_rows,
                 [sizes = sizes.get_data(), row_ptrs = c.get_const_row_ptrs()] SPRUCE_LAMBDA(size_type row) {
                     sizes[row] = row_ptrs[row + 1] - row_ptrs[row];
                 });
    const auto bins = bin_rows(exec, sizes.get_const_data(), num_rows,
                               kernel::bin_limits{{bin_0::capacity, bin_1::capacity, table_size / 4 * 3}});
    const result<T, I> out{c.get_const_row_ptrs(), c.get_col_idxs(), as_device(c.get_values())};
    constexpr int slot_size = sizeof(T) + sizeof(I);
    launch_short<bin_0>(exec, kernel::fill_short<bin_0, is_known, T, I>, rows_per_block<bin_0, slot_size>, bins, 0, in,
                        out);
    launch_short<bin_1>(exec, kernel::fill_short<bin_1, is_known, T, I>, rows_per_block<bin_1, slot_size>, bins, 1, in,
                        out);
    launch_blocks(exec, kernel::fill_long<true, is_known, T, I>, bins.size(2), default_block_size, bins.rows(2),
                  bins.size(2), in, out, nullptr, nullptr, 0);
    if (bins.size(3) == 0) {
        return;
    }
    if (is_known) {
        launch_blocks(exec, kernel::fill_long<false, true, T, I>, bins.size(3), default_block_size, bins.rows(3),
                      bins.size(3), in, out, nullptr, nullptr, 0);
        return;
    }
    size_type longest{};
    kernels::csr::longest_row<I>(exec, c.get_const_row_ptrs(), num_rows, longest);
    const auto size = global_table_size(longest);
    const auto num_tables =
        num_global_tables(exec, bins.size(3), size * slot_size, c.get_num_stored_elements() * slot_size);
    array<I> keys{shared_exec, num_tables * size};
    array<V> values{shared_exec, num_tables * size};
    launch_blocks(exec, kernel::fill_long<false, false, T, I>, num_tables, default_block_size, bins.rows(3),
                  bins.size(3), in, out, keys.get_data(), as_device(values.get_data()), size);
    kernels::csr::sort_by_column_index<V, I>(exec, c);
}

}  // namespace spgemm

template <typename V, typename I>
void spgemm_count(const DeviceExecutor& exec, const Csr<V, I>& a, const Csr<V, I>& b, const Csr<V, I>* d, I* counts)
{
    using namespace spgemm;
    const auto shared_exec = exec.shared_from_this();
    const auto num_rows = a.get_size()[0];
    const operand<void, I> left{a.get_const_row_ptrs(), a.get_const_col_idxs(), nullptr};
    const operand<void, I> right{b.get_const_row_ptrs(), b.get_const_col_idxs(), nullptr};
    const auto added =
        d ? operand<void, I>{d->get_const_row_ptrs(), d->get_const_col_idxs(), nullptr} : operand<void, I>{};

    array<I> bounds{shared_exec, num_rows};
    const auto mean = a.get_num_stored_elements() / std::max<size_type>(1, num_rows) + 1;
    select_subwarp_size(mean / 2, [&](auto size) {
        constexpr int subwarp_size = decltype(size)::value;
        launch(exec, kernel::bound_rows<subwarp_size, I>, num_rows * subwarp_size, num_rows,
               static_cast<int64>(b.get_size()[1]), left.row_ptrs, left.col_idxs, right.row_ptrs, added.row_ptrs,
               bounds.get_data());
    });
    // Rows have mostly far fewer columns than products, so tables may be filled by the bound.
    const auto bins = bin_rows(exec, bounds.get_const_data(), num_rows,
                               kernel::bin_limits{{bin_0::table_size, bin_1::table_size, block_table_size<I>}});
    launch_short<bin_0>(exec, kernel::count_short<bin_0, I>, rows_per_block<bin_0, sizeof(I)>, bins, 0, left, right,
                        added, counts);
    launch_short<bin_1>(exec, kernel::count_short<bin_1, I>, rows_per_block<bin_1, sizeof(I)>, bins, 1, left, right,
                        added, counts);
    launch_blocks(exec, kernel::count_long<true, I>, bins.size(2), default_block_size, bins.rows(2), bins.size(2), left,
                  right, added, bounds.get_const_data(), nullptr, 0, counts);
    if (bins.size(3) > 0) {
        const auto size = global_table_size(b.get_size()[1]);
        const auto budget = (a.get_num_stored_elements() + b.get_num_stored_elements()) * (sizeof(V) + sizeof(I));
        const auto num_tables = num_global_tables(exec, bins.size(3), size * sizeof(I), budget);
        array<I> tables{shared_exec, num_tables * size};
        launch_blocks(exec, kernel::count_long<false, I>, num_tables, default_block_size, bins.rows(3), bins.size(3),
                      left, right, added, bounds.get_const_data(), tables.get_data(), size, counts);
    }
}

template <typename V, typename I>
void spgemm_fill(const DeviceExecutor& exec, const Dense<V>* alpha, const Csr<V, I>& a, const Csr<V, I>& b,
                 const Dense<V>* beta, const Csr<V, I>* d, Csr<V, I>& c)
{
    spgemm::fill<V, I, false>(exec, spgemm::operands_of(alpha, a, b, beta, d), c);
}

template <typename V, typename I>
void spgemm_values(const DeviceExecutor& exec, const Dense<V>* alpha, const Csr<V, I>& a, const Csr<V, I>& b,
                   const Dense<V>* beta, const Csr<V, I>* d, Csr<V, I>& c)
{
    spgemm::fill<V, I, true>(exec, spgemm::operands_of(alpha, a, b, beta, d), c);
}

}  // namespace csr

void register_csr_spgemm()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::csr::spgemm_count<V, I>.template set<DeviceExecutor>(&csr::spgemm_count<V, I>);
        kernels::csr::spgemm_fill<V, I>.template set<DeviceExecutor>(&csr::spgemm_fill<V, I>);
        kernels::csr::spgemm_values<V, I>.template set<DeviceExecutor>(&csr::spgemm_values<V, I>);
    });
}
