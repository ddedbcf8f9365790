// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/gpu/base/prelude.hpp"

/// Distributes the rows of incomplete factors among subwarps.
namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::factor_rows {

/// The largest number of entries of a row for each lane of its subwarp, a power of two. Rows with
/// more entries are long: they are not computed as a whole (doc/tuning/constants.md).
constexpr int max_entries_of_lane = 4;

/// Number of entries of another row that a lane loads before it uses the first one.
constexpr int entries_at_once = 2;

/// Calls function(std::integral_constant<int, size>) with the number of lanes that compute a row:
/// enough for the entries that a row has on average in one triangle.
/// @param num_entries  of a triangle with its diagonal
template <typename Function>
void select_lanes(size_type num_rows, size_type num_entries, Function function)
{
    constexpr int min_lanes = 4;
    select_subwarp_size<Function, min_lanes>(ceildiv(num_entries, num_rows), function);
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::factor_rows
