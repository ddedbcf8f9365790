// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/solver/triangular_kernels.hpp"

#include "common/unified/base/prelude.hpp"
#include "core/solver/dependency_levels.hpp"

#include SPRUCE_DEVICE_FILE(solver, dependency_levels)

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace triangular {

/// Solves one level after the other. The rows of a level do not depend on each other: each of them
/// has a thread for each right-hand side.
template <typename V, typename I>
void solve(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, bool upper, bool unit_diagonal, const I* order,
           const std::vector<size_type>& level_ptrs, const matrix::Dense<V>& b, matrix::Dense<V>& x)
{
    for (size_type level = 0; level + 1 < level_ptrs.size(); ++level) {
        run_for_each_entry(
            exec, level_ptrs[level + 1] - level_ptrs[level], b.get_size()[1],
            [order = order + level_ptrs[level], row_ptrs = a.get_const_row_ptrs(), col_idxs = a.get_const_col_idxs(),
             values = as_device(a.get_const_values()), upper, unit_diagonal, b = as_device(b.get_const_values()),
             b_stride = b.get_stride(), x = as_device(x.get_values()),
             x_stride = x.get_stride()] SPRUCE_KERNEL_LAMBDA(size_type i, size_type col) {
                const auto row = order[i];
                auto value = b[static_cast<size_type>(row) * b_stride + col];
                auto diagonal = one<device_type<V>>();
                for (auto nz = row_ptrs[row]; nz < row_ptrs[row + 1]; ++nz) {
                    const auto other = col_idxs[nz];
                    if (other == row) {
                        diagonal = values[nz];
                    } else if ((other > row) == upper) {
                        value -= values[nz] * x[static_cast<size_type>(other) * x_stride + col];
                    }
                }
                x[static_cast<size_type>(row) * x_stride + col] = unit_diagonal ? value : value / diagonal;
            });
    }
}

}  // namespace triangular

void register_triangular()
{
    for_each_value_and_index_type([](auto tag) {
        using V = typename decltype(tag)::value_type;
        using I = typename decltype(tag)::index_type;
        kernels::triangular::compute_levels<V, I>.template set<DeviceExecutor>(&triangular::compute_levels<V, I>);
        kernels::triangular::solve<V, I>.template set<DeviceExecutor>(&triangular::solve<V, I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
