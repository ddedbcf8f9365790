// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <omp.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include <spruce/matrix/csr.hpp>

#include "core/components/row_chains.hpp"

namespace spruce::kernels::omp {

using spruce::detail::row_chains;

// The work of a kernel is estimated in entries of a long row (doc/tuning/triangular.md).

/// Work of a row besides that of its entries.
constexpr size_type work_of_row = 3;
/// Work of starting a chain: loads that miss the caches.
constexpr size_type work_of_chain = 200;
/// Time of a barrier, in units of work, for each thread that takes part.
constexpr size_type work_of_barrier_per_thread = 250;
/// Levels with less work are processed by one thread, whatever the number of threads.
constexpr size_type min_work_of_parallel_level = 16384;
/// Several threads are used if they take less than this part of the time of one, since estimates
/// are not exact.
constexpr double max_time_of_threads = 0.75;

/// Holds chains, the work of each, and the level of each: one more than the largest level of those
/// on which it depends.
struct weighted_chains {
    std::vector<row_chains::chain> chains;
    std::vector<size_type> work;
    std::vector<size_type> levels;
    size_type num_levels{};
    size_type work_in_own_order{};  ///< work of one thread that processes the rows in the order of the matrix
};

/// Divides the rows of a triangle, without its diagonal, into chains.
/// @param work_of_entry  returns the work of an entry in a column
template <typename V, typename I, typename Work>
weighted_chains find_chains(const matrix::Csr<V, I>& a, bool upper, Work work_of_entry)
{
    const auto size = a.get_size()[0];
    weighted_chains result;
    std::vector<size_type> level_of_position(size);
    const auto finish_chain = [&] {
        if (!result.chains.empty()) {
            const auto [begin, end] = result.chains.back();
            std::fill(level_of_position.begin() + begin, level_of_position.begin() + end, result.levels.back());
            result.num_levels = std::max(result.num_levels, result.levels.back() + 1);
        }
    };
    for (size_type position = 0; position < size; ++position) {
        const auto row = upper ? size - 1 - position : position;
        auto chain_begin = result.chains.empty() ? 0 : result.chains.back().begin;
        const auto for_each_entry = [&](auto function) {
            for (auto nz = a.get_const_row_ptrs()[row]; nz < a.get_const_row_ptrs()[row + 1]; ++nz) {
                const auto col = static_cast<size_type>(a.get_const_col_idxs()[nz]);
                if (upper ? col > row : col < row) {
                    function(upper ? size - 1 - col : col);
                }
            }
        };
        auto continues = false;
        auto work = work_of_row;
        for_each_entry([&](size_type other) {
            continues = continues || other + 1 == position;
            work += work_of_entry(upper ? size - 1 - other : other);
        });
        if (!continues) {
            finish_chain();
            result.chains.push_back({position, position});
            result.work.push_back(work_of_chain);
            result.levels.push_back(0);
            chain_begin = position;
        }
        for_each_entry([&](size_type other) {
            if (other < chain_begin) {
                result.levels.back() = std::max(result.levels.back(), level_of_position[other] + 1);
            }
        });
        result.chains.back().end = position + 1;
        result.work.back() += work;
        result.work_in_own_order += work;
    }
    finish_chain();
    return result;
}

/// Divides chains into parts of about equal work. A chain is in the part in which its middle is.
/// @param order  numbers of chains
/// @param ends   the end of each part
/// @return  the largest work of a part
inline size_type divide_into_parts(const std::vector<size_type>& work_of_chains, const std::vector<size_type>& order,
                                   size_type begin, size_type end, size_type work, std::vector<size_type>& ends)
{
    const auto num_parts = ends.size();
    size_type largest{};
    size_type sum{};
    for (size_type part = 0; part < num_parts; ++part) {
        const auto sum_before = sum;
        while (begin < end && num_parts * (2 * sum + work_of_chains[order[begin]]) <= 2 * work * (part + 1)) {
            sum += work_of_chains[order[begin++]];
        }
        ends[part] = begin;
        largest = std::max(largest, sum - sum_before);
    }
    return largest;
}

/// Orders chains by level. Chains of a level keep their order.
/// @return  the offset of each level in order, and the number of chains
inline std::vector<size_type> order_by_level(const weighted_chains& found, std::vector<size_type>& order)
{
    std::vector<size_type> level_ptrs(found.num_levels + 1);
    for (const auto level : found.levels) {
        ++level_ptrs[level + 1];
    }
    std::partial_sum(level_ptrs.begin(), level_ptrs.end(), level_ptrs.begin());
    order.resize(found.chains.size());
    auto next = level_ptrs;
    for (size_type i = 0; i < order.size(); ++i) {
        order[next[found.levels[i]]++] = i;
    }
    return level_ptrs;
}

/// Distributes the chains of a triangle over threads. One thread processes adjacent levels with too
/// little work. The result is sequential if several threads would not be faster than one.
/// @param work_of_entry  returns the work of an entry in a column
template <typename V, typename I, typename Work>
row_chains distribute_chains(const matrix::Csr<V, I>& a, bool upper, Work work_of_entry)
{
    row_chains result;
    const auto num_parts = static_cast<size_type>(omp_get_max_threads());
    const auto work_of_barrier = num_parts * work_of_barrier_per_thread;
    if (num_parts == 1) {
        return result;
    }
    const auto found = find_chains(a, upper, work_of_entry);
    std::vector<size_type> order;
    const auto level_ptrs = order_by_level(found, order);
    std::vector<size_type> part_ptrs;
    std::vector<size_type> ends(num_parts);
    size_type time{};  // in units of work
    auto was_parallel = true;
    for (size_type level = 0; level < found.num_levels; ++level) {
        const auto begin = level_ptrs[level];
        const auto end = level_ptrs[level + 1];
        const auto work = std::accumulate(order.begin() + begin, order.begin() + end, size_type{},
                                          [&](size_type sum, size_type i) { return sum + found.work[i]; });
        auto largest = work;
        if (work >= min_work_of_parallel_level) {
            largest = divide_into_parts(found.work, order, begin, end, work, ends);
        }
        const auto is_parallel = largest + work_of_barrier < work;
        if (is_parallel || was_parallel) {
            part_ptrs.push_back(begin);
            part_ptrs.insert(part_ptrs.end(), ends.begin(), ends.end() - 1);
            time += work_of_barrier;
        }
        if (!is_parallel) {
            std::fill(part_ptrs.end() - static_cast<std::ptrdiff_t>(num_parts - 1), part_ptrs.end(), end);
        }
        time += is_parallel ? largest : work;
        was_parallel = is_parallel;
    }
    part_ptrs.push_back(order.size());
    if (static_cast<double>(time) < max_time_of_threads * static_cast<double>(found.work_in_own_order)) {
        for (size_type part = 0; part + 1 < part_ptrs.size(); ++part) {
            std::sort(order.begin() + part_ptrs[part], order.begin() + part_ptrs[part + 1]);
        }
        for (const auto i : order) {
            result.chains.push_back(found.chains[i]);
        }
        result.part_ptrs = std::move(part_ptrs);
        result.num_parts = num_parts;
    }
    return result;
}

/// Calls function(thread, begin, end) for ranges of positions that contain each row once, after
/// those on which it depends. If there are fewer threads than parts, the calling thread is the only
/// one.
template <typename Function>
void run_chains(const row_chains& order, size_type num_rows, Function function)
{
    if (order.is_sequential() || static_cast<size_type>(omp_get_max_threads()) < order.num_parts) {
        function(size_type{}, size_type{}, num_rows);
        return;
    }
#pragma omp parallel num_threads(static_cast <int>(order.num_parts))
    {
        const auto num_threads = static_cast<size_type>(omp_get_num_threads());
        const auto thread = static_cast<size_type>(omp_get_thread_num());
        for (size_type stage = 0; stage + 1 < order.part_ptrs.size(); stage += order.num_parts) {
            for (auto part = thread; part < order.num_parts; part += num_threads) {
                for (auto i = order.part_ptrs[stage + part]; i < order.part_ptrs[stage + part + 1]; ++i) {
                    function(thread, order.chains[i].begin, order.chains[i].end);
                }
            }
#pragma omp barrier
        }
    }
}

}  // namespace spruce::kernels::omp
