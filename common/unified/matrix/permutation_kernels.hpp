// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/matrix/permutation_kernels.hpp"

#include "common/numeric/dense_entries.hpp"
#include "common/unified/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace permutation {

using matrix::Dense;

template <typename I>
void invert(const DeviceExecutor& exec, const I* p, size_type size, I* inverse)
{
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) { inverse[p[i]] = static_cast<I>(i); });
}

template <typename I>
void compose(const DeviceExecutor& exec, const I* first, const I* second, size_type size, I* result)
{
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) { result[i] = first[second[i]]; });
}

template <typename V, typename I>
void invert_scaled(const DeviceExecutor& exec, const V* scale, const I* p, size_type size, V* inverse_scale, I* inverse)
{
    run_for_each(exec, size,
                 [scale = as_device(scale), p, inverse_scale = as_device(inverse_scale),
                  inverse] SPRUCE_KERNEL_LAMBDA(size_type i) {
                     inverse[p[i]] = static_cast<I>(i);
                     inverse_scale[i] = one<device_type<V>>() / scale[p[i]];
                 });
}

template <typename V, typename I>
void compose_scaled(const DeviceExecutor& exec, const V* first_scale, const I* first, const V* second_scale,
                    const I* second, size_type size, V* result_scale, I* result)
{
    run_for_each(exec, size,
                 [first_scale = as_device(first_scale), first, second_scale = as_device(second_scale), second,
                  result_scale = as_device(result_scale), result] SPRUCE_KERNEL_LAMBDA(size_type i) {
                     const auto target = first[second[i]];
                     result[i] = target;
                     result_scale[target] = second_scale[second[i]] * first_scale[target];
                 });
}

template <typename V, typename I>
void advanced_apply_scaled(const DeviceExecutor& exec, const Dense<V>& alpha, const V* scale, const I* p,
                           const Dense<V>& b, const Dense<V>& beta, Dense<V>& x)
{
    run_for_each_entry(exec, x.get_size()[0], x.get_size()[1],
                       [alpha = entries_of(alpha), scale = as_device(scale), p, b = entries_of(b),
                        beta = entries_of(beta), x = entries_of(x)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                           const auto source = p[row];
                           x(row, col) = combine(alpha(0, 0), scale[source] * b(source, col), beta(0, 0), x(row, col));
                       });
}

}  // namespace permutation

void register_permutation()
{
    for_each_index_type([](auto tag) {
        using I = typename decltype(tag)::type;
        kernels::permutation::invert<I>.template set<DeviceExecutor>(&permutation::invert<I>);
        kernels::permutation::compose<I>.template set<DeviceExecutor>(&permutation::compose<I>);
    });
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::permutation::invert_scaled<V, I>.template set<DeviceExecutor>(&permutation::invert_scaled<V, I>);
        kernels::permutation::compose_scaled<V, I>.template set<DeviceExecutor>(&permutation::compose_scaled<V, I>);
        kernels::permutation::advanced_apply_scaled<V, I>.template set<DeviceExecutor>(
            &permutation::advanced_apply_scaled<V, I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
