// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

namespace components {

template <typename T>
void fill_array(const DeviceExecutor& exec, T* data, size_type size, const T& value)
{
    run_for_each(exec, size,
                 [data = as_device(data), value = to_device(value)] SPRUCE_LAMBDA(size_type i) { data[i] = value; });
}

template <typename From, typename To>
void convert_array(const DeviceExecutor& exec, const From* from, To* to, size_type size)
{
    run_for_each(exec, size, [from = as_device(from), to = as_device(to)] SPRUCE_LAMBDA(size_type i) {
        to[i] = convert_to<device_type<To>>(from[i]);
    });
}

template <typename T>
void reduce_add(const DeviceExecutor& exec, const T* data, size_type size, T* result, array<char>& tmp)
{
    run_sum_columns<device_type<T>>(
        exec, size, 1, tmp, [data = as_device(data)] SPRUCE_LAMBDA(size_type i, size_type) { return data[i]; },
        [result = as_device(result)] SPRUCE_LAMBDA(size_type, const device_type<T>& sum) { *result += sum; });
}

/// Each thread fills what lies between its index and the one before it.
template <typename I>
void convert_idxs_to_ptrs(const DeviceExecutor& exec, const I* idxs, size_type size, I* ptrs, size_type num_rows)
{
    run_for_each(exec, size + 1, [=] SPRUCE_LAMBDA(size_type i) {
        const auto first = i == 0 ? size_type{} : static_cast<size_type>(idxs[i - 1]) + 1;
        const auto last = i == size ? num_rows : static_cast<size_type>(idxs[i]);
        for (auto row = first; row <= last; ++row) {
            ptrs[row] = static_cast<I>(i);
        }
    });
}

template <typename I>
void convert_ptrs_to_idxs(const DeviceExecutor& exec, const I* ptrs, size_type num_rows, I* idxs)
{
    run_for_each(exec, num_rows, [=] SPRUCE_LAMBDA(size_type row) {
        for (auto i = ptrs[row]; i < ptrs[row + 1]; ++i) {
            idxs[i] = static_cast<I>(row);
        }
    });
}

}  // namespace components

void register_array()
{
    const auto register_fill = [](auto tag) {
        using T = typename decltype(tag)::type;
        kernels::components::fill_array<T>.template set<DeviceExecutor>(&components::fill_array<T>);
    };
    const auto register_reduce = [](auto tag) {
        using T = typename decltype(tag)::type;
        kernels::components::reduce_add<T>.template set<DeviceExecutor>(&components::reduce_add<T>);
    };
    const auto register_convert = [](auto from, auto to) {
        using From = typename decltype(from)::type;
        using To = typename decltype(to)::type;
        kernels::components::convert_array<From, To>.template set<DeviceExecutor>(&components::convert_array<From, To>);
        kernels::components::convert_array<To, From>.template set<DeviceExecutor>(&components::convert_array<To, From>);
    };
    using spruce::detail::type_tag;
    for_each_value_type([&](auto tag) {
        register_fill(tag);
        register_reduce(tag);
        register_convert(tag, type_tag<next_precision<typename decltype(tag)::type>>{});
    });
    using integers = spruce::detail::type_list<int32, int64, size_type>;
    spruce::detail::for_each_type(integers{}, register_fill);
    spruce::detail::for_each_type(integers{}, register_reduce);
    spruce::detail::for_each_type(spruce::detail::type_list<char, unsigned char>{}, register_fill);
    register_convert(type_tag<int32>{}, type_tag<int64>{});
    spruce::detail::for_each_type(spruce::detail::type_list<int32, int64>{}, [](auto tag) {
        using I = typename decltype(tag)::type;
        kernels::components::convert_idxs_to_ptrs<I>.template set<DeviceExecutor>(
            &components::convert_idxs_to_ptrs<I>);
        kernels::components::convert_ptrs_to_idxs<I>.template set<DeviceExecutor>(
            &components::convert_ptrs_to_idxs<I>);
    });
}
