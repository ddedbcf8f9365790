// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/ell.hpp>
#include <spruce/matrix/sellp.hpp>

#include "common/numeric/complex.hpp"

/// Defines the common layout of Ell and Sellp, for which kernels are written once. Rows are grouped
/// into slices of `width` rows. The columns of a slice begin at first_column(slice) and end before
/// first_column(slice + 1). Their number is the length of the longest row of the slice. Entry i of
/// a row is at position (first_column(slice_of(row)) + i) * width + lane_of(row). Unused positions
/// have the column index padding_column.
namespace spruce::matrix {

constexpr int padding_column = -1;

/// Describes the layout of Ell, which has a single slice.
struct ell_layout {
    SPRUCE_HOST_DEVICE_INLINE size_type slice_of(size_type) const { return 0; }
    SPRUCE_HOST_DEVICE_INLINE size_type lane_of(size_type row) const { return row; }
    SPRUCE_HOST_DEVICE_INLINE size_type first_column(size_type slice) const { return slice == 0 ? 0 : num_columns; }

    size_type width;
    size_type num_slices;
    size_type num_columns;
};

struct sellp_layout {
    SPRUCE_HOST_DEVICE_INLINE size_type slice_of(size_type row) const
    {
        return shift >= 0 ? row >> shift : row / width;
    }
    SPRUCE_HOST_DEVICE_INLINE size_type lane_of(size_type row) const { return row - this->slice_of(row) * width; }
    SPRUCE_HOST_DEVICE_INLINE size_type first_column(size_type slice) const { return slice_sets[slice]; }

    size_type width;
    size_type num_slices;
    size_type num_columns;
    const size_type* slice_sets;
    // width = 2^shift; negative if width is not a power of two. Shifts replace divisions, which are
    // slow on GPUs (doc/tuning/ell-sellp.md).
    int shift;
};

template <typename V, typename I>
ell_layout layout_of(const Ell<V, I>& a)
{
    return {a.get_stride(), 1, a.get_num_stored_elements_per_row()};
}
template <typename V, typename I>
sellp_layout layout_of(const Sellp<V, I>& a)
{
    const auto width = a.get_slice_size();
    int shift = 0;
    while (size_type{1} << shift < width) {
        ++shift;
    }
    return {width, (a.get_size()[0] + width - 1) / width, a.get_total_cols(), a.get_const_slice_sets(),
            size_type{1} << shift == width ? shift : -1};
}

/// Describes the positions of the entries of a row: begin, begin + width, ..., `length` of them.
struct row_positions {
    size_type begin;
    size_type length;
};
template <typename Layout>
SPRUCE_HOST_DEVICE_INLINE row_positions offsets_of(const Layout& layout, size_type row)
{
    const auto slice = layout.slice_of(row);
    const auto first = layout.first_column(slice);
    return {first * layout.width + layout.lane_of(row), layout.first_column(slice + 1) - first};
}

}  // namespace spruce::matrix
