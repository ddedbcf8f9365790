// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>

#include <spruce/base/array.hpp>

#include "core/components/array_kernels.hpp"
#include "core/components/sort_kernels.hpp"

namespace spruce::kernels {

/// Sorts rows by group, such as by level. Groups are not negative, and rows of a group keep their
/// order. The executor of `groups` runs it, and waits once for the device.
/// @param order  the rows, group by group
/// @return  the offset of each group in order, and the number of rows
template <typename I>
array<I> order_by_group(const array<I>& groups, array<I>& order)
{
    const auto exec = groups.get_executor();
    const auto size = groups.get_size();
    I last_group{};
    components::compute_max<I>(*exec, groups.get_const_data(), size, last_group);
    const auto num_groups = size == 0 ? 0 : static_cast<size_type>(last_group) + 1;
    array<I> sorted{exec, size};
    order.resize_and_reset(size);
    components::sort_keys<I>(*exec, groups.get_const_data(), nullptr, size, std::max<size_type>(num_groups, 1),
                             sorted.get_data(), order.get_data());
    array<I> result{exec, num_groups + 1};
    components::convert_idxs_to_ptrs<I>(*exec, sorted.get_const_data(), size, result.get_data(), num_groups);
    return result;
}

}  // namespace spruce::kernels
