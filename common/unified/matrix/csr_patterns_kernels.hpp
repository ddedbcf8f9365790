// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Compares patterns, and adds matrices whose patterns are equal. Entries and rows are distributed
// evenly, whatever the lengths of the rows are.

#include <algorithm>

#include <spruce/base/array.hpp>

#include "common/numeric/sums.hpp"
#include "core/matrix/csr_algebra_kernels.hpp"

#include "common/unified/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace csr {

using matrix::Csr;
using matrix::Dense;

using kernels::csr::pattern_comparison;
using kernels::csr::stored_pattern;

/// Returns 1 if entry nz has a smaller column than its predecessor, and 0 otherwise.
template <typename I, typename Index>
SPRUCE_HOST_DEVICE_INLINE int64 is_descent(const stored_pattern<I>& a, Index nz)
{
    return a.col_idxs[nz - 1] > a.col_idxs[nz] ? 1 : 0;
}

/// Returns 1 if entry i is a descent, minus 1 if the first entry of row i is one. The sum of these
/// numbers counts the descents within rows.
template <typename I>
SPRUCE_HOST_DEVICE_INLINE int64 count_descents(const stored_pattern<I>& a, size_type i)
{
    int64 num{};
    if (i > 0 && i < static_cast<size_type>(a.row_ptrs[a.num_rows])) {
        num += is_descent(a, i);
    }
    if (i < a.num_rows) {
        const auto begin = a.row_ptrs[i];
        if (begin > 0 && begin < a.row_ptrs[i + 1]) {
            num -= is_descent(a, begin);
        }
    }
    return num;
}

template <typename I>
void compare_patterns(const DeviceExecutor& exec, const stored_pattern<I>& a, const stored_pattern<I>& b,
                      pattern_comparison& result)
{
    const auto num_rows = a.num_rows;
    const auto common_size = std::min(a.num_stored, b.num_stored);
    array<int64> numbers{exec.shared_from_this(), 3};
    array<char> tmp{exec.shared_from_this()};
    run_sum_columns<sums<int64, 3>>(
        exec, std::max({a.num_stored, b.num_stored, num_rows + 1}), 1, tmp,
        [a, b, num_rows, common_size] SPRUCE_KERNEL_LAMBDA(size_type i, size_type) {
            const auto row_differs = (i <= num_rows && a.row_ptrs[i] != b.row_ptrs[i]) ||
                                     (i == num_rows && static_cast<size_type>(a.row_ptrs[i]) != common_size);
            const auto col_differs = i < common_size && a.col_idxs[i] != b.col_idxs[i];
            return sums<int64, 3>{{count_descents(a, i), count_descents(b, i), row_differs || col_differs ? 1 : 0}};
        },
        [numbers = numbers.get_data()] SPRUCE_KERNEL_LAMBDA(size_type, const sums<int64, 3>& sum) {
            for (int i = 0; i < 3; ++i) {
                numbers[i] = sum[i];
            }
        });
    const auto found = numbers.copy_to_host();
    result = {found[0] == 0, found[1] == 0, found[2] == 0 && a.num_stored == b.num_stored};
}

template <typename V, typename I>
void spgeam_values(const DeviceExecutor& exec, const Dense<V>& alpha, const Csr<V, I>& a, const Dense<V>& beta,
                   const Csr<V, I>& b, Csr<V, I>& c)
{
    using T = device_type<V>;
    run_for_each(exec, c.get_num_stored_elements(),
                 [alpha = as_device(alpha.get_const_values()), a = as_device(a.get_const_values()),
                  beta = as_device(beta.get_const_values()), b = as_device(b.get_const_values()),
                  c = as_device(c.get_values())] SPRUCE_KERNEL_LAMBDA(size_type nz) {
                     const auto a_term = is_zero(*alpha) ? T{} : *alpha * a[nz];
                     const auto b_term = is_zero(*beta) ? T{} : *beta * b[nz];
                     c[nz] = a_term + b_term;
                 });
}

}  // namespace csr

void register_csr_patterns()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::csr::spgeam_values<V, I>.template set<DeviceExecutor>(&csr::spgeam_values<V, I>);
    });
    for_each_index_type([](auto type) {
        using I = typename decltype(type)::type;
        kernels::csr::compare_patterns<I>.template set<DeviceExecutor>(&csr::compare_patterns<I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
