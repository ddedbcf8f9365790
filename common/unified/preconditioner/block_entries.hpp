// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/backend.hpp"
#include "common/numeric/complex.hpp"
#include "core/preconditioner/block_diagonal.hpp"

namespace spruce::kernels {

/// Views the entries of a block-diagonal matrix with blocks of any size.
template <typename T>
struct block_entries {
    static constexpr auto stride = int{spruce::preconditioner::block_storage_scheme::slice_size};

    /// Returns the address of the first entry of a row of a block. Adjacent entries of the row are
    /// stride values apart.
    SPRUCE_HOST_DEVICE_INLINE T* row_begin(size_type row) const
    {
        return values + slice_ptrs[row / stride] + row % stride;
    }
    SPRUCE_HOST_DEVICE_INLINE T& operator()(size_type row, int j) const { return this->row_begin(row)[j * stride]; }
    SPRUCE_HOST_DEVICE_INLINE int block_size(size_type row) const { return rows[row].block_size; }
    /// Returns the first row of the block to which a row belongs.
    SPRUCE_HOST_DEVICE_INLINE size_type first_row(size_type row) const { return row - rows[row].position; }

    const spruce::preconditioner::detail::block_row* rows;
    const int64* slice_ptrs;
    T* values;
};

template <typename V, typename I>
block_entries<device_type<V>> entries_of(spruce::preconditioner::detail::block_diagonal<V, I>& blocks)
{
    return {blocks.rows.get_const_data(), blocks.slice_ptrs.get_const_data(), as_device(blocks.values.get_data())};
}
template <typename V, typename I>
block_entries<const device_type<V>> entries_of(const spruce::preconditioner::detail::block_diagonal<V, I>& blocks)
{
    return {blocks.rows.get_const_data(), blocks.slice_ptrs.get_const_data(),
            as_device(blocks.values.get_const_data())};
}

/// Adds the products of a value and the first max_cols of num_cols values of b.
template <int num_cols, typename T>
SPRUCE_HOST_DEVICE_INLINE void add_products(const T& value, const T* b, int max_cols, T* sums)
{
    for (int i = 0; i < num_cols; ++i) {
        if (num_cols == 1 || i < max_cols) {
            sums[i] += value * b[i];
        }
    }
}

/// Returns a hash of an entry of a pattern by its position in its row: 32 bits of two rounds that
/// multiply by odd constants.
SPRUCE_HOST_DEVICE_INLINE int64 hash_of_entry(uint64 position, uint64 col)
{
    auto bits = col + (position + 1) * 0x9e3779b97f4a7c15u;
    bits = (bits ^ bits >> 32) * 0xd6e8feb86659fd93u;
    bits = (bits ^ bits >> 32) * 0xd6e8feb86659fd93u;
    return static_cast<int64>(bits >> 32);
}

}  // namespace spruce::kernels
