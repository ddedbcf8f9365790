// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <limits>
#include <vector>

#include "common/numeric/sorted_lists.hpp"
#include "common/unified/factorization/factor_sweep_entry.hpp"

namespace spruce::kernels::omp::factor_sweep {

/// Returns the number of entries up to which sweep_rows() computes a row.
inline size_type max_whole_row(size_type, size_type) { return std::numeric_limits<size_type>::max(); }

/// Performs a sweep of L + U. Threads fetch groups of rows, so that a long row delays only its own
/// group.
/// @param row_norms  the sum of squares of the relative residuals in each row
template <typename T, typename I>
void sweep_rows(const DeviceExecutor&, const sweep_view<T, I>& f, remove_complex<T> omega, const T* values, T* next,
                remove_complex<T>* row_norms)
{
    using Real = remove_complex<T>;
    constexpr size_type rows_at_once = 64;
#pragma omp parallel if (f.num_entries >= min_parallel_work)
    {
        std::vector<Real> absolute;  // sums of absolute values; the sums themselves are in next
#pragma omp for schedule(dynamic, rows_at_once)
        for (size_type row = 0; row < f.num_rows; ++row) {
            const auto begin = f.row_ptrs[row];
            const auto end = f.row_ptrs[row + 1];
            absolute.resize(std::max<size_type>(absolute.size(), end - begin));
            for (auto nz = begin; nz < end; ++nz) {
                next[nz] = value_of_a(f, nz);
                absolute[nz - begin] = abs_of(next[nz]);
            }
            for (auto left = begin; left < f.diagonal[row]; ++left) {
                const auto k = f.cols[left];
                auto target = left + 1;
                auto other = f.diagonal[k] + 1;
                while (find_common(f.cols, target, end, f.cols, other, f.row_ptrs[k + 1])) {
                    const auto term = values[left] * values[other++];
                    next[target] -= term;
                    absolute[target - begin] += abs_of(term);
                    ++target;
                }
            }
            Real norm{};
            for (auto nz = begin; nz < end; ++nz) {
                const checked_sum<T> sum{next[nz], absolute[nz - begin]};
                norm += update_entry(f, nz, nz < f.diagonal[row], sum, omega, values, next);
            }
            row_norms[row] = norm;
        }
    }
}

}  // namespace spruce::kernels::omp::factor_sweep
