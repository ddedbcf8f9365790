// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/matrix/dense_permute_kernels.hpp"

#include "common/numeric/dense_entries.hpp"
#include "common/unified/base/prelude.hpp"
#include "common/unified/matrix/dense_entries.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace dense {

template <typename V, typename Result, typename I>
void row_gather(const DeviceExecutor& exec, const Dense<V>& x, const I* rows, Dense<Result>& y)
{
    for_each_entry(exec, y,
                   [x = entries_of(x), rows, y = entries_of(y)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                       y(row, col) = convert_to<device_type<Result>>(x(static_cast<size_type>(rows[row]), col));
                   });
}

template <typename V, typename Result, typename I>
void advanced_row_gather(const DeviceExecutor& exec, const Dense<kernels::dense::higher_precision<V, Result>>& alpha,
                         const Dense<V>& x, const I* rows,
                         const Dense<kernels::dense::higher_precision<V, Result>>& beta, Dense<Result>& y)
{
    using T = device_type<kernels::dense::higher_precision<V, Result>>;
    for_each_entry(exec, y,
                   [alpha = scalars_of(alpha), x = entries_of(x), rows, beta = scalars_of(beta),
                    y = entries_of(y)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                       const auto old_factor = beta(0);
                       auto result = is_zero(old_factor) ? T{} : old_factor * convert_to<T>(y(row, col));
                       if (const auto factor = alpha(0); !is_zero(factor)) {
                           result += factor * convert_to<T>(x(static_cast<size_type>(rows[row]), col));
                       }
                       y(row, col) = convert_to<device_type<Result>>(result);
                   });
}

/// Describes the destination and the factor of rows or columns. A null pointer leaves them
/// unchanged.
template <typename T, typename I>
struct reordering {
    SPRUCE_HOST_DEVICE_INLINE size_type operator()(size_type i) const
    {
        return idxs ? static_cast<size_type>(idxs[i]) : i;
    }
    SPRUCE_HOST_DEVICE_INLINE T factor(size_type i) const { return scale ? scale[i] : T{1}; }
    const I* idxs;
    const T* scale;
};

template <typename V, typename I>
void permute(const DeviceExecutor& exec, const Dense<V>& x, const I* rows, const I* cols, Dense<V>& y)
{
    using T = device_type<V>;
    for_each_entry(exec, x,
                   [x = entries_of(x), rows = reordering<T, I>{rows, nullptr}, cols = reordering<T, I>{cols, nullptr},
                    y = entries_of(y)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                       y(row, col) = x(rows(row), cols(col));
                   });
}

template <typename V, typename I>
void inverse_permute(const DeviceExecutor& exec, const Dense<V>& x, const I* rows, const I* cols, Dense<V>& y)
{
    using T = device_type<V>;
    for_each_entry(exec, x,
                   [x = entries_of(x), rows = reordering<T, I>{rows, nullptr}, cols = reordering<T, I>{cols, nullptr},
                    y = entries_of(y)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                       y(rows(row), cols(col)) = x(row, col);
                   });
}

template <typename V, typename I>
void scale_permute(const DeviceExecutor& exec, const Dense<V>& x, const V* row_scale, const I* rows, const V* col_scale,
                   const I* cols, Dense<V>& y)
{
    using T = device_type<V>;
    for_each_entry(exec, x,
                   [x = entries_of(x), rows = reordering<T, I>{rows, as_device(row_scale)},
                    cols = reordering<T, I>{cols, as_device(col_scale)},
                    y = entries_of(y)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                       const auto from_row = rows(row);
                       const auto from_col = cols(col);
                       y(row, col) = rows.factor(from_row) * cols.factor(from_col) * x(from_row, from_col);
                   });
}

template <typename V, typename I>
void inverse_scale_permute(const DeviceExecutor& exec, const Dense<V>& x, const V* row_scale, const I* rows,
                           const V* col_scale, const I* cols, Dense<V>& y)
{
    using T = device_type<V>;
    for_each_entry(exec, x,
                   [x = entries_of(x), rows = reordering<T, I>{rows, as_device(row_scale)},
                    cols = reordering<T, I>{cols, as_device(col_scale)},
                    y = entries_of(y)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                       const auto to_row = rows(row);
                       const auto to_col = cols(col);
                       y(to_row, to_col) = x(row, col) / (rows.factor(to_row) * cols.factor(to_col));
                   });
}

}  // namespace dense

void register_dense_permute()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        using N = next_precision<V>;
        kernels::dense::row_gather<V, V, I>.template set<DeviceExecutor>(&dense::row_gather<V, V, I>);
        kernels::dense::row_gather<V, N, I>.template set<DeviceExecutor>(&dense::row_gather<V, N, I>);
        kernels::dense::advanced_row_gather<V, V, I>.template set<DeviceExecutor>(&dense::advanced_row_gather<V, V, I>);
        kernels::dense::advanced_row_gather<V, N, I>.template set<DeviceExecutor>(&dense::advanced_row_gather<V, N, I>);
        kernels::dense::permute<V, I>.template set<DeviceExecutor>(&dense::permute<V, I>);
        kernels::dense::inverse_permute<V, I>.template set<DeviceExecutor>(&dense::inverse_permute<V, I>);
        kernels::dense::scale_permute<V, I>.template set<DeviceExecutor>(&dense::scale_permute<V, I>);
        kernels::dense::inverse_scale_permute<V, I>.template set<DeviceExecutor>(&dense::inverse_scale_permute<V, I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
