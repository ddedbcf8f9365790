// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/numeric/dense_entries.hpp"
#include "common/unified/base/prelude.hpp"
#include "common/unified/matrix/dense_entries.hpp"
#include "core/matrix/dense_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace dense {

template <typename V>
void dot(const DeviceExecutor& exec, const Dense<V>& x, const Dense<V>& y, Dense<V>& result, const Reduction& reduction)
{
    run_sum_columns<device_type<V>>(
        exec, x.get_size()[0], x.get_size()[1], reduction,
        in_reverse{per_column{[x = entries_of(x), y = entries_of(y),
                               scale = reduction.get_scale<remove_complex<V>>()] SPRUCE_KERNEL_LAMBDA(size_type col) {
            return [=, s = scale_of(scale, col)](size_type row) {
                return scaled(s, x(row, col)) * scaled(s, y(row, col));
            };
        }}},
        [result = entries_of(result)] SPRUCE_KERNEL_LAMBDA(size_type col, const device_type<V>& sum) {
            result(0, col) = sum;
        });
}

template <typename V>
void conj_dot(const DeviceExecutor& exec, const Dense<V>& x, const Dense<V>& y, Dense<V>& result,
              const Reduction& reduction)
{
    run_sum_columns<device_type<V>>(
        exec, x.get_size()[0], x.get_size()[1], reduction,
        in_reverse{per_column{[x = entries_of(x), y = entries_of(y),
                               scale = reduction.get_scale<remove_complex<V>>()] SPRUCE_KERNEL_LAMBDA(size_type col) {
            return [=, s = scale_of(scale, col)](size_type row) {
                return conj_of(scaled(s, x(row, col))) * scaled(s, y(row, col));
            };
        }}},
        [result = entries_of(result)] SPRUCE_KERNEL_LAMBDA(size_type col, const device_type<V>& sum) {
            result(0, col) = sum;
        });
}

template <typename V>
void norm2(const DeviceExecutor& exec, const Dense<V>& x, Dense<remove_complex<V>>& result, const Reduction& reduction)
{
    run_norm_columns<remove_complex<V>>(
        exec, x.get_size()[0], x.get_size()[1], reduction,
        in_reverse{[x = entries_of(x)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
            return squared_abs(x(row, col));
        }},
        in_reverse{[x = entries_of(x)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
            return safe_squares(x(row, col));
        }},
        [result = entries_of(result)] SPRUCE_KERNEL_LAMBDA(size_type col, const remove_complex<V>& norm) {
            result(0, col) = norm;
        });
}

template <typename V>
void squared_norm2(const DeviceExecutor& exec, const Dense<V>& x, Dense<remove_complex<V>>& result,
                   const Reduction& reduction)
{
    run_sum_columns<remove_complex<V>>(
        exec, x.get_size()[0], x.get_size()[1], reduction,
        in_reverse{[x = entries_of(x)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
            return squared_abs(x(row, col));
        }},
        [result = entries_of(result)] SPRUCE_KERNEL_LAMBDA(size_type col, const remove_complex<V>& sum) {
            result(0, col) = sum;
        });
}

template <typename V>
void norm1(const DeviceExecutor& exec, const Dense<V>& x, Dense<remove_complex<V>>& result, const Reduction& reduction)
{
    run_sum_columns<remove_complex<V>>(exec, x.get_size()[0], x.get_size()[1], reduction,
                                       in_reverse{[x = entries_of(x)] SPRUCE_KERNEL_LAMBDA(
                                                      size_type row, size_type col) { return abs_of(x(row, col)); }},
                                       [result = entries_of(result)] SPRUCE_KERNEL_LAMBDA(
                                           size_type col, const remove_complex<V>& sum) { result(0, col) = sum; });
}

template <typename V>
void mean(const DeviceExecutor& exec, const Dense<V>& x, Dense<V>& result, const Reduction& reduction)
{
    using T = device_type<V>;
    const auto num_rows = static_cast<remove_complex<V>>(x.get_size()[0]);
    run_sum_columns<T>(
        exec, x.get_size()[0], x.get_size()[1], reduction,
        [x = entries_of(x)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) { return x(row, col); },
        [result = entries_of(result), num_rows] SPRUCE_KERNEL_LAMBDA(size_type col, const T& sum) {
            result(0, col) = sum / T(num_rows);
        });
}

}  // namespace dense

void register_dense_reduction()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        kernels::dense::dot<V>.template set<DeviceExecutor>(&dense::dot<V>);
        kernels::dense::conj_dot<V>.template set<DeviceExecutor>(&dense::conj_dot<V>);
        kernels::dense::norm2<V>.template set<DeviceExecutor>(&dense::norm2<V>);
        kernels::dense::norm1<V>.template set<DeviceExecutor>(&dense::norm1<V>);
        kernels::dense::squared_norm2<V>.template set<DeviceExecutor>(&dense::squared_norm2<V>);
        kernels::dense::mean<V>.template set<DeviceExecutor>(&dense::mean<V>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
