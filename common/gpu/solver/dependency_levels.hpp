// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/gpu/base/prelude.hpp"
#include "core/solver/triangular_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace triangular {

/// Computes the levels in rounds, as many as there are levels. A round uses the levels of the
/// preceding round, so that its rows do not depend on each other. Each round ends with a test on
/// the host.
template <typename V, typename I>
void compute_levels(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, bool upper, I* levels)
{
    const auto size = a.get_size()[0];
    array<I> other{exec.shared_from_this(), size};
    other.fill(I{});
    auto from = other.get_data();
    auto to = levels;
    for (bool has_changed = true; has_changed; std::swap(from, to)) {
        has_changed = run_or(exec, size,
                             [row_ptrs = a.get_const_row_ptrs(), col_idxs = a.get_const_col_idxs(), upper, from,
                              to] SPRUCE_KERNEL_LAMBDA(size_type i) -> int32 {
                                 const auto row = static_cast<I>(i);
                                 I level{};
                                 for (auto nz = row_ptrs[row]; nz < row_ptrs[row + 1]; ++nz) {
                                     const auto col = col_idxs[nz];
                                     if (col != row && (col > row) == upper) {
                                         level = max(level, from[col] + 1);
                                     }
                                 }
                                 to[row] = level;
                                 return level != from[row];
                             }) != 0;
    }
    if (from != levels) {  // the last two rounds have equal results in different arrays
        exec.copy(size, from, levels);
    }
}

}  // namespace triangular

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
