// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include <spruce/matrix/csr.hpp>

#include "core/components/level_stages.hpp"

namespace spruce::kernels::omp {

/// Levels with fewer entries are processed by one thread (doc/tuning/constants.md).
constexpr size_type min_entries_of_parallel_level = 2048;

/// Divides rows in the order of levels into stages. Adjacent levels with few entries form one
/// stage, which a single thread processes. The result is empty if all levels have few entries: then
/// a single thread should process the rows in their own order, which has the best locality.
/// @param level_ptrs  the offset of each level in order, and the number of rows
template <typename V, typename I>
std::vector<spruce::detail::level_stage> divide_into_stages(const matrix::Csr<V, I>& a, const array<I>& level_ptrs,
                                                            const array<I>& order)
{
    std::vector<spruce::detail::level_stage> result;
    const auto row_ptrs = a.get_const_row_ptrs();
    auto has_parallel_stage = false;
    for (size_type level = 0; level + 1 < level_ptrs.get_size(); ++level) {
        const auto end = static_cast<size_type>(level_ptrs.get_const_data()[level + 1]);
        size_type num_entries{};
        for (auto i = static_cast<size_type>(level_ptrs.get_const_data()[level]); i < end; ++i) {
            const auto row = order.get_const_data()[i];
            num_entries += static_cast<size_type>(row_ptrs[row + 1] - row_ptrs[row]);
        }
        const auto is_parallel = num_entries >= min_entries_of_parallel_level;
        has_parallel_stage = has_parallel_stage || is_parallel;
        if (!is_parallel && !result.empty() && !result.back().is_parallel) {
            result.back().end = end;
        } else {
            result.push_back({end, is_parallel});
        }
    }
    return has_parallel_stage ? result : std::vector<spruce::detail::level_stage>{};
}

/// Calls function(row) for the rows of one stage after the other.
template <typename I, typename Function>
void run_stages(const std::vector<spruce::detail::level_stage>& stages, const array<I>& order, Function function)
{
    const auto rows = order.get_const_data();
#pragma omp parallel
    {
        size_type begin{};
        for (const auto& stage : stages) {
            if (stage.is_parallel) {
#pragma omp for schedule(static)
                for (size_type i = begin; i < stage.end; ++i) {
                    function(static_cast<size_type>(rows[i]));
                }
            } else {
#pragma omp single
                for (size_type i = begin; i < stage.end; ++i) {
                    function(static_cast<size_type>(rows[i]));
                }
            }
            begin = stage.end;
        }
    }
}

}  // namespace spruce::kernels::omp
