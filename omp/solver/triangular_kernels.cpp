// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/triangular_kernels.hpp"

#include <omp.h>

#include "core/solver/dependency_levels.hpp"
#include "core/solver/level_order.hpp"
#include "omp/base/register.hpp"
#include "omp/components/level_stages.hpp"

namespace spruce::kernels::omp {
namespace triangular {

using spruce::solver::detail::triangular_schedule;

template <typename V, typename I>
void compute_levels(const OmpExecutor&, const matrix::Csr<V, I>& a, bool upper, I* levels)
{
    compute_levels_in_order(a, upper, levels);
}

template <typename V, typename I>
void analyze(const OmpExecutor& exec, const matrix::Csr<V, I>& a, bool upper, triangular_schedule<V, I>& schedule)
{
    array<I> levels{exec.shared_from_this(), a.get_size()[0]};
    compute_levels(exec, a, upper, levels.get_data());
    const auto level_ptrs = order_by_group(levels, levels.get_size(), schedule.order);
    schedule.num_levels = level_ptrs.get_size() - 1;
    schedule.stages = divide_into_stages(a, level_ptrs, schedule.order);
    if (schedule.stages.empty()) {
        schedule.order.resize_and_reset(0);
    }
}

/// Keeps the schedule, since solves read the values of the matrix.
template <typename V, typename I>
void update_values(const OmpExecutor&, const matrix::Csr<V, I>&, triangular_schedule<V, I>&)
{}

/// Computes the entries of x in a row.
/// @param diagonal  the diagonal entry, or a negative number for 1
template <typename V, typename I>
void solve_row(const matrix::Csr<V, I>& a, bool upper, I diagonal, size_type row, const matrix::Dense<V>& b,
               matrix::Dense<V>& x)
{
    const auto begin = a.get_const_row_ptrs()[row];
    const auto end = a.get_const_row_ptrs()[row + 1];
    for (size_type col = 0; col < b.get_size()[1]; ++col) {
        auto value = b.at(row, col);
        for (auto nz = begin; nz < end; ++nz) {
            const auto other = static_cast<size_type>(a.get_const_col_idxs()[nz]);
            if (other != row && (other > row) == upper) {
                value -= a.get_const_values()[nz] * x.at(other, col);
            }
        }
        x.at(row, col) = diagonal < 0 ? value : value / a.get_const_values()[diagonal];
    }
}

template <typename V, typename I>
void solve(const OmpExecutor&, const matrix::Csr<V, I>& a, bool upper, bool unit_diagonal,
           const triangular_schedule<V, I>& schedule, const matrix::Dense<V>& b, matrix::Dense<V>& x)
{
    const auto size = a.get_size()[0];
    const auto solve_one = [&, diagonal = schedule.diagonal.get_const_data()](size_type row) {
        solve_row(a, upper, unit_diagonal ? I{-1} : diagonal[row], row, b, x);
    };
    if (schedule.stages.empty() || omp_get_max_threads() == 1) {
        for (size_type step = 0; step < size; ++step) {
            solve_one(upper ? size - 1 - step : step);
        }
        return;
    }
    run_stages(schedule.stages, schedule.order, solve_one);
}

}  // namespace triangular

void register_triangular()
{
    for_each_value_and_index_type([](auto tag) {
        using V = typename decltype(tag)::value_type;
        using I = typename decltype(tag)::index_type;
        kernels::triangular::compute_levels<V, I>.template set<OmpExecutor>(&triangular::compute_levels<V, I>);
        kernels::triangular::analyze<V, I>.template set<OmpExecutor>(&triangular::analyze<V, I>);
        kernels::triangular::update_values<V, I>.template set<OmpExecutor>(&triangular::update_values<V, I>);
        kernels::triangular::solve<V, I>.template set<OmpExecutor>(&triangular::solve<V, I>);
    });
}

}  // namespace spruce::kernels::omp
