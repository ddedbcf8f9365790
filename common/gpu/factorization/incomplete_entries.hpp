// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Computes each entry of a long row from the entries on which it depends, and waits for those. The
// entry in row i and column j subtracts the products of the entries that row i of L and column j of
// U have in common, found by exponential search in two sorted lists. Thus neither long rows nor
// long columns are processed by a single thread: the entries of a row are computed side by side,
// and the products of an entry with many of them are shared by the lanes of a warp. The formulas
// are those of Chow and Patel 2015.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/components/published_values.hpp"
#include "common/gpu/factorization/incomplete_view.hpp"
#include "common/numeric/sorted_lists.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::incomplete::kernel {

/// If the shorter one of two lists is longer, all lanes of a warp find their common entries
/// (doc/tuning/constants.md).
constexpr int max_list_of_lane = 64;

/// Describes an entry: its place, and the lists of row i of L and of column j of U before it.
template <typename I>
struct factor_entry {
    I nz;  ///< negative if there is no entry
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
    }
    auto is_good = true;
    if (e.col == e.row) {
        sum = Factors::pivot(sum);
        const auto inverse = T{1} / sum;
        published::store(f.inverse_pivots + e.row, inverse);
        is_good = is_finite_value(inverse);
    }
    published::store(f.values + e.nz, sum);
    if (!is_good || !is_finite_value(sum)) {
        atomic_min(f.bad_row, e.row);
    }
    return true;
}

/// Computes one entry for each lane. A lane may depend on the entry of another lane of this warp,
/// so no lane waits in a branch of its own.
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

/// Describes the entry of a lane in a slot of a long row (incomplete_schedule).
template <typename Factors, int size, typename T, typename I>
__device__ __forceinline__ factor_entry<I> describe_slot(const factor_view<T, I>& f, size_type slot, I slot_row,
                                                         bool has_slot)
{
    factor_entry<I> result{};
    result.nz = -1;
    if (has_slot) {
        const auto position = -1 - slot_row;
        const auto row = f.order[position];
        const auto lane = static_cast<int>(threadIdx.x) % size;
        const auto nz = f.row_ptrs[row] + (static_cast<I>(slot) - f.slot_ptrs[position]) * size + lane;
        if (nz < f.row_ptrs[row + 1]) {
            result = describe_entry<Factors>(f, row, nz);
        }
    }
    return result;
}

/// Computes the entries of the lanes begin, ..., end - 1 of a warp, in this order.
template <typename Factors, typename T, typename I, typename Warp>
__device__ __forceinline__ void compute_entries(const Warp& warp, const factor_view<T, I>& f,
                                                const factor_entry<I>& entry, int begin, int end)
{
    const auto has_entry = entry.nz >= 0;
    const auto rank = static_cast<int>(warp.thread_rank());
    const auto is_long =
        has_entry && min(entry.left_end - entry.left, entry.right_end - entry.right) > max_list_of_lane;
    // Later entries may depend on a long one, which may depend on earlier ones.
    auto long_entries = warp.ballot(is_long);
    while (begin < end) {
        const auto next_long = long_entries == 0 ? end : warp::ffs(long_entries) - 1;
        compute_by_lanes<Factors>(warp, f, entry, has_entry && begin <= rank && rank < next_long);
        if (next_long < end) {
            compute_by_warp<Factors>(
                warp, f, describe_entry<Factors>(f, warp.shfl(entry.row, next_long), warp.shfl(entry.nz, next_long)));
            long_entries &= long_entries - 1;
        }
        begin = next_long + 1;
    }
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::incomplete::kernel
