// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/ell.hpp>
#include <spruce/matrix/sellp.hpp>

#include "common/numeric/complex.hpp"

/// What Ell and Sellp have in common, so that their kernels are written once. Rows are taken together to slices of `width` rows;
/// a slice has columns first_column(slice), ..., first_column(slice + 1) - 1, as many as its longest row has entries. Entry i of
/// a row lies in place (first_column(slice_of(row)) + i) * width + lane_of(row). Where a row has no entry, the column index is
/// padding_column.
namespace spruce::matrix {

constexpr int padding_column = -1;

/// Ell is one slice.
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
    int shift;  // width = 2^shift, which saves GPUs slow divisions; negative if width is no power of two
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

/// The places of a row: begin, begin + width, ..., length of them.
struct row_places {
    size_type begin;
    size_type length;
};
template <typename Layout>
SPRUCE_HOST_DEVICE_INLINE row_places offsets_of(const Layout& layout, size_type row)
{
    const auto slice = layout.slice_of(row);
    const auto first = layout.first_column(slice);
    return {first * layout.width + layout.lane_of(row), layout.first_column(slice + 1) - first};
}

}  // namespace spruce::matrix
