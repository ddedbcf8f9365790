// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/triangular_kernels.hpp"

#include <algorithm>

#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace triangular {

template <typename V, typename I>
void compute_levels(const ReferenceExecutor&, const matrix::Csr<V, I>& a, bool upper, const I*, I* levels)
{
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto size = a.get_size()[0];
    for (size_type step = 0; step < size; ++step) {
        const auto row = upper ? size - 1 - step : step;
        levels[row] = 0;
        for (auto nz = row_ptrs[row]; nz < row_ptrs[row + 1]; ++nz) {
            const auto other = static_cast<size_type>(a.get_const_col_idxs()[nz]);
            if (other != row && (other > row) == upper) {
                levels[row] = std::max<I>(levels[row], levels[other] + 1);
            }
        }
    }
}

/// Keeps the schedule, since solves process the rows in their order.
template <typename V, typename I>
void analyze(const ReferenceExecutor&, const matrix::Csr<V, I>&, bool,
             spruce::solver::detail::triangular_schedule<V, I>&)
{}

/// Keeps the schedule, since solves read the values of the matrix.
template <typename V, typename I>
void update_values(const ReferenceExecutor&, const matrix::Csr<V, I>&,
                   spruce::solver::detail::triangular_schedule<V, I>&)
{}

/// Solves by substitution in the order of the rows.
template <typename V, typename I>
void solve(const ReferenceExecutor&, const matrix::Csr<V, I>& a, bool upper, bool unit_diagonal,
           const spruce::solver::detail::triangular_schedule<V, I>&, const matrix::Dense<V>& b, matrix::Dense<V>& x)
{
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto size = a.get_size()[0];
    for (size_type col = 0; col < b.get_size()[1]; ++col) {
        for (size_type step = 0; step < size; ++step) {
            const auto row = upper ? size - 1 - step : step;
            auto value = b.at(row, col);
            auto diagonal = unit_diagonal ? one<V>() : zero<V>();
            for (auto nz = row_ptrs[row]; nz < row_ptrs[row + 1]; ++nz) {
                const auto other = static_cast<size_type>(a.get_const_col_idxs()[nz]);
                if (other == row) {
                    diagonal =
                        is_zero(diagonal) ? a.get_const_values()[nz] : diagonal;  // the first one, if stored twice
                } else if ((other > row) == upper) {
                    value -= a.get_const_values()[nz] * x.at(other, col);
                }
            }
            x.at(row, col) = value / diagonal;
        }
    }
}

}  // namespace triangular

void register_triangular()
{
    for_each_value_and_index_type([](auto type) {
        using V = typename decltype(type)::value_type;
        using I = typename decltype(type)::index_type;
        kernels::triangular::compute_levels<V, I>.template set<ReferenceExecutor>(&triangular::compute_levels<V, I>);
        kernels::triangular::analyze<V, I>.template set<ReferenceExecutor>(&triangular::analyze<V, I>);
        kernels::triangular::update_values<V, I>.template set<ReferenceExecutor>(&triangular::update_values<V, I>);
        kernels::triangular::solve<V, I>.template set<ReferenceExecutor>(&triangular::solve<V, I>);
    });
}

}  // namespace spruce::kernels::reference
