// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/triangular_kernels.hpp"

#include <omp.h>

#include "core/solver/dependency_levels.hpp"
#include "core/solver/level_order.hpp"
#include "omp/base/register.hpp"

namespace spruce::kernels::omp {
namespace triangular {

using spruce::solver::detail::triangular_schedule;

/// Levels with fewer entries are solved by one thread (doc/tuning/constants.md).
constexpr size_type min_entries_of_parallel_level = 2048;

template <typename V, typename I>
void compute_levels(const OmpExecutor&, const matrix::Csr<V, I>& a, bool upper, I* levels)
{
    compute_levels_in_order(a, upper, levels);
}

/// Divides the levels into stages. Adjacent levels with few entries form one stage, in which a
/// single thread solves all rows. If all levels have few entries, rows are solved in their own
/// order, which has the best locality.
template <typename V, typename I>
void analyze(const OmpExecutor& exec, const matrix::Csr<V, I>& a, bool upper, bool, triangular_schedule<V, I>& schedule)
{
    using stage = typename triangular_schedule<V, I>::stage;
    array<I> levels{exec.shared_from_this(), a.get_size()[0]};
    compute_levels(exec, a, upper, levels.get_data());
    const auto level_ptrs = order_by_group(levels, levels.get_size(), schedule.order);
    schedule.num_levels = level_ptrs.get_size() - 1;
    schedule.stages.clear();
    const auto row_ptrs = a.get_const_row_ptrs();
    auto has_parallel_stage = false;
    for (size_type level = 0; level < schedule.num_levels; ++level) {
        const auto end = static_cast<size_type>(level_ptrs.get_const_data()[level + 1]);
        size_type num_entries{};
        for (auto i = static_cast<size_type>(level_ptrs.get_const_data()[level]); i < end; ++i) {
            const auto row = schedule.order.get_const_data()[i];
            num_entries += static_cast<size_type>(row_ptrs[row + 1] - row_ptrs[row]);
        }
        const auto is_parallel = num_entries >= min_entries_of_parallel_level;
        has_parallel_stage = has_parallel_stage || is_parallel;
        if (!is_parallel && !schedule.stages.empty() && !schedule.stages.back().is_parallel) {
            schedule.stages.back().end = end;
        } else {
            schedule.stages.push_back(stage{end, is_parallel});
        }
    }
    if (!has_parallel_stage) {
        schedule.stages.clear();
        schedule.order.resize_and_reset(0);
    }
}

/// Computes the entries of x in a row.
template <typename V, typename I>
void solve_row(const matrix::Csr<V, I>& a, bool upper, bool unit_diagonal, size_type row, const matrix::Dense<V>& b,
               matrix::Dense<V>& x)
{
    const auto begin = a.get_const_row_ptrs()[row];
    const auto end = a.get_const_row_ptrs()[row + 1];
    for (size_type col = 0; col < b.get_size()[1]; ++col) {
        auto value = b.at(row, col);
        auto diagonal = one<V>();
        for (auto nz = begin; nz < end; ++nz) {
            const auto other = static_cast<size_type>(a.get_const_col_idxs()[nz]);
            if (other == row) {
                diagonal = a.get_const_values()[nz];
            } else if ((other > row) == upper) {
                value -= a.get_const_values()[nz] * x.at(other, col);
            }
        }
        x.at(row, col) = unit_diagonal ? value : value / diagonal;
    }
}

template <typename V, typename I>
void solve(const OmpExecutor&, const matrix::Csr<V, I>& a, bool upper, bool unit_diagonal,
           const triangular_schedule<V, I>& schedule, const matrix::Dense<V>& b, matrix::Dense<V>& x)
{
    const auto size = a.get_size()[0];
    if (schedule.stages.empty() || omp_get_max_threads() == 1) {
        for (size_type step = 0; step < size; ++step) {
            solve_row(a, upper, unit_diagonal, upper ? size - 1 - step : step, b, x);
        }
        return;
    }
    const auto order = schedule.order.get_const_data();
#pragma omp parallel
    {
        size_type begin{};
        for (const auto& stage : schedule.stages) {
            if (stage.is_parallel) {
#pragma omp for schedule(static)
                for (size_type i = begin; i < stage.end; ++i) {
                    solve_row(a, upper, unit_diagonal, static_cast<size_type>(order[i]), b, x);
                }
            } else {
#pragma omp single
                for (size_type i = begin; i < stage.end; ++i) {
                    solve_row(a, upper, unit_diagonal, static_cast<size_type>(order[i]), b, x);
                }
            }
            begin = stage.end;
        }
    }
}

}  // namespace triangular

void register_triangular()
{
    for_each_value_and_index_type([](auto tag) {
        using V = typename decltype(tag)::value_type;
        using I = typename decltype(tag)::index_type;
        kernels::triangular::compute_levels<V, I>.template set<OmpExecutor>(&triangular::compute_levels<V, I>);
        kernels::triangular::analyze<V, I>.template set<OmpExecutor>(&triangular::analyze<V, I>);
        kernels::triangular::solve<V, I>.template set<OmpExecutor>(&triangular::solve<V, I>);
    });
}

}  // namespace spruce::kernels::omp
