// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <limits>

#include "common/unified/preconditioner/block_entries.hpp"
#include "common/unified/preconditioner/hermitian_blocks.hpp"
#include "core/preconditioner/jacobi_kernels.hpp"
#include "omp/base/prelude.hpp"

namespace spruce::kernels::omp {

namespace jacobi {

/// Inverts an n x n matrix with n <= 32 in place by Gauss-Jordan elimination with partial pivoting.
/// The exchanges of rows are recorded, and undone as exchanges of columns at the end.
template <typename T>
void invert_matrix(int n, T (*a)[32])
{
    int pivots[32];
    for (int step = 0; step < n; ++step) {
        auto pivot = step;
        for (int row = step + 1; row < n; ++row) {
            pivot = abs_of(a[row][step]) > abs_of(a[pivot][step]) ? row : pivot;
        }
        pivots[step] = pivot;
        if (pivot != step) {
            std::swap_ranges(a[pivot], a[pivot] + n, a[step]);
        }
        const auto inverse = one<T>() / a[step][step];
        a[step][step] = one<T>();
#pragma omp simd
        for (int col = 0; col < n; ++col) {
            a[step][col] = a[step][col] * inverse;
        }
        for (int row = 0; row < n; ++row) {
            if (row != step) {
                const auto factor = a[row][step];
                a[row][step] = T{};
#pragma omp simd
                for (int col = 0; col < n; ++col) {
                    a[row][col] = a[row][col] - factor * a[step][col];
                }
            }
        }
    }
    for (int step = n - 1; step >= 0; --step) {
        if (pivots[step] != step) {
            for (int row = 0; row < n; ++row) {
                std::swap(a[row][step], a[row][pivots[step]]);
            }
        }
    }
}

/// Inverts the blocks in place. If may_halve is true, Hermitian blocks of more than two rows are
/// stored halved, unless a result is not finite. Returns whether the results are finite.
template <typename V, typename I>
bool invert_blocks(const DeviceExecutor& exec, spruce::preconditioner::detail::block_diagonal<V, I>& blocks,
                   bool may_halve)
{
    if (may_halve) {
        find_hermitian(exec, blocks);
    }
    using T = device_type<V>;
    const auto entries = entries_of(blocks);
    const auto block_ptrs = blocks.block_ptrs.get_const_data();
    const auto num_blocks = blocks.get_num_blocks();
    auto are_finite = true;
#pragma omp parallel for schedule(static) reduction(&& : are_finite)
    for (size_type block = 0; block < num_blocks; ++block) {
        T a[32][32];
        const auto begin = static_cast<size_type>(block_ptrs[block]);
        const auto n = static_cast<int>(block_ptrs[block + 1] - block_ptrs[block]);
        auto is_finite = true;
        for (int row = 0; row < n; ++row) {
            for (int col = 0; col < n; ++col) {
                a[row][col] = entries(begin + row, col);
                is_finite = is_finite && is_finite_value(a[row][col]);
            }
        }
        if (!is_finite) {  // also infinity must not give a finite inverse
            a[0][0] = T(std::numeric_limits<remove_complex<T>>::quiet_NaN());
        }
        invert_matrix(n, a);
        for (int row = 0; row < n; ++row) {
            for (int col = 0; col < n; ++col) {
                entries(begin + row, col) = a[row][col];
                is_finite = is_finite && is_finite_value(a[row][col]);
            }
        }
        are_finite = are_finite && is_finite;
    }
    if (may_halve && are_finite) {
        halve(exec, blocks);
    }
    return are_finite;
}

}  // namespace jacobi

}  // namespace spruce::kernels::omp
