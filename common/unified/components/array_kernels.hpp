// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/components/array_kernels.hpp"

#include "common/numeric/sort_records.hpp"
#include "common/unified/base/prelude.hpp"
#include "core/components/sort_kernels.hpp"

#include SPRUCE_DEVICE_FILE(components, array_sums)
#include SPRUCE_DEVICE_FILE(components, radix_sort)

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace components {

template <typename T>
void fill_array(const DeviceExecutor& exec, T* data, size_type size, const T& value)
{
    run_for_each(exec, size, [data = as_device(data), value = to_device(value)] SPRUCE_KERNEL_LAMBDA(size_type i) {
        data[i] = value;
    });
}

template <typename From, typename To>
void convert_array(const DeviceExecutor& exec, const From* from, To* to, size_type size)
{
    run_for_each(exec, size, [from = as_device(from), to = as_device(to)] SPRUCE_KERNEL_LAMBDA(size_type i) {
        to[i] = convert_to<device_type<To>>(from[i]);
    });
}

template <typename From, typename To>
void absolute_array(const DeviceExecutor& exec, const From* from, To* to, size_type size)
{
    run_for_each(exec, size, [from = as_device(from), to = as_device(to)] SPRUCE_KERNEL_LAMBDA(size_type i) {
        to[i] = abs_of(from[i]);
    });
}

template <typename I>
void fill_sequence(const DeviceExecutor& exec, I* data, size_type size)
{
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) { data[i] = static_cast<I>(i); });
}

template <typename V>
void conjugate_array(const DeviceExecutor& exec, const V* from, V* to, size_type size)
{
    run_for_each(exec, size, [from = as_device(from), to = as_device(to)] SPRUCE_KERNEL_LAMBDA(size_type i) {
        to[i] = conj_of(from[i]);
    });
}

template <typename V>
void repeat_element(const DeviceExecutor& exec, const V* from, V* to, size_type size)
{
    run_for_each(exec, size,
                 [from = as_device(from), to = as_device(to)] SPRUCE_KERNEL_LAMBDA(size_type i) { to[i] = *from; });
}

template <typename I>
void sort_keys(const DeviceExecutor& exec, const I* keys, const I* positions, size_type size, size_type bound,
               I* new_keys, I* new_positions)
{
    const auto digits = split_into_digits(num_bits_below(bound), radix_sort::max_digit_bits);
    if (digits.empty() || size == 0) {
        run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) {
            new_keys[i] = keys[i];
            new_positions[i] = positions ? positions[i] : static_cast<I>(i);
        });
        return;
    }
    const auto buffer_size = digits.size() > 1 ? size : 0;
    array<I> other_keys{exec.shared_from_this(), buffer_size};
    array<I> other_positions{exec.shared_from_this(), buffer_size};
    radix_sort::sort(exec, digits, records::keys_with_positions<const I>{keys, positions}, size,
                     records::keys_with_positions<I>{new_keys, new_positions},
                     records::keys_with_positions<I>{other_keys.get_data(), other_positions.get_data()});
}

}  // namespace components

void register_array()
{
    const auto register_fill = [](auto tag) {
        using T = typename decltype(tag)::type;
        kernels::components::fill_array<T>.template set<DeviceExecutor>(&components::fill_array<T>);
    };
    const auto register_convert = [](auto from, auto to) {
        using From = typename decltype(from)::type;
        using To = typename decltype(to)::type;
        kernels::components::convert_array<From, To>.template set<DeviceExecutor>(&components::convert_array<From, To>);
        kernels::components::convert_array<To, From>.template set<DeviceExecutor>(&components::convert_array<To, From>);
    };
    const auto register_absolute = [](auto from, auto to) {
        using From = typename decltype(from)::type;
        using To = typename decltype(to)::type;
        kernels::components::absolute_array<From, To>.template set<DeviceExecutor>(
            &components::absolute_array<From, To>);
    };
    using spruce::detail::type_tag;
    for_each_value_type([&](auto tag) {
        using V = typename decltype(tag)::type;
        kernels::components::conjugate_array<V>.template set<DeviceExecutor>(&components::conjugate_array<V>);
        kernels::components::repeat_element<V>.template set<DeviceExecutor>(&components::repeat_element<V>);
        kernels::components::reduce_add<V>.template set<DeviceExecutor>(&components::reduce_add<V>);
        register_fill(tag);
        register_convert(tag, type_tag<next_precision<V>>{});
        register_absolute(tag, tag);
        register_absolute(tag, type_tag<remove_complex<V>>{});
    });
    spruce::detail::for_each_type(spruce::detail::type_list<int32, int64>{}, [](auto tag) {
        using I = typename decltype(tag)::type;
        kernels::components::fill_sequence<I>.template set<DeviceExecutor>(&components::fill_sequence<I>);
        kernels::components::compute_max<I>.template set<DeviceExecutor>(&components::compute_max<I>);
        kernels::components::prefix_sum<I>.template set<DeviceExecutor>(&components::prefix_sum<I>);
        kernels::components::convert_idxs_to_ptrs<I>.template set<DeviceExecutor>(&components::convert_idxs_to_ptrs<I>);
        kernels::components::convert_ptrs_to_idxs<I>.template set<DeviceExecutor>(&components::convert_ptrs_to_idxs<I>);
        kernels::components::sort_keys<I>.template set<DeviceExecutor>(&components::sort_keys<I>);
    });
    spruce::detail::for_each_type(spruce::detail::type_list<int32, int64, size_type>{}, [](auto tag) {
        using T = typename decltype(tag)::type;
        kernels::components::reduce_add<T>.template set<DeviceExecutor>(&components::reduce_add<T>);
    });
    using integers = spruce::detail::type_list<unsigned char, int32, int64, size_type>;
    spruce::detail::for_each_type(integers{}, register_fill);
    register_convert(type_tag<int32>{}, type_tag<int64>{});
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
