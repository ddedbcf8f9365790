// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Describes Ell and Sellp to kernels. Matrix is one of the two types.

#include "common/gpu/base/prelude.hpp"
#include "common/unified/matrix/padded_rows.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace padded_rows {

namespace kernel {

template <typename Layout, typename T, typename I>
struct padded_arrays {
    Layout layout;
    size_type num_rows;
    const I* col_idxs;
    const T* values;
};

}  // namespace kernel

template <typename Matrix>
auto arrays_of(const Matrix& a)
{
    using T = device_type<value_of<Matrix>>;
    const auto layout = layout_of(a);
    return kernel::padded_arrays<std::decay_t<decltype(layout)>, T, index_of<Matrix>>{
        layout, a.get_size()[0], a.get_const_col_idxs(), as_device(a.get_const_values())};
}

/// Returns the number of elements that a mean row stores.
template <typename Matrix>
size_type mean_length(const Matrix& a)
{
    const auto layout = layout_of(a);
    return layout.num_columns / std::max<size_type>(layout.num_slices, 1);
}

}  // namespace padded_rows

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
