// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/matrix/dense_kernels.hpp"

#include "common/numeric/dense_entries.hpp"
#include "common/unified/base/prelude.hpp"
#include "common/unified/matrix/dense_entries.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace dense {

template <typename V>
void fill(const DeviceExecutor& exec, Dense<V>& x, const V& value)
{
    for_each_entry(exec, x,
                   [x = entries_of(x), value = to_device(value)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                       x(row, col) = value;
                   });
}

template <typename From, typename To>
void copy(const DeviceExecutor& exec, const Dense<From>& x, Dense<To>& y)
{
    for_each_entry(exec, x, [x = entries_of(x), y = entries_of(y)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
        y(row, col) = convert_to<device_type<To>>(x(row, col));
    });
}

template <typename V>
void scale(const DeviceExecutor& exec, const Dense<V>& alpha, Dense<V>& x)
{
    for_each_entry(exec, x,
                   [alpha = scalars_of(alpha), x = entries_of(x)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                       const auto factor = alpha(col);
                       x(row, col) = is_zero(factor) ? factor : factor * x(row, col);
                   });
}

template <typename V>
void inv_scale(const DeviceExecutor& exec, const Dense<V>& alpha, Dense<V>& x)
{
    for_each_entry(exec, x,
                   [alpha = scalars_of(alpha), x = entries_of(x)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                       x(row, col) = x(row, col) / alpha(col);
                   });
}

template <typename V>
void add_scaled(const DeviceExecutor& exec, const Dense<V>& alpha, const Dense<V>& x, Dense<V>& y)
{
    for_each_entry(exec, x,
                   [alpha = scalars_of(alpha), x = entries_of(x), y = entries_of(y)] SPRUCE_KERNEL_LAMBDA(
                       size_type row, size_type col) {
                       const auto factor = alpha(col);
                       if (!is_zero(factor)) {
                           y(row, col) += factor * x(row, col);
                       }
                   });
}

template <typename V>
void sub_scaled(const DeviceExecutor& exec, const Dense<V>& alpha, const Dense<V>& x, Dense<V>& y)
{
    for_each_entry(exec, x,
                   [alpha = scalars_of(alpha), x = entries_of(x), y = entries_of(y)] SPRUCE_KERNEL_LAMBDA(
                       size_type row, size_type col) {
                       const auto factor = alpha(col);
                       if (!is_zero(factor)) {
                           y(row, col) -= factor * x(row, col);
                       }
                   });
}

template <typename V>
void add_scaled_identity(const DeviceExecutor& exec, const Dense<V>& alpha, const Dense<V>& beta, Dense<V>& x)
{
    for_each_entry(exec, x,
                   [alpha = scalars_of(alpha), beta = scalars_of(beta), x = entries_of(x)] SPRUCE_KERNEL_LAMBDA(
                       size_type row, size_type col) {
                       const auto factor = beta(0);
                       const auto scaled = is_zero(factor) ? factor : factor * x(row, col);
                       x(row, col) = row == col ? alpha(0) + scaled : scaled;
                   });
}

template <typename V>
void inplace_absolute(const DeviceExecutor& exec, Dense<V>& x)
{
    for_each_entry(exec, x, [x = entries_of(x)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
        x(row, col) = abs_of(x(row, col));
    });
}

template <typename V>
void outplace_absolute(const DeviceExecutor& exec, const Dense<V>& x, Dense<remove_complex<V>>& y)
{
    for_each_entry(exec, x, [x = entries_of(x), y = entries_of(y)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
        y(row, col) = abs_of(x(row, col));
    });
}

template <typename V>
void make_complex(const DeviceExecutor& exec, const Dense<V>& x, Dense<to_complex<V>>& y)
{
    for_each_entry(exec, x, [x = entries_of(x), y = entries_of(y)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
        y(row, col) = x(row, col);
    });
}

template <typename V>
void get_real(const DeviceExecutor& exec, const Dense<V>& x, Dense<remove_complex<V>>& y)
{
    for_each_entry(exec, x, [x = entries_of(x), y = entries_of(y)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
        y(row, col) = real_of(x(row, col));
    });
}

template <typename V>
void get_imag(const DeviceExecutor& exec, const Dense<V>& x, Dense<remove_complex<V>>& y)
{
    for_each_entry(exec, x, [x = entries_of(x), y = entries_of(y)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
        y(row, col) = imag_of(x(row, col));
    });
}

}  // namespace dense

void register_dense()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        kernels::dense::fill<V>.template set<DeviceExecutor>(&dense::fill<V>);
        kernels::dense::copy<V, V>.template set<DeviceExecutor>(&dense::copy<V, V>);
        kernels::dense::copy<V, next_precision<V>>.template set<DeviceExecutor>(&dense::copy<V, next_precision<V>>);
        kernels::dense::copy<next_precision<V>, V>.template set<DeviceExecutor>(&dense::copy<next_precision<V>, V>);
        kernels::dense::scale<V>.template set<DeviceExecutor>(&dense::scale<V>);
        kernels::dense::inv_scale<V>.template set<DeviceExecutor>(&dense::inv_scale<V>);
        kernels::dense::add_scaled<V>.template set<DeviceExecutor>(&dense::add_scaled<V>);
        kernels::dense::sub_scaled<V>.template set<DeviceExecutor>(&dense::sub_scaled<V>);
        kernels::dense::add_scaled_identity<V>.template set<DeviceExecutor>(&dense::add_scaled_identity<V>);
        kernels::dense::inplace_absolute<V>.template set<DeviceExecutor>(&dense::inplace_absolute<V>);
        kernels::dense::outplace_absolute<V>.template set<DeviceExecutor>(&dense::outplace_absolute<V>);
        kernels::dense::make_complex<V>.template set<DeviceExecutor>(&dense::make_complex<V>);
        kernels::dense::get_real<V>.template set<DeviceExecutor>(&dense::get_real<V>);
        kernels::dense::get_imag<V>.template set<DeviceExecutor>(&dense::get_imag<V>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
