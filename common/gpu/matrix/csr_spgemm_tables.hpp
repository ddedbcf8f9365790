// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Multiplies sparse matrices row by row, in two phases: the first counts the columns of each row,
// the second finds columns and values. Rows are binned by an upper bound of their number of
// columns. Each bin has a hash table of its own size in shared memory, except the bin of the
// longest rows (Nagasaka, Nukada and Matsuoka 2017; Deveci, Trott and Rajamanickam 2018).
//
// Values are added without atomics and in a fixed order. A subwarp processes the rows of b one
// after the other. The columns of a row are distinct, so that no two lanes add to one sum between
// two barriers. In rows that have a block, each warp has one row of b, and the warps add one after
// the other.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/components/bit_map.hpp"
#include "core/components/array_kernels.hpp"
#include "core/matrix/csr_algebra_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace csr {

using matrix::Csr;
using matrix::Dense;

namespace spgemm {

template <typename I>
constexpr I no_column = static_cast<I>(~uint64{} >> (65 - 8 * sizeof(I)));  // the largest: sorted to the end

/// Describes rows of up to capacity columns, whose subwarps have tables of table_size slots.
template <int table_size_, int subwarp_size_>
struct short_rows {
    static constexpr int table_size = table_size_;
    static constexpr int subwarp_size = subwarp_size_;
    static constexpr int capacity = table_size / 4 * 3;
    /// Distance between tables. It lets the subwarps of a warp read different banks of shared
    /// memory.
    static constexpr int stride = table_size + subwarp_size;
};
/// Describes rows of so few columns that a thread lists them. The odd distance between lists lets
/// the threads of a warp read different banks of shared memory.
template <int capacity_>
struct tiny_rows {
    static constexpr int subwarp_size = 1;
    static constexpr int capacity = capacity_;
    static constexpr int stride = capacity / 2 * 2 + 1;
    static_assert(stride >= capacity);
    /// Entries of a in such a row, at most.
    static constexpr int max_entries = 16;
};
/// Tiny rows when columns are counted, and when they are filled in (doc/tuning/csr.md).
using counted_bin_0 = tiny_rows<16>;
using filled_bin_0 = tiny_rows<12>;
/// Bins of short rows.
using bin_1 = short_rows<64, 8>;
using bin_2 = short_rows<256, 16>;
/// Number of the bin whose rows have a block each.
constexpr int block_bin = 3;
/// Number of the bin whose rows do not fit into shared memory.
constexpr int longest_bin = 4;
constexpr int num_bins = 5;

constexpr int floor_power_of_two(int value) { return value < 2 ? 1 : 2 * floor_power_of_two(value / 2); }
constexpr int shared_bytes = 32 * 1024;
/// Slots of a table that fills the shared memory of a block.
template <typename Slot>
constexpr int block_table_size = floor_power_of_two(shared_bytes / static_cast<int>(sizeof(Slot)));
template <typename I, typename T>
struct slot {
    I key;
    T value;
};
/// Number of tables of a bin that fit into a block.
template <typename Bin, int slot_size>
constexpr int rows_per_block = floor_power_of_two(std::min(default_block_size / Bin::subwarp_size,
                                                           shared_bytes / (Bin::stride * slot_size)));

/// Holds the sparse matrices and factors of c = alpha a b + beta d for kernels. Without d its row
/// pointers are null.
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

template <typename T, typename I>
SPRUCE_HOST_DEVICE_INLINE operand<void, I> pattern_of(const operand<T, I>& m)
{
    return {m.row_ptrs, m.col_idxs, nullptr};
}

/// Returns the slot of the key, which is inserted if the table does not contain it. The table must
/// have the key or a free slot.
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

/// Returns the position of the key in keys[0, ..., size - 1], which are sorted, or -1 if it is not
/// found.
template <typename I>
__device__ __forceinline__ int64 search(const I* keys, I size, I key)
{
    const auto position = lower_bound(keys, I{}, size, key);
    return position < size && keys[position] == key ? position : -1;
}

namespace kernel {

/// Lists different columns of a row in ascending order. One thread inserts them.
template <typename I>
struct column_list {
    /// Returns the position of a column, which is inserted if the list does not contain it. Then
    /// move(i, i + 1) is called for the positions of larger columns, the last one first, and
    /// is_new is true.
    template <typename Move>
    __device__ __forceinline__ int insert(I col, Move move, bool& is_new)
    {
        auto position = size;
        while (position > 0 && cols[position - 1] > col) {
            --position;
        }
        is_new = position == 0 || cols[position - 1] != col;
        if (!is_new) {
            return position - 1;
        }
        for (int i = size - 1; i >= position; --i) {
            cols[i + 1] = cols[i];
            move(i, i + 1);
        }
        cols[position] = col;
        ++size;
        return position;
    }

    I* cols;
    int size;
};

/// Calls function(nz, begin, end) for each entry nz of a row of a, with the bounds of the row of b
/// that it refers to. One thread calls it. Bounds are loaded one entry ahead, columns two.
template <typename I, typename Function>
__device__ __forceinline__ void for_each_row_of_b(const operand<void, I>& a, const operand<void, I>& b, size_type row,
                                                  Function function)
{
    const auto a_begin = a.row_ptrs[row];
    const auto a_end = a.row_ptrs[row + 1];
    const auto col_of = [&](I nz) { return nz < a_end ? a.col_idxs[nz] : I{-1}; };
    const auto begin_of = [&](I col) { return col >= 0 ? b.row_ptrs[col] : I{}; };
    const auto end_of = [&](I col) { return col >= 0 ? b.row_ptrs[col + 1] : I{}; };
    auto next_col = col_of(a_begin);
    auto next_begin = begin_of(next_col);
    auto next_end = end_of(next_col);
    next_col = col_of(a_begin + 1);
    for (auto nz = a_begin; nz < a_end; ++nz) {
        const auto begin = next_begin;
        const auto end = next_end;
        next_begin = begin_of(next_col);
        next_end = end_of(next_col);
        next_col = col_of(nz + 2);
        function(nz, begin, end);
    }
}

/// Holds the number of rows in each bin.
struct bin_counts {
    uint32 words[num_bins];

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

/// Computes counts[bin * gridDim.x + block], the number of the block's rows in the bin. There are
/// gridDim.x blocks of default_block_size rows.
template <typename I>
__global__ __launch_bounds__(default_block_size) void count_bins(size_type num_rows, const I* sizes, bin_limits limits,
                                                                 int64* counts)
{
    __shared__ bin_counts scratch[default_block_size / warp_size];
    const auto row = global_thread_id();
    bin_counts thread_counts{};
    if (row < num_rows) {
        thread_counts.words[limits.bin_of(sizes[row])] = 1;
    }
    const auto sum = block_reduce_add<default_block_size>(thread_counts, scratch);
    if (threadIdx.x < num_bins) {
        counts[threadIdx.x * gridDim.x + blockIdx.x] = static_cast<int64>(sum.words[threadIdx.x]);
    }
}

/// Lists the rows bin by bin, in order within each bin. starts is the prefix sum of the counts of
/// count_bins().
template <typename I>
__global__ __launch_bounds__(default_block_size) void list_bins(size_type num_rows, const I* sizes, bin_limits limits,
                                                                const int64* starts, I* rows)
{
    __shared__ bin_counts scratch[default_block_size / warp_size];
    const auto row = global_thread_id();
    bin_counts thread_counts{};
    const auto bin = row < num_rows ? limits.bin_of(sizes[row]) : 0;
    if (row < num_rows) {
        thread_counts.words[bin] = 1;
    }
    bin_counts total{};
    const auto before = block_exclusive_scan<default_block_size>(thread_counts, scratch, total);
    if (row < num_rows) {
        rows[starts[bin * gridDim.x + blockIdx.x] + static_cast<int64>(before.words[bin])] = static_cast<I>(row);
    }
}
}  // namespace kernel

/// Holds the rows of all bins, one bin after the other.
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
    size_type num_all{};
    kernels::components::prefix_sum<int64>(exec, counts.get_data(), counts.get_size(), num_all);
    array<int64> begins{shared_exec, num_bins + 1};
    run_for_each(exec, num_bins + 1,
                 [begins = begins.get_data(), counts = counts.get_const_data(),
                  num_blocks] SPRUCE_KERNEL_LAMBDA(size_type bin) { begins[bin] = counts[bin * num_blocks]; });
    binned_rows<I> result{array<I>{shared_exec, num_rows}, begins.copy_to_host()};
    launch(exec, kernel::list_bins<I>, num_rows, num_rows, sizes, limits, counts.get_const_data(),
           result.list.get_data());
    return result;
}

/// Launches a kernel that has for each row a table of slots of slot_size bytes.
template <typename Bin, size_t slot_size, typename I, typename... Args>
void launch_short(const DeviceExecutor& exec, void (*function)(const I*, size_type, Args...),
                  const binned_rows<I>& bins, int bin, const std::common_type_t<Args>&... args)
{
    constexpr int num_tables = rows_per_block<Bin, slot_size>;
    const auto num_rows = bins.size(bin);
    launch_blocks<num_tables * Bin::subwarp_size>(exec, function, ceildiv(num_rows, num_tables), bins.rows(bin),
                                                  num_rows, args...);
}
}  // namespace spgemm
}  // namespace csr

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
