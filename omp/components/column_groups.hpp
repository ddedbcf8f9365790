// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <type_traits>

#include <spruce/base/types.hpp>

#include "common/numeric/merge_path.hpp"
#include "omp/components/vector_unit.hpp"

namespace spruce::kernels::omp {

/// Calls function(std::integral_constant<int, width>) for min_width <= width <= max_width.
template <size_type min_width, size_type max_width, typename Function>
SPRUCE_FORCE_INLINE inline void select_width(size_type width, const Function& function)
{
    if constexpr (max_width > min_width) {
        if (width < max_width) {
            select_width<min_width, max_width - 1>(width, function);
            return;
        }
    }
    function(std::integral_constant<int, static_cast<int>(max_width)>{});
}

/// Divides the columns into groups of at most nine, of about equal width, and calls function(first
/// column, width) for each. The width is an std::integral_constant. One column alone is not a
/// group: it needs other loops. A narrow last group would cost as much as a wide one, so nine
/// columns are one group (doc/tuning/constants.md).
template <typename Function>
SPRUCE_FORCE_INLINE inline void for_each_column_group(size_type num_cols, const Function& function)
{
    constexpr size_type usual_width = 8;
    constexpr size_type max_width = usual_width + 1;
    const auto num_groups = num_cols == 0 ? 0 : (num_cols + usual_width - 2) / usual_width;
    for (size_type group = 0; group < num_groups; ++group) {
        const auto first = split_evenly(num_cols, group, num_groups);
        select_width<2, max_width>(split_evenly(num_cols, group + 1, num_groups) - first,
                                   [&](auto width) SPRUCE_FORCE_INLINE { function(first, width); });
    }
}

}  // namespace spruce::kernels::omp
