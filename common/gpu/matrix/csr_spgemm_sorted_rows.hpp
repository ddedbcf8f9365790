// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Computes rows of products that would delay all others, one row after the other, with all blocks
// of the device. The products of a row are listed in a fixed order and sorted by column, which is
// stable. Then each entry of the result is the sum of adjacent products. A pattern matrix that has
// a row for each entry of the result adds them: however many products an entry has, they are
// distributed, and sums are bitwise repeatable. The memory is proportional to the number of
// products of a row, which are no more than b has entries (doc/tuning/csr.md).

#include <spruce/matrix/sparsity_csr.hpp>

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/matrix/csr_spgemm_long_rows.hpp"
#include "core/components/array_kernels.hpp"
#include "core/components/sort_kernels.hpp"
#include "core/matrix/sparsity_csr_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace csr {
namespace spgemm {

/// Returns the number of entries above which rows of a are treated like those of the longest bin.
/// @param num_entries  of a
template <typename I>
I max_entries_of_bins(size_type num_rows, size_type num_entries)
{
    constexpr size_type few = 512;  // for a subwarp (doc/tuning/constants.md)
    constexpr size_type times_mean = 32;
    const auto bound = std::max(few, times_mean * (num_entries / std::max<size_type>(num_rows, 1)));
    return static_cast<I>(std::min(bound, static_cast<size_type>(std::numeric_limits<I>::max())));
}

namespace kernel {

constexpr int blocks_per_counted_row = 16;

/// Computes work[2 i], the number of products of row rows[i], and work[2 i + 1], the number of
/// entries of a in it. Both are zero before. Each row has blocks_per_counted_row blocks.
template <typename I>
__global__ __launch_bounds__(default_block_size) void count_products(const I* __restrict__ rows,
                                                                     const I* __restrict__ a_row_ptrs,
                                                                     const I* __restrict__ a_cols,
                                                                     const I* __restrict__ b_row_ptrs, int64* work)
{
    __shared__ int64 scratch[default_block_size / warp_size];
    const auto number = static_cast<size_type>(blockIdx.x) / blocks_per_counted_row;
    const auto part = static_cast<I>(blockIdx.x % blocks_per_counted_row);
    const auto begin = a_row_ptrs[rows[number]];
    const auto end = a_row_ptrs[rows[number] + 1];
    if (part > 0 && part * default_block_size >= end - begin) {
        return;
    }
    int64 sum{};
    for (auto i = static_cast<int64>(part) * default_block_size + threadIdx.x; i < end - begin;
         i += blocks_per_counted_row * default_block_size) {
        const auto col = a_cols[begin + i];
        sum += b_row_ptrs[col + 1] - b_row_ptrs[col];
    }
    sum = block_reduce_add<default_block_size>(sum, scratch);
    if (threadIdx.x == 0) {
        atomic_add(work + 2 * number, sum);
        if (part == 0) {
            work[2 * number + 1] = static_cast<int64>(end - begin);
        }
    }
}

}  // namespace kernel

/// Describes a row whose products are sorted.
struct sorted_row {
    size_type row;
    size_type num_entries;  ///< of a
};

/// Holds the rows that do not fit a table.
template <typename I>
struct long_rows {
    const I* rows;  ///< of blocks, and of warps for each segment
    size_type size;
    array<I> list;  ///< owns the rows if some are sorted
    std::vector<sorted_row> sorted;
};

/// Estimates the work for a row in steps of a thread.
struct row_work {
    /// Estimates the work.
    /// @param num_entries  of a
    /// @param cols_at_once  number of columns that a block can mark
    /// @param segment_length  number of columns for which a warp adds the products
    row_work(int64 num_products, int64 num_entries, int64 num_cols, int64 cols_at_once, int64 segment_length,
             bool is_b_sorted)
        : products{num_products}
    {
        const auto num_passes = static_cast<int64>(ceildiv(num_cols, cols_at_once));
        const auto num_segments = std::min(products, num_cols) / segment_length;
        of_block = (is_b_sorted ? 1 : num_passes) * products + num_passes * warp_size * num_entries;
        of_segments = num_segments * (is_b_sorted ? num_entries : products);
    }
    /// Returns true if the row should be sorted (doc/tuning/csr.md, doc/tuning/constants.md).
    /// @param fair_share  work of a block for all rows, if it was distributed evenly
    bool should_be_sorted(int64 fair_share) const
    {
        constexpr int64 min_products = 1 << 16;
        constexpr int64 steps_of_sort = 16;
        constexpr int64 max_shares = 4;
        return products >= min_products &&
               (of_block > max_shares * fair_share || of_segments > steps_of_sort * products);
    }

    int64 products;
    int64 of_block;     ///< finding columns
    int64 of_segments;  ///< searching the rows of b for the columns of segments
};

/// Selects the rows whose products are sorted. It synchronizes with the device if there are rows.
template <typename V, typename I>
long_rows<I> select_sorted_rows(const DeviceExecutor& exec, const I* rows, size_type num_rows,
                                const operand<void, I>& a, const Csr<V, I>& b, bool is_b_sorted)
{
    const auto shared_exec = exec.shared_from_this();
    long_rows<I> result{rows, num_rows, array<I>{shared_exec}, {}};
    if (num_rows == 0) {
        return result;
    }
    array<int64> counts{shared_exec, 2 * num_rows};
    counts.fill(0);
    launch_blocks(exec, kernel::count_products<I>, num_rows * kernel::blocks_per_counted_row, rows, a.row_ptrs,
                  a.col_idxs, b.get_const_row_ptrs(), counts.get_data());
    const auto host_counts = counts.copy_to_host();
    std::vector<row_work> work;
    int64 total{};
    for (size_type i = 0; i < num_rows; ++i) {
        work.emplace_back(host_counts[2 * i], host_counts[2 * i + 1], static_cast<int64>(b.get_size()[1]),
                          kernel::map_bits, kernel::segment_length<device_type<V>, I>, is_b_sorted);
        total += work.back().of_block;
    }
    const auto fair_share = total / static_cast<int64>(num_resident_blocks(exec));
    const auto is_sorted_row = [&](const row_work& one) {
        // A row of a that has a column several times may have more products than I can count.
        const auto max_products = std::numeric_limits<I>::max() - static_cast<int64>(b.get_size()[1]);
        return one.products <= max_products && one.should_be_sorted(fair_share);
    };
    if (std::none_of(work.begin(), work.end(), is_sorted_row)) {
        return result;
    }
    const auto host_rows = array<I>{array<I>::const_view(shared_exec, num_rows, rows)}.copy_to_host();
    std::vector<I> others;
    for (size_type i = 0; i < num_rows; ++i) {
        if (is_sorted_row(work[i])) {
            result.sorted.push_back(
                {static_cast<size_type>(host_rows[i]), static_cast<size_type>(host_counts[2 * i + 1])});
        } else {
            others.push_back(host_rows[i]);
        }
    }
    result.list = array<I>{shared_exec, others.begin(), others.end()};
    result.rows = result.list.get_const_data();
    result.size = others.size();
    return result;
}

/// Views the products of a row of c. Its source 0 is the row of d, and source i + 1 is the row of b
/// that entry i of the row of a refers to.
template <typename I>
struct row_products {
    __device__ __forceinline__ I begin_of(size_type source) const
    {
        if (source == 0) {
            return d.row_ptrs ? d.row_ptrs[row] : I{};
        }
        return b.row_ptrs[this->col_of_a(source)];
    }
    __device__ __forceinline__ I size_of(size_type source) const
    {
        if (source == 0) {
            return d.row_ptrs ? d.row_ptrs[row + 1] - d.row_ptrs[row] : I{};
        }
        const auto col = this->col_of_a(source);
        return b.row_ptrs[col + 1] - b.row_ptrs[col];
    }
    __device__ __forceinline__ I col_of_a(size_type source) const { return a.col_idxs[a.row_ptrs[row] + (source - 1)]; }
    /// Returns the entry of b or d that product k has.
    __device__ __forceinline__ I entry_of(size_type source, size_type k) const
    {
        return this->begin_of(source) + (static_cast<I>(k) - offsets[source]);
    }
    __device__ __forceinline__ I col_of(size_type source, size_type k) const
    {
        return (source == 0 ? d : b).col_idxs[this->entry_of(source, k)];
    }

    operand<void, I> a;
    operand<void, I> b;
    operand<void, I> d;
    size_type row;
    const I* offsets;  ///< of the products of each source
};

/// Contains the sources of a row's products.
template <typename I>
struct row_sources {
    size_type num;
    array<I> offsets;
    row_products<I> products;
    size_type num_products;
};

template <typename I>
row_sources<I> list_sources(const DeviceExecutor& exec, const sorted_row& selected, const operand<void, I>& a,
                            const operand<void, I>& b, const operand<void, I>& d)
{
    const auto num = selected.num_entries + 1;
    array<I> offsets{exec.shared_from_this(), num + 1};
    const row_products<I> products{a, b, d, selected.row, offsets.get_const_data()};
    run_for_each(exec, num, [products, offsets = offsets.get_data()] SPRUCE_KERNEL_LAMBDA(size_type source) {
        offsets[source] = products.size_of(source);
    });
    size_type num_products{};
    kernels::components::prefix_sum<I>(exec, offsets.get_data(), num + 1, num_products);
    return {num, std::move(offsets), products, num_products};
}

/// Holds the keys of a row's products in order.
template <typename I>
struct sorted_products {
    /// Sorts the keys, which are below the bound.
    sorted_products(const DeviceExecutor& exec, const array<I>& keys, size_type bound)
        : keys{exec.shared_from_this(), keys.get_size()}, positions{exec.shared_from_this(), keys.get_size()}
    {
        kernels::components::sort_keys<I>(exec, keys.get_const_data(), nullptr, keys.get_size(), bound,
                                          this->keys.get_data(), positions.get_data());
    }
    /// Returns the number of different keys before each product, and before the end.
    /// @param num_keys  the total
    array<I> number_keys(const DeviceExecutor& exec, size_type& num_keys) const
    {
        const auto num = keys.get_size();
        array<I> result{exec.shared_from_this(), num + 1};
        run_for_each(exec, num,
                     [keys = keys.get_const_data(), numbers = result.get_data()] SPRUCE_KERNEL_LAMBDA(size_type i) {
                         numbers[i] = i == 0 || keys[i - 1] != keys[i] ? 1 : 0;
                     });
        kernels::components::prefix_sum<I>(exec, result.get_data(), num + 1, num_keys);
        return result;
    }

    array<I> keys;
    array<I> positions;
};

/// Counts the columns of rows whose products are sorted.
template <typename I>
void count_sorted(const DeviceExecutor& exec, const std::vector<sorted_row>& rows, const operand<void, I>& a,
                  const operand<void, I>& b, const operand<void, I>& d, size_type num_cols, I* counts)
{
    for (const auto& selected : rows) {
        const auto sources = list_sources(exec, selected, a, b, d);
        array<I> cols{exec.shared_from_this(), sources.num_products};
        run_for_each_nonzero(exec, sources.offsets.get_const_data(), sources.num, sources.num_products,
                             [products = sources.products, cols = cols.get_data()] SPRUCE_KERNEL_LAMBDA(
                                 size_type source, size_type k) { cols[k] = products.col_of(source, k); });
        size_type count{};
        sorted_products<I>{exec, cols, num_cols}.number_keys(exec, count);
        run_for_each(exec, 1,
                     [=, row = selected.row] SPRUCE_KERNEL_LAMBDA(size_type) { counts[row] = static_cast<I>(count); });
    }
}

/// Lists the products of a row: their columns or, if the columns of the row of c are known, their
/// positions in it, which are size for columns that it does not have.
template <bool is_known, typename T, typename I>
void list_products(const DeviceExecutor& exec, const row_sources<I>& sources, const operands<T, I>& in,
                   const I* known_cols, I size, I* keys, T* values)
{
    run_for_each_nonzero(exec, sources.offsets.get_const_data(), sources.num, sources.num_products,
                         [=, products = sources.products] SPRUCE_KERNEL_LAMBDA(size_type source, size_type k) {
                             const auto nz = products.entry_of(source, k);
                             const auto col = products.col_of(source, k);
                             if (is_known) {
                                 const auto position = search(known_cols, size, col);
                                 keys[k] = position >= 0 ? static_cast<I>(position) : size;
                             } else {
                                 keys[k] = col;
                             }
                             if (source == 0) {
                                 values[k] = is_zero(*in.beta) ? T{} : *in.beta * in.d.values[nz];
                             } else {
                                 const auto alpha = in.alpha ? *in.alpha : T(1);
                                 const auto coefficient =
                                     alpha * in.a.values[in.a.row_ptrs[products.row] + (source - 1)];
                                 values[k] = is_zero(alpha) ? T{} : coefficient * in.b.values[nz];
                             }
                         });
}

/// Computes the first product and the column of each sum of sorted products.
template <typename I>
void find_sums(const DeviceExecutor& exec, sorted_products<I>& products, size_type num, I* sum_cols, I* sum_ptrs)
{
    size_type num_keys{};
    const auto numbers_of_keys = products.number_keys(exec, num_keys);
    run_for_each(exec, num + 1,
                 [numbers = numbers_of_keys.get_const_data(), sorted_keys = products.keys.get_const_data(), num,
                  sum_cols, sum_ptrs] SPRUCE_KERNEL_LAMBDA(size_type i) {
                     const auto number = numbers[i];
                     if (i == num) {
                         sum_ptrs[number] = static_cast<I>(num);
                     } else if (numbers[i + 1] != number) {
                         sum_ptrs[number] = static_cast<I>(i);
                         sum_cols[number] = sorted_keys[i];
                     }
                 });
}

/// Computes rows of c by sorting their products.
/// @tparam is_known  the columns are already in c, in ascending order
template <bool is_known, typename V, typename I>
void fill_sorted(const DeviceExecutor& exec, const std::vector<sorted_row>& rows, const operands<device_type<V>, I>& in,
                 Csr<V, I>& c)
{
    const auto shared_exec = exec.shared_from_this();
    for (const auto& selected : rows) {
        const auto ends =
            array<I>{array<I>::const_view(shared_exec, 2, c.get_const_row_ptrs() + selected.row)}.copy_to_host();
        const auto size = static_cast<size_type>(ends[1] - ends[0]);
        if (size == 0) {
            continue;
        }
        const auto c_cols = c.get_col_idxs() + ends[0];
        const auto sources = list_sources(exec, selected, pattern_of(in.a), pattern_of(in.b), pattern_of(in.d));
        const auto num = sources.num_products;
        const auto values = Dense<V>::create(shared_exec, dim<2>{num, 1});
        array<I> keys{shared_exec, num};
        list_products<is_known>(exec, sources, in, static_cast<const I*>(c_cols), static_cast<I>(size), keys.get_data(),
                                as_device(values->get_values()));
        sorted_products<I> products{exec, keys, is_known ? size + 1 : static_cast<size_type>(in.num_cols)};
        array<I> sum_ptrs{shared_exec, size + 1};
        if constexpr (is_known) {
            kernels::components::convert_idxs_to_ptrs<I>(exec, products.keys.get_const_data(), num, sum_ptrs.get_data(),
                                                         size);
        } else {
            find_sums(exec, products, num, c_cols, sum_ptrs.get_data());
        }
        const auto sums = matrix::SparsityCsr<V, I>::create(shared_exec, dim<2>{size, num},
                                                            std::move(products.positions), std::move(sum_ptrs));
        const auto result = Dense<V>::create(shared_exec, dim<2>{size, 1},
                                             array<V>::view(shared_exec, size, c.get_values() + ends[0]), 1);
        kernels::sparsity_csr::spmv<V, I>(exec, *sums, *values, *result);
    }
}

}  // namespace spgemm
}  // namespace csr

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
