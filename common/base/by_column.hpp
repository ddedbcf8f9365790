// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/types.hpp>

#include "common/base/complex.hpp"

namespace spruce::kernels {

/// In place of function(row, col), for run_for_each_entry and run_sum_columns: make(col) gives the function of the row. What the rows
/// of a column share is worked out once by each thread then, and stays in registers whatever the function writes.
template <typename Make>
struct by_column {
    Make make;
};
template <typename Make>
by_column(Make) -> by_column<Make>;

/// The function of the row for one column, of either kind.
template <typename Function>
SPRUCE_LAMBDA inline auto of_column(const Function& function, size_type col)
{
    return [&function, col](size_type row) { return function(row, col); };
}
template <typename Make>
SPRUCE_LAMBDA inline auto of_column(const by_column<Make>& function, size_type col)
{
    return function.make(col);
}

}  // namespace spruce::kernels
