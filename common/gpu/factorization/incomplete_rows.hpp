// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Computes rows of ordinary length, each by a subwarp, which holds its row i in shared memory.
// For each entry l_ik left of the diagonal, from left to right, the subwarp loads row k, the pivot
// row, finds its columns in row i, and updates row i. ILU(0) subtracts a multiple of the pivot row
// of U from row i (Saad 2003, Algorithm 10.4), IC(0) computes an entry of L by the inner product of
// two rows of L.
//
// The pivot rows of several entries are loaded ahead. While a value of the first one is missing,
// missing values of all of them are loaded again, because the values of one level become available
// at about the same time.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/components/published_values.hpp"
#include "common/gpu/factorization/incomplete_view.hpp"
#include "common/gpu/factorization/lanes_of_row.hpp"
#include "common/gpu/factorization/shared_columns.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::incomplete::kernel {

using factor_rows::entries_at_once;
using factor_rows::find_column;
using factor_rows::max_entries_of_lane;
using factor_rows::pad_columns;

/// Number of pivot rows that are loaded at the same time (doc/tuning/factorizations.md).
constexpr int num_pivots_at_once = 4;

/// Views a row, which a subwarp computes in shared memory. The columns are sorted, and followed by
/// columns that no matrix has, up to max_entries.
template <int max_entries, typename T, typename I>
struct shared_row {
    I first;  ///< its first entry in the factors
    int num_entries;
    int num_left;  ///< number of entries left of the diagonal
    I* cols;
    T* values;
    I* pivot_begins;  ///< of the entries of each pivot row that are used, besides the pivot
    I* pivot_ends;
};

/// Contains the inverse of a pivot, and the entries of its row that a lane uses. Of a pivot row
/// with more than size * entries_at_once entries it contains only the inverse; see long_pivot_row.
template <typename Rows, int size, typename T, typename I>
struct pivot_row {
    static constexpr int max_entries = size * max_entries_of_lane;
    static constexpr int no_position = -1;

    using row_type = shared_row<max_entries, T, I>;

    /// Loads columns and values.
    /// @param index  of l_ik in row i; entries that are not left of the diagonal have no pivot row
    __device__ __forceinline__ void load(const factor_view<T, I>& f, const row_type& row, int index, int rank)
    {
        is_long = false;
        inverse = {};
#pragma unroll
        for (int i = 0; i < entries_at_once; ++i) {
            positions[i] = no_position;
            values[i] = {};
        }
        if (index >= row.num_left) {
            return;
        }
        const auto begin = row.pivot_begins[index];
        const auto end = row.pivot_ends[index];
        inverse = published::load(f.inverse_pivots + row.cols[index]);
        is_long = end - begin > size * entries_at_once;
        if (is_long) {
            return;
        }
#pragma unroll
        for (int i = 0; i < entries_at_once; ++i) {
            const auto entry = begin + (rank + i * size);
            if (entry < end) {
                positions[i] = f.col_idxs[entry];
                values[i] = published::load(f.values + entry);
            }
        }
    }

    /// Replaces the columns of the entries by their positions in row i. All of them are on the same
    /// side of column k there.
    __device__ __forceinline__ void match(const row_type& row)
    {
#pragma unroll
        for (int i = 0; i < entries_at_once; ++i) {
            const auto col = positions[i];
            if (i == 0 || col != no_position) {
                const auto position = find_column<max_entries>(row.cols, col);
                const auto is_found = row.cols[position] == col;
                positions[i] = is_found ? position : no_position;
                if (!is_found) {
                    values[i] = {};
                }
            }
        }
    }

    /// Returns true if all values are published that the lane uses.
    __device__ __forceinline__ bool is_complete() const
    {
        auto result = published::is_complete(inverse);
#pragma unroll
        for (int i = 0; i < entries_at_once; ++i) {
            result = result && published::is_complete(values[i]);
        }
        return result;
    }

    /// Loads missing values again.
    /// @param index  that of load()
    /// @return  the address of a value that is still missing, or null
    __device__ __forceinline__ const T* load_missing(const factor_view<T, I>& f, const row_type& row, int index,
                                                     int rank)
    {
        const T* awaited = nullptr;
        if (index < row.num_left) {
            const auto reload = [&](published::bits<T>& value, const T* address) {
                if (!published::is_complete(value)) {
                    value = published::load(address);
                    awaited = published::is_complete(value) ? awaited : address;
                }
            };
            reload(inverse, f.inverse_pivots + row.cols[index]);
#pragma unroll
            for (int i = 0; i < entries_at_once; ++i) {
                reload(values[i], f.values + row.pivot_begins[index] + (rank + i * size));
            }
        }
        return awaited;
    }

    /// Calls function(position, value) for each entry that is used.
    template <typename Function>
    __device__ __forceinline__ void for_each(Function function) const
    {
#pragma unroll
        for (int i = 0; i < entries_at_once; ++i) {
            if (positions[i] != no_position) {
                function(positions[i], published::value_of(values[i]));
            }
        }
    }

    bool is_long{};
    published::bits<T> inverse{};
    I positions[entries_at_once]{};  ///< columns before match()
    published::bits<T> values[entries_at_once]{};
};

/// Contains an entry for each lane of a pivot row that is searched for the columns of row i. The
/// lanes take one column each at a time.
template <typename Rows, int size, typename T, typename I>
struct long_pivot_row {
    using row_type = shared_row<size * max_entries_of_lane, T, I>;

    /// Finds the entries in the next columns of row i, and loads their values.
    /// @return  false if there are no further columns
    __device__ __forceinline__ bool load_next(const factor_view<T, I>& f, const row_type& row, int index, int rank)
    {
        const auto begin = Rows::first_updated(index) + part * size;
        const auto end = Rows::end_of_updated(row, index);
        ++part;
        position = begin + rank;
        value = {};
        is_found = false;
        if (position < end) {
            const auto col = row.cols[position];
            entry = lower_bound(f.col_idxs, row.pivot_begins[index], row.pivot_ends[index], col);
            is_found = entry < row.pivot_ends[index] && f.col_idxs[entry] == col;
            if (is_found) {
                value = published::load(f.values + entry);
            }
        }
        return begin < end;
    }

    int part{};
    int position{};
    bool is_found{};
    bool is_loaded{};  ///< the entries of this part are
    bool is_used{};    ///< all parts have updated row i
    I entry{};
    published::bits<T> value{};
};

/// Computes rows of L and U.
struct lu_rows {
    template <typename T, typename I>
    static __device__ __forceinline__ I begin_of_pivot_row(const factor_view<T, I>& f, I row)
    {
        return f.diagonal[row] + 1;
    }
    template <typename T, typename I>
    static __device__ __forceinline__ I end_of_pivot_row(const factor_view<T, I>& f, I row)
    {
        return f.row_ptrs[row + 1];
    }
    static __device__ __forceinline__ int first_updated(int index) { return index + 1; }
    template <typename Row>
    static __device__ __forceinline__ int end_of_updated(const Row& row, int)
    {
        return row.num_entries;
    }

    /// Updates row i by entries of a long pivot row.
    template <typename Subwarp, typename Row, typename T, typename LongPivotRow>
    static __device__ __forceinline__ void update(const Subwarp& subwarp, const Row& row, int index, const T& inverse,
                                                  const LongPivotRow& entries)
    {
        const auto factor = row.values[index] * inverse;
        if (entries.is_found) {
            row.values[entries.position] -= factor * published::value_of(entries.value);
        }
        subwarp.sync();
    }

    /// Updates row i by the entries of a pivot row, and computes l_ik.
    template <typename Subwarp, typename Row, typename PivotRow>
    static __device__ __forceinline__ void finish_pivot(const Subwarp& subwarp, const Row& row, int index,
                                                        const PivotRow& pivot_row)
    {
        const auto factor = row.values[index] * published::value_of(pivot_row.inverse);
        pivot_row.for_each([&](int position, const auto& value) { row.values[position] -= factor * value; });
        subwarp.sync();
        if (subwarp.thread_rank() == 0) {
            row.values[index] = factor;
        }
    }
    template <typename Subwarp, typename Row>
    static __device__ __forceinline__ void finish_row(const Subwarp& subwarp, const Row&)
    {
        subwarp.sync();
    }
};

/// Computes rows of L with U = L^H.
struct cholesky_rows {
    template <typename T, typename I>
    static __device__ __forceinline__ I begin_of_pivot_row(const factor_view<T, I>& f, I row)
    {
        return f.row_ptrs[row];
    }
    template <typename T, typename I>
    static __device__ __forceinline__ I end_of_pivot_row(const factor_view<T, I>& f, I row)
    {
        return f.diagonal[row];
    }
    static __device__ __forceinline__ int first_updated(int) { return 0; }
    template <typename Row>
    static __device__ __forceinline__ int end_of_updated(const Row&, int index)
    {
        return index;
    }

    /// Subtracts products with entries of a long pivot row from entry l_ik.
    template <typename Subwarp, typename Row, typename T, typename LongPivotRow>
    static __device__ __forceinline__ void update(const Subwarp& subwarp, const Row& row, int index, const T&,
                                                  const LongPivotRow& entries)
    {
        const auto product = reduce_add(
            subwarp,
            entries.is_found ? row.values[entries.position] * conj_of(published::value_of(entries.value)) : T{});
        if (subwarp.thread_rank() == 0) {
            row.values[index] -= product;
        }
        subwarp.sync();
    }

    /// Computes l_ik.
    template <typename Subwarp, int max_entries, typename T, typename I, typename PivotRow>
    static __device__ __forceinline__ void finish_pivot(const Subwarp& subwarp,
                                                        const shared_row<max_entries, T, I>& row, int index,
                                                        const PivotRow& pivot_row)
    {
        T products{};
        pivot_row.for_each([&](int position, const T& value) { products += row.values[position] * conj_of(value); });
        const auto product = reduce_add(subwarp, products);
        if (subwarp.thread_rank() == 0) {
            row.values[index] = (row.values[index] - product) * published::value_of(pivot_row.inverse);
        }
        subwarp.sync();
    }
    template <typename Subwarp, int max_entries, typename T, typename I>
    static __device__ __forceinline__ void finish_row(const Subwarp& subwarp, const shared_row<max_entries, T, I>& row)
    {
        T squares{};
#pragma unroll 1
        for (int i = subwarp.thread_rank(); i < row.num_left; i += subwarp.size()) {
            squares += row.values[i] * conj_of(row.values[i]);
        }
        const auto square = reduce_add(subwarp, squares);
        if (subwarp.thread_rank() == 0) {
            row.values[row.num_left] = T{sqrt_of(real_of(row.values[row.num_left] - square))};
        }
        subwarp.sync();
    }
};

/// Copies the pattern of a row and the values of A to the shared memory of a subwarp. Loops over
/// the entries of a row are not unrolled, which saves registers.
template <typename Rows, typename Subwarp, int max_entries, typename T, typename I>
__device__ __forceinline__ void load_row(const Subwarp& subwarp, const factor_view<T, I>& f, I row_number,
                                         shared_row<max_entries, T, I>& row)
{
    row.first = f.row_ptrs[row_number];
    row.num_entries = static_cast<int>(f.row_ptrs[row_number + 1] - row.first);
    row.num_left = static_cast<int>(f.diagonal[row_number] - row.first);
#pragma unroll 1
    for (int i = subwarp.thread_rank(); i < row.num_entries; i += subwarp.size()) {
        const auto col = f.col_idxs[row.first + i];
        row.cols[i] = col;
        row.values[i] = value_of_a(f, row.first + i);
        if (i < row.num_left) {
            row.pivot_begins[i] = Rows::begin_of_pivot_row(f, col);
            row.pivot_ends[i] = Rows::end_of_pivot_row(f, col);
        }
    }
    pad_columns<max_entries>(subwarp, row.cols, row.num_entries);
    subwarp.sync();
}

/// Stores the values of a row, and the inverse of its pivot, for other rows.
template <typename Subwarp, int max_entries, typename T, typename I>
__device__ __forceinline__ void publish_row(const Subwarp& subwarp, const factor_view<T, I>& f, I row_number,
                                            const shared_row<max_entries, T, I>& row)
{
    auto is_bad = false;
#pragma unroll 1
    for (int i = subwarp.thread_rank(); i < row.num_entries; i += subwarp.size()) {
        const auto value = row.values[i];
        published::store(f.values + row.first + i, value);
        is_bad = is_bad || !is_finite_value(value);
        if (i == row.num_left) {
            const auto inverse = T{1} / value;
            published::store(f.inverse_pivots + row_number, inverse);
            is_bad = is_bad || !is_finite_value(inverse);
        }
    }
    if (is_bad) {
        atomic_min(f.bad_row, row_number);
    }
}

/// Updates row i by entries of a long pivot row, one for each lane, or loads missing ones again.
/// @return  the address of a value that is still missing, or null
template <typename Rows, typename Subwarp, int size, typename T, typename I>
__device__ __forceinline__ const T* use_long_pivot(const Subwarp& subwarp, const factor_view<T, I>& f,
                                                   const shared_row<size * max_entries_of_lane, T, I>& row, int index,
                                                   const T& inverse, long_pivot_row<Rows, size, T, I>& entries)
{
    if (!entries.is_loaded) {
        entries.is_loaded = entries.load_next(f, row, index, static_cast<int>(subwarp.thread_rank()));
        entries.is_used = !entries.is_loaded;
    } else if (!published::is_complete(entries.value)) {
        entries.value = published::load(f.values + entries.entry);
    }
    const auto is_complete = published::is_complete(entries.value);
    if (subwarp.all(is_complete) && entries.is_loaded) {
        Rows::update(subwarp, row, index, inverse, entries);
        entries.is_loaded = false;
    }
    return is_complete ? nullptr : f.values + entries.entry;
}

/// Computes a row for each subwarp. Subwarps may wait for each other, so a warp stays in the loop
/// until all of them have finished, and those that wait only load missing values again.
template <typename Rows, int size, typename Warp, typename T, typename I>
__device__ __forceinline__ void compute_rows(const Warp& warp, const factor_view<T, I>& f, I row_number, bool has_row,
                                             shared_row<size * max_entries_of_lane, T, I> row)
{
    const auto subwarp = group::tiled_partition<size>(group::this_thread_block());
    const auto rank = static_cast<int>(subwarp.thread_rank());
    warp.sync();  // the memory of the row may still be in use
    constexpr auto num_pivots = num_pivots_at_once;
    pivot_row<Rows, size, T, I> pivots[num_pivots];
    long_pivot_row<Rows, size, T, I> long_pivot;
    int index = 0;  // of the next pivot in the row
    int turn = 0;   // which of the pivots it is
    if (has_row) {
        load_row<Rows>(subwarp, f, row_number, row);
#pragma unroll
        for (int i = 0; i < num_pivots; ++i) {
            pivots[i].load(f, row, i, rank);
        }
        pivots[0].match(row);
    }
    while (warp.any(has_row)) {
        auto has_to_wait = false;
        // Unrolled, so that the pivots stay in their registers.
#pragma unroll
        for (int i = 0; i < num_pivots; ++i) {
            if (has_row && turn == i && !has_to_wait && index < row.num_left) {
                has_to_wait = !subwarp.all(pivots[i].is_long ? long_pivot.is_used : pivots[i].is_complete());
                if (!has_to_wait) {
                    Rows::finish_pivot(subwarp, row, index, pivots[i]);
                    if (pivots[i].is_long) {
                        long_pivot = {};
                    }
                    pivots[i].load(f, row, index + num_pivots, rank);
                    pivots[(i + 1) % num_pivots].match(row);
                    turn = (i + 1) % num_pivots;
                    ++index;
                }
            }
        }
        if (has_row && has_to_wait) {
            const T* awaited = nullptr;
            auto is_long = false;
            published::bits<T> inverse{};
#pragma unroll
            for (int i = 0; i < num_pivots; ++i) {
                const auto ahead = i < turn ? i - turn + num_pivots : i - turn;
                const auto missing = pivots[i].load_missing(f, row, index + ahead, rank);
                if (turn == i) {
                    awaited = missing;
                    is_long = pivots[i].is_long;
                    inverse = pivots[i].inverse;
                }
            }
            if (is_long && subwarp.all(!awaited)) {
                awaited = use_long_pivot(subwarp, f, row, index, published::value_of(inverse), long_pivot);
            }
            if (awaited) {
                published::wait(awaited);
            }
        } else if (has_row && index >= row.num_left) {
            Rows::finish_row(subwarp, row);
            publish_row(subwarp, f, row_number, row);
            has_row = false;
        }
    }
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::incomplete::kernel
