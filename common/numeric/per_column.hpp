// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/types.hpp>

#include "common/numeric/complex.hpp"

namespace spruce::kernels {

/// Replaces function(row, col) in run_for_each_entry and run_sum_columns: make(col) returns the
/// function of the row. Each thread computes the common values of the rows of a column only once.
/// They stay in registers whatever the function writes (doc/tuning/solvers.md).
template <typename Make>
struct per_column {
    Make make;
};
template <typename Make>
per_column(Make) -> per_column<Make>;

/// Replaces function(row, col) or a per_column in run_sum_columns: devices begin at the last row.
/// The function must only read. The end of the vectors that the preceding kernel has written is
/// still in a cache (doc/tuning/solvers.md).
template <typename Function>
struct in_reverse {
    Function function;
};
template <typename Function>
in_reverse(Function) -> in_reverse<Function>;
template <typename Function>
constexpr bool begins_at_end = false;
template <typename Function>
constexpr bool begins_at_end<in_reverse<Function>> = true;

/// Returns the function of the row for one column. The argument is a function(row, col), a
/// per_column or an in_reverse.
template <typename Function>
SPRUCE_KERNEL_LAMBDA inline auto of_column(const Function& function, size_type col)
{
    return [&function, col](size_type row) { return function(row, col); };
}
template <typename Make>
SPRUCE_KERNEL_LAMBDA inline auto of_column(const per_column<Make>& function, size_type col)
{
    return function.make(col);
}
template <typename Function>
SPRUCE_KERNEL_LAMBDA inline auto of_column(const in_reverse<Function>& function, size_type col)
{
    return of_column(function.function, col);
}

}  // namespace spruce::kernels
