// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Computes each entry of a factor from the entries on which it depends, and waits for those. The
// entry in row i and column j subtracts the products of the entries that row i of L and column j of
// U have in common, found by a merge of sorted lists. Thus neither long rows nor long columns are
// processed by a single thread: the entries of a row are computed side by side, and the products of
// an entry with many of them are shared by the lanes of a warp.
//
// Warps take chunks of entries by tickets in the order of levels. All entries on which an entry
// depends precede it in this order, so that running warps have taken them, and the first unfinished
// entry can always continue. Values are published as in the triangular solves of Liu, Li, Hogg,
// Duff and Vinter 2016. The order of sums is fixed. The formulas are those of Chow and Patel 2015.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/components/published_values.hpp"
#include "common/numeric/sorted_lists.hpp"
#include "core/components/array_kernels.hpp"
#include "core/components/sort_kernels.hpp"
#include "core/factorization/incomplete_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace incomplete {

using spruce::factorization::detail::incomplete_schedule;

namespace kernel {

/// If the shorter one of two lists is longer, all lanes of a warp find their common entries
/// (doc/tuning/constants.md).
constexpr int max_list_of_lane = 64;

/// Views the factors and what is known about their pattern.
template <typename T, typename I>
struct factor_view {
    size_type nnz;
    const I* row_ptrs;
    const I* col_idxs;
    const I* diagonal;
    const I* order;
    const I* entry_ptrs;
    const I* chunk_positions;
    const I* col_ptrs;
    const I* col_rows;
    const I* col_entries;
    const T* a_values;
    const I* sources;
    T* values;
    I* bad_row;
};

/// Describes an entry: its place, and the lists of row i of L and of column j of U before it.
template <typename I>
struct factor_entry {
    I nz;
    I row;
    I col;
    I left;
    I left_end;
    I right;
    I right_end;
};

/// Represents the factors L and U, which has lists of its columns.
struct lower_and_upper {
    template <typename T, typename I>
    static __device__ __forceinline__ void find_column(const factor_view<T, I>& f, factor_entry<I>& e)
    {
        e.right = f.col_ptrs[e.col];
        e.right_end = f.col_ptrs[e.col + 1];
    }
    template <typename T, typename I>
    static __device__ __forceinline__ const I* right_keys(const factor_view<T, I>& f)
    {
        return f.col_rows;
    }
    template <typename T, typename I>
    static __device__ __forceinline__ I right_entry(const factor_view<T, I>& f, I right)
    {
        return f.col_entries[right];
    }
    template <typename T>
    static __device__ __forceinline__ T right_factor(const T& value)
    {
        return value;
    }
    template <typename T>
    static __device__ __forceinline__ T pivot(const T& sum)
    {
        return sum;
    }
};

/// Represents the factor L, where column j of U = L^H is the conjugate of row j of L.
struct lower_only {
    template <typename T, typename I>
    static __device__ __forceinline__ void find_column(const factor_view<T, I>& f, factor_entry<I>& e)
    {
        e.right = f.row_ptrs[e.col];
        e.right_end = f.diagonal[e.col];
    }
    template <typename T, typename I>
    static __device__ __forceinline__ const I* right_keys(const factor_view<T, I>& f)
    {
        return f.col_idxs;
    }
    template <typename T, typename I>
    static __device__ __forceinline__ I right_entry(const factor_view<T, I>&, I right)
    {
        return right;
    }
    template <typename T>
    static __device__ __forceinline__ T right_factor(const T& value)
    {
        return conj_of(value);
    }
    template <typename T>
    static __device__ __forceinline__ T pivot(const T& sum)
    {
        return T{sqrt_of(real_of(sum))};
    }
};

template <typename Factors, typename T, typename I>
__device__ __forceinline__ factor_entry<I> describe_entry(const factor_view<T, I>& f, I row, I nz)
{
    factor_entry<I> result{};
    result.nz = nz;
    result.row = row;
    result.col = f.col_idxs[nz];
    result.left = f.row_ptrs[row];
    result.left_end = min(nz, f.diagonal[row]);
    Factors::find_column(f, result);
    return result;
}

template <typename T, typename I>
__device__ __forceinline__ T value_of_a(const factor_view<T, I>& f, I nz)
{
    const auto source = f.sources ? f.sources[nz] : nz;
    return source < 0 ? T{} : f.a_values[source];
}

/// Finishes an entry, from which all products have been subtracted, and publishes it.
/// @return  false if the pivot is missing; then nothing is done but waiting a moment
template <typename Factors, typename T, typename I>
__device__ __forceinline__ bool finish_entry(const factor_view<T, I>& f, const factor_entry<I>& e, T sum)
{
    if (e.col < e.row) {
        const auto address = f.values + f.diagonal[e.col];
        const auto pivot = published::load(address);
        if (!published::is_complete(pivot)) {
            published::wait(address);
            return false;
        }
        sum = sum / published::value_of(pivot);
    } else if (e.col == e.row) {
        sum = Factors::pivot(sum);
    }
    published::store(f.values + e.nz, sum);
    if (!is_finite_value(sum) || (e.col == e.row && sum == T{})) {
        atomic_min(f.bad_row, e.row);
    }
    return true;
}

/// Computes one entry for each lane. Lanes may wait for each other.
template <typename Factors, typename T, typename I, typename Warp>
__device__ __forceinline__ void compute_by_lanes(const Warp& warp, const factor_view<T, I>& f, factor_entry<I> e,
                                                 bool has_entry)
{
    constexpr int num_at_once = 4;
    I lefts[num_at_once];
    I rights[num_at_once];
    T left_values[num_at_once];
    T right_values[num_at_once];
    uint32 needed = 0;
    uint32 missing = 0;
    auto sum = has_entry ? value_of_a(f, e.nz) : T{};
    while (warp.any(has_entry)) {
        if (!has_entry) {
            continue;
        }
        if (missing == 0) {
#pragma unroll
            for (int i = 0; i < num_at_once; ++i) {
                if ((needed & 1u << i) != 0) {
                    sum -= left_values[i] * Factors::right_factor(right_values[i]);
                }
            }
            needed = 0;
#pragma unroll
            for (int i = 0; i < num_at_once; ++i) {
                if (find_common(f.col_idxs, e.left, e.left_end, Factors::right_keys(f), e.right, e.right_end)) {
                    lefts[i] = e.left++;
                    rights[i] = Factors::right_entry(f, e.right++);
                    needed |= 1u << i;
                }
            }
            missing = needed;
            if (needed == 0) {
                has_entry = !finish_entry<Factors>(f, e, sum);
                continue;
            }
        }
        const auto wanted = missing;  // does not change below, so that all loads are under way together
        published::bits<T> loaded_lefts[num_at_once];
        published::bits<T> loaded_rights[num_at_once];
#pragma unroll
        for (int i = 0; i < num_at_once; ++i) {
            if ((wanted & 1u << i) != 0) {
                loaded_lefts[i] = published::load(f.values + lefts[i]);
                loaded_rights[i] = published::load(f.values + rights[i]);
            }
        }
        auto awaited = f.values;
#pragma unroll
        for (int i = 0; i < num_at_once; ++i) {
            if ((wanted & 1u << i) != 0) {
                if (!published::is_complete(loaded_lefts[i])) {
                    awaited = f.values + lefts[i];
                } else if (!published::is_complete(loaded_rights[i])) {
                    awaited = f.values + rights[i];
                } else {
                    left_values[i] = published::value_of(loaded_lefts[i]);
                    right_values[i] = published::value_of(loaded_rights[i]);
                    missing &= ~(1u << i);
                }
            }
        }
        if (missing != 0) {
            published::wait(awaited);
        }
    }
}

/// Computes one entry by all lanes, which share the elements of the shorter list.
template <typename Factors, typename T, typename I, typename Warp>
__device__ __forceinline__ void compute_by_warp(const Warp& warp, const factor_view<T, I>& f, factor_entry<I> e)
{
    const auto rank = static_cast<int>(warp.thread_rank());
    const auto left_is_short = e.left_end - e.left <= e.right_end - e.right;
    const auto right_keys = Factors::right_keys(f);
    const auto short_keys = left_is_short ? f.col_idxs : right_keys;
    const auto long_keys = left_is_short ? right_keys : f.col_idxs;
    const auto short_end = left_is_short ? e.left_end : e.right_end;
    const auto long_end = left_is_short ? e.right_end : e.left_end;
    auto in_short = (left_is_short ? e.left : e.right) + rank;
    auto in_long = left_is_short ? e.right : e.left;
    auto is_found = false;
    T products{};
    while (warp.any(in_short < short_end)) {
        if (in_short >= short_end) {
            continue;
        }
        if (!is_found) {
            in_long = search_forward(long_keys, in_long, long_end, short_keys[in_short]);
            is_found = in_long < long_end && long_keys[in_long] == short_keys[in_short];
        }
        if (is_found) {
            const auto left = f.values + (left_is_short ? in_short : in_long);
            const auto right = f.values + Factors::right_entry(f, left_is_short ? in_long : in_short);
            const auto loaded_left = published::load(left);
            const auto loaded_right = published::load(right);
            const auto has_left = published::is_complete(loaded_left);
            if (!has_left || !published::is_complete(loaded_right)) {
                published::wait(has_left ? right : left);
                continue;
            }
            products += published::value_of(loaded_left) * Factors::right_factor(published::value_of(loaded_right));
        }
        is_found = false;
        in_short += warp_size;
    }
    const auto sum = value_of_a(f, e.nz) - reduce_add(warp, products);
    auto is_done = rank != 0;
    while (warp.any(!is_done)) {
        if (!is_done) {
            is_done = finish_entry<Factors>(f, e, sum);
        }
    }
}

/// Computes the entries of the factors, which are without values at the start. ticket is zero then.
template <typename Factors, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void compute_factors(factor_view<T, I> f, uint32* ticket)
{
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto rank = static_cast<int>(warp.thread_rank());
    const auto take_chunk = [&] {
        uint32 result = 0;
        if (rank == 0) {
            result = atomicAdd(ticket, 1u);
        }
        return static_cast<size_type>(warp.shfl(result, 0));
    };
    auto chunk = take_chunk();
    while (chunk * warp_size < f.nnz) {
        const auto next_chunk = take_chunk();  // while this one waits
        const auto number = static_cast<I>(chunk * warp_size + rank);
        const auto has_entry = static_cast<size_type>(number) < f.nnz;
        factor_entry<I> entry{};
        auto is_long = false;
        if (has_entry) {
            const auto position = partition_point(f.chunk_positions[chunk] + 1, f.chunk_positions[chunk + 1] + 1,
                                                  [&](I i) { return f.entry_ptrs[i] <= number; }) -
                                  1;
            const auto row = f.order[position];
            entry = describe_entry<Factors>(f, row, f.row_ptrs[row] + (number - f.entry_ptrs[position]));
            is_long = min(entry.left_end - entry.left, entry.right_end - entry.right) > max_list_of_lane;
        }
        // Later entries may depend on a long one, which may depend on earlier ones.
        auto long_entries = warp.ballot(is_long);
        int begin = 0;
        while (begin < warp_size) {
            const auto end = long_entries == 0 ? int{warp_size} : warp::ffs(long_entries) - 1;
            compute_by_lanes<Factors>(warp, f, entry, has_entry && begin <= rank && rank < end);
            if (end < warp_size) {
                compute_by_warp<Factors>(
                    warp, f, describe_entry<Factors>(f, warp.shfl(entry.row, end), warp.shfl(entry.nz, end)));
                long_entries &= long_entries - 1;
            }
            begin = end + 1;
        }
        chunk = next_chunk;
    }
}

}  // namespace kernel

/// Lists the entries of the strict upper triangle by columns, and by rows within a column.
template <typename V, typename I>
void list_columns(const DeviceExecutor& exec, const matrix::Csr<V, I>& factors, incomplete_schedule<I>& schedule)
{
    const auto shared_exec = exec.shared_from_this();
    const auto size = factors.get_size()[0];
    const auto nnz = factors.get_num_stored_elements();
    array<I> keys{shared_exec, nnz};
    run_for_each_nonzero(exec, factors.get_const_row_ptrs(), size, nnz,
                         [cols = factors.get_const_col_idxs(), keys = keys.get_data(), size] SPRUCE_KERNEL_LAMBDA(
                             size_type row, size_type nz) {
                             keys[nz] = static_cast<size_type>(cols[nz]) > row ? cols[nz] : static_cast<I>(size);
                         });
    array<I> sorted_keys{shared_exec, nnz};
    array<I> entries{shared_exec, nnz};
    kernels::components::sort_keys<I>(exec, keys.get_const_data(), nullptr, nnz, size + 1, sorted_keys.get_data(),
                                      entries.get_data());
    schedule.col_ptrs.resize_and_reset(size + 1);
    kernels::components::convert_idxs_to_ptrs<I>(exec, sorted_keys.get_const_data(), nnz, schedule.col_ptrs.get_data(),
                                                 size);
    kernels::components::convert_ptrs_to_idxs<I>(exec, factors.get_const_row_ptrs(), size, keys.get_data());
    const auto num_upper = static_cast<size_type>(exec.copy_val_to_host(schedule.col_ptrs.get_const_data() + size));
    schedule.col_rows.resize_and_reset(num_upper);
    schedule.col_entries.resize_and_reset(num_upper);
    run_for_each(
        exec, num_upper,
        [entries = entries.get_const_data(), rows = keys.get_const_data(), col_rows = schedule.col_rows.get_data(),
         col_entries = schedule.col_entries.get_data()] SPRUCE_KERNEL_LAMBDA(size_type i) {
            col_entries[i] = entries[i];
            col_rows[i] = rows[entries[i]];
        });
}

template <typename V, typename I>
void analyze(const DeviceExecutor& exec, const matrix::Csr<V, I>& factors, bool is_hermitian, const array<I>&,
             incomplete_schedule<I>& schedule)
{
    const auto size = factors.get_size()[0];
    const auto num_chunks = (factors.get_num_stored_elements() + warp_size - 1) / warp_size;
    if (size == 0) {
        return;
    }
    schedule.entry_ptrs.resize_and_reset(size + 1);
    const auto entry_ptrs = schedule.entry_ptrs.get_data();
    run_for_each(exec, size,
                 [entry_ptrs, order = schedule.order.get_const_data(),
                  row_ptrs = factors.get_const_row_ptrs()] SPRUCE_KERNEL_LAMBDA(size_type i) {
                     entry_ptrs[i] = row_ptrs[order[i] + 1] - row_ptrs[order[i]];
                 });
    size_type nnz{};
    kernels::components::prefix_sum<I>(exec, entry_ptrs, size + 1, nnz);
    schedule.chunk_positions.resize_and_reset(num_chunks + 1);
    run_for_each(exec, num_chunks + 1,
                 [entry_ptrs, size, num_chunks,
                  positions = schedule.chunk_positions.get_data()] SPRUCE_KERNEL_LAMBDA(size_type chunk) {
                     const auto last = static_cast<I>(size) - 1;
                     const auto after_first = static_cast<I>(chunk * warp_size + 1);
                     positions[chunk] =
                         chunk < num_chunks ? lower_bound(entry_ptrs, I{}, last + 1, after_first) - 1 : last;
                 });
    if (!is_hermitian) {
        list_columns(exec, factors, schedule);
    }
}

template <typename Factors, typename V, typename I>
void run(const DeviceExecutor& exec, const V* a_values, const I* sources, const incomplete_schedule<I>& schedule,
         matrix::Csr<V, I>& factors, I* bad_row)
{
    using T = device_type<V>;
    const auto nnz = factors.get_num_stored_elements();
    const kernel::factor_view<T, I> view{nnz,
                                         factors.get_const_row_ptrs(),
                                         factors.get_const_col_idxs(),
                                         schedule.diagonal.get_const_data(),
                                         schedule.order.get_const_data(),
                                         schedule.entry_ptrs.get_const_data(),
                                         schedule.chunk_positions.get_const_data(),
                                         schedule.col_ptrs.get_const_data(),
                                         schedule.col_rows.get_const_data(),
                                         schedule.col_entries.get_const_data(),
                                         as_device(a_values),
                                         sources,
                                         as_device(factors.get_values()),
                                         bad_row};
    const auto scratch = exec.acquire_scratch(sizeof(uint32));
    const auto ticket = scratch.template as<uint32>();
    run_for_each(exec, nnz, [ticket, values = view.values] SPRUCE_KERNEL_LAMBDA(size_type i) {
        published::clear(values + i);
        if (i == 0) {
            *ticket = 0;
        }
    });
    const auto num_blocks = std::min<size_type>(num_resident_blocks(exec), ceildiv(nnz, default_block_size));
    launch_blocks(exec, kernel::compute_factors<Factors, T, I>, num_blocks, view, ticket);
}

template <typename V, typename I>
void compute_lu(const DeviceExecutor& exec, const V* a_values, const I* sources, const incomplete_schedule<I>& schedule,
                matrix::Csr<V, I>& factors, I* bad_row)
{
    run<kernel::lower_and_upper>(exec, a_values, sources, schedule, factors, bad_row);
}

template <typename V, typename I>
void compute_cholesky(const DeviceExecutor& exec, const V* a_values, const I* sources,
                      const incomplete_schedule<I>& schedule, matrix::Csr<V, I>& factor, I* bad_row)
{
    run<kernel::lower_only>(exec, a_values, sources, schedule, factor, bad_row);
}

}  // namespace incomplete

void register_incomplete()
{
    for_each_value_and_index_type([](auto tag) {
        using V = typename decltype(tag)::value_type;
        using I = typename decltype(tag)::index_type;
        using E = DeviceExecutor;
        kernels::incomplete::analyze<V, I>.template set<E>(&incomplete::analyze<V, I>);
        kernels::incomplete::compute_lu<V, I>.template set<E>(&incomplete::compute_lu<V, I>);
        kernels::incomplete::compute_cholesky<V, I>.template set<E>(&incomplete::compute_cholesky<V, I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
