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

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::incomplete::kernel {

using factor_rows::max_entries_of_lane;

/// Number of pivot rows that are loaded at the same time (doc/tuning/factorizations.md).
constexpr int num_pivots_at_once = 4;

/// Views a row, which a subwarp computes in shared memory. The columns are sorted.
template <typename T, typename I>
struct shared_row {
    I first;  ///< its first entry in the factors
    int num_entries;
    int num_left;  ///< number of entries left of the diagonal
    I* cols;
    T* values;
    I* pivot_begins;  ///< of the entries of each pivot row that are used, besides the pivot
    I* pivot_ends;
};

/// Contains the entries of a pivot row that a lane uses, and the entries of row i in the same
/// columns. If the pivot row has more than size * max_rounds entries, the lanes search it for the
/// columns of row i instead, of which they take as many at a time.
template <typename Rows, int size, typename T, typename I>
struct pivot_row {
    static constexpr int max_rounds = 2;  ///< number of entries that a lane takes
    static constexpr uint32 pivot_bit = 1u << max_rounds;

    /// Loads columns and values.
    /// @param new_index  index of l_ik in row i
    __device__ __forceinline__ void load(const factor_view<T, I>& f, const shared_row<T, I>& row, int new_index,
                                         int new_part, int rank)
    {
        index = new_index;
        part = new_part;
        used = 0;
        if (index >= row.num_left) {
            return;
        }
        const auto begin = row.pivot_begins[index];
        const auto end = row.pivot_ends[index];
        is_searched = end - begin > size * max_rounds;
        is_last_part = !is_searched || (part + 1) * size * max_rounds >= row.num_entries;
        pivot_entry = Rows::pivot_of(begin, end);
        pivot = published::load(f.values + pivot_entry);
        used = pivot_bit;
#pragma unroll
        for (int i = 0; i < max_rounds; ++i) {
            entries[i] = begin + (rank + i * size);
            if (!is_searched && entries[i] < end) {
                cols[i] = f.col_idxs[entries[i]];
                values[i] = published::load(f.values + entries[i]);
                used |= 1u << i;
            }
        }
    }

    /// Loads the part that follows another one.
    __device__ __forceinline__ void load_after(const pivot_row& other, const factor_view<T, I>& f,
                                               const shared_row<T, I>& row, int rank)
    {
        const auto is_new_pivot = other.is_last_part;
        this->load(f, row, other.index + (is_new_pivot ? 1 : 0), is_new_pivot ? 0 : other.part + 1, rank);
    }

    /// Finds the positions of the entries in row i. Those without a position are not used.
    __device__ __forceinline__ void match(const factor_view<T, I>& f, const shared_row<T, I>& row, int rank)
    {
        const auto begin = Rows::first_updated(row, index);
        const auto end = Rows::end_of_updated(row, index);
#pragma unroll
        for (int i = 0; i < max_rounds; ++i) {
            if ((used & 1u << i) != 0) {
                positions[i] = lower_bound(row.cols, begin, end, cols[i]);
                if (positions[i] >= end || row.cols[positions[i]] != cols[i]) {
                    used &= ~(1u << i);
                }
            }
        }
        if (used != 0 && is_searched) {
            this->search(f, row, begin, end, rank);
        }
    }

    /// Finds the entries in the columns of this part of row i, and loads their values.
    __device__ __forceinline__ void search(const factor_view<T, I>& f, const shared_row<T, I>& row, int begin, int end,
                                           int rank)
    {
        const auto pivot_begin = row.pivot_begins[index];
        const auto pivot_end = row.pivot_ends[index];
#pragma unroll
        for (int i = 0; i < max_rounds; ++i) {
            positions[i] = rank + (part * max_rounds + i) * size;
            if (begin <= positions[i] && positions[i] < end) {
                const auto col = row.cols[positions[i]];
                entries[i] = lower_bound(f.col_idxs, pivot_begin, pivot_end, col);
                if (entries[i] < pivot_end && f.col_idxs[entries[i]] == col) {
                    values[i] = published::load(f.values + entries[i]);
                    used |= 1u << i;
                }
            }
        }
    }

    /// Returns a bit for each value that is used but not yet published.
    __device__ __forceinline__ uint32 find_missing() const
    {
        auto result = used & (published::is_complete(pivot) ? ~pivot_bit : ~0u);
#pragma unroll
        for (int i = 0; i < max_rounds; ++i) {
            if ((result & 1u << i) != 0 && published::is_complete(values[i])) {
                result &= ~(1u << i);
            }
        }
        return result;
    }

    /// Loads missing values again.
    /// @return  the address of a value that is still missing, or null
    __device__ __forceinline__ const T* load_missing(const factor_view<T, I>& f)
    {
        auto missing = this->find_missing();
        if ((missing & pivot_bit) != 0) {
            pivot = published::load(f.values + pivot_entry);
        }
#pragma unroll
        for (int i = 0; i < max_rounds; ++i) {
            if ((missing & 1u << i) != 0) {
                values[i] = published::load(f.values + entries[i]);
            }
        }
        missing = this->find_missing();
        const T* awaited = (missing & pivot_bit) != 0 ? f.values + pivot_entry : nullptr;
#pragma unroll
        for (int i = 0; i < max_rounds; ++i) {
            if ((missing & 1u << i) != 0) {
                awaited = f.values + entries[i];
            }
        }
        return awaited;
    }

    /// Calls function(position, value) for each entry that is used.
    template <typename Function>
    __device__ __forceinline__ void for_each(Function function) const
    {
#pragma unroll
        for (int i = 0; i < max_rounds; ++i) {
            if ((used & 1u << i) != 0) {
                function(positions[i], published::value_of(values[i]));
            }
        }
    }

    int index{};
    int part{};
    uint32 used{};  ///< a bit for each entry, and for the pivot
    bool is_searched{};
    bool is_last_part{};
    I pivot_entry;
    published::bits<T> pivot;
    I entries[max_rounds];
    I cols[max_rounds];
    int positions[max_rounds];
    published::bits<T> values[max_rounds];
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
    template <typename I>
    static __device__ __forceinline__ I pivot_of(I begin, I)
    {
        return begin - 1;
    }
    template <typename T, typename I>
    static __device__ __forceinline__ int first_updated(const shared_row<T, I>&, int index)
    {
        return index + 1;
    }
    template <typename T, typename I>
    static __device__ __forceinline__ int end_of_updated(const shared_row<T, I>& row, int)
    {
        return row.num_entries;
    }
    template <typename Subwarp, typename T, typename I, typename Pivot>
    static __device__ __forceinline__ void update(const Subwarp& subwarp, const shared_row<T, I>& row,
                                                  const Pivot& pivot)
    {
        const auto factor = row.values[pivot.index] / published::value_of(pivot.pivot);
        pivot.for_each([&](int position, const T& value) { row.values[position] -= factor * value; });
        subwarp.sync();
        if (pivot.is_last_part && subwarp.thread_rank() == 0) {
            row.values[pivot.index] = factor;
        }
    }
    template <typename Subwarp, typename T, typename I>
    static __device__ __forceinline__ void finish(const Subwarp& subwarp, const shared_row<T, I>&)
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
    template <typename I>
    static __device__ __forceinline__ I pivot_of(I, I end)
    {
        return end;
    }
    template <typename T, typename I>
    static __device__ __forceinline__ int first_updated(const shared_row<T, I>&, int)
    {
        return 0;
    }
    template <typename T, typename I>
    static __device__ __forceinline__ int end_of_updated(const shared_row<T, I>&, int index)
    {
        return index;
    }
    template <typename Subwarp, typename T, typename I, typename Pivot>
    static __device__ __forceinline__ void update(const Subwarp& subwarp, const shared_row<T, I>& row,
                                                  const Pivot& pivot)
    {
        T products{};
        pivot.for_each([&](int position, const T& value) { products += row.values[position] * conj_of(value); });
        const auto product = reduce_add(subwarp, products);
        if (subwarp.thread_rank() == 0) {
            const auto rest = row.values[pivot.index] - product;
            row.values[pivot.index] = pivot.is_last_part ? rest / published::value_of(pivot.pivot) : rest;
        }
        subwarp.sync();
    }
    template <typename Subwarp, typename T, typename I>
    static __device__ __forceinline__ void finish(const Subwarp& subwarp, const shared_row<T, I>& row)
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
template <typename Rows, typename Subwarp, typename T, typename I>
__device__ __forceinline__ void load_row(const Subwarp& subwarp, const factor_view<T, I>& f, I row_number,
                                         shared_row<T, I>& row)
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
    subwarp.sync();
}

/// Stores the values of a row for other rows.
template <typename Subwarp, typename T, typename I>
__device__ __forceinline__ void publish_row(const Subwarp& subwarp, const factor_view<T, I>& f, I row_number,
                                            const shared_row<T, I>& row)
{
    auto is_bad = false;
#pragma unroll 1
    for (int i = subwarp.thread_rank(); i < row.num_entries; i += subwarp.size()) {
        const auto value = row.values[i];
        published::store(f.values + row.first + i, value);
        is_bad = is_bad || !is_finite_value(value) || (i == row.num_left && value == T{});
    }
    if (is_bad) {
        atomic_min(f.bad_row, row_number);
    }
}

/// Computes a row for each subwarp. Subwarps may wait for each other.
/// @param row  has memory for max_entries_of_lane entries of each lane of the subwarp
template <typename Rows, int size, typename Warp, typename T, typename I>
__device__ __forceinline__ void compute_rows(const Warp& warp, const factor_view<T, I>& f, I row_number, bool has_row,
                                             shared_row<T, I> row)
{
    const auto subwarp = group::tiled_partition<size>(group::this_thread_block());
    const auto rank = static_cast<int>(subwarp.thread_rank());
    warp.sync();  // the memory of the row may still be in use
    constexpr auto num_pivots = num_pivots_at_once;
    pivot_row<Rows, size, T, I> pivots[num_pivots];
    if (has_row) {
        load_row<Rows>(subwarp, f, row_number, row);
        pivots[0].load(f, row, 0, 0, rank);
#pragma unroll
        for (int i = 1; i < num_pivots; ++i) {
            pivots[i].load_after(pivots[i - 1], f, row, rank);
        }
        pivots[0].match(f, row, rank);
        pivots[1].match(f, row, rank);
    }
    while (warp.any(has_row)) {
        if (has_row && pivots[0].index < row.num_left) {
            if (subwarp.all(pivots[0].find_missing() == 0)) {
                Rows::update(subwarp, row, pivots[0]);
#pragma unroll
                for (int i = 0; i + 1 < num_pivots; ++i) {
                    pivots[i] = pivots[i + 1];
                }
                pivots[num_pivots - 1].load_after(pivots[num_pivots - 2], f, row, rank);
                pivots[1].match(f, row, rank);
            } else {
                const auto awaited = pivots[0].load_missing(f);
#pragma unroll
                for (int i = 1; i < num_pivots; ++i) {
                    pivots[i].load_missing(f);
                }
                if (awaited) {
                    published::wait(awaited);
                }
            }
        }
        if (has_row && pivots[0].index == row.num_left) {
            Rows::finish(subwarp, row);
            publish_row(subwarp, f, row_number, row);
            has_row = false;
        }
    }
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::incomplete::kernel
