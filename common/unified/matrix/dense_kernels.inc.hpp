// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

namespace dense {

using matrix::Dense;

template <typename V, typename Function>
void for_each_entry(const DeviceExecutor& exec, const Dense<V>& x, Function function)
{
    run_for_each_entry(exec, x.get_size()[0], x.get_size()[1], function);
}

template <typename V>
void fill(const DeviceExecutor& exec, Dense<V>& x, const V& value)
{
    for_each_entry(exec, x, [x = entries_of(x), value = to_device(value)] SPRUCE_LAMBDA(size_type row, size_type col) {
        x(row, col) = value;
    });
}

template <typename From, typename To>
void copy(const DeviceExecutor& exec, const Dense<From>& x, Dense<To>& y)
{
    for_each_entry(exec, x, [x = entries_of(x), y = entries_of(y)] SPRUCE_LAMBDA(size_type row, size_type col) {
        y(row, col) = convert_to<device_type<To>>(x(row, col));
    });
}

template <typename V>
void scale(const DeviceExecutor& exec, const Dense<V>& alpha, Dense<V>& x)
{
    for_each_entry(exec, x, [alpha = scalars_of(alpha), x = entries_of(x)] SPRUCE_LAMBDA(size_type row, size_type col) {
        const auto factor = alpha(col);
        x(row, col) = is_zero(factor) ? factor : factor * x(row, col);
    });
}

template <typename V>
void inv_scale(const DeviceExecutor& exec, const Dense<V>& alpha, Dense<V>& x)
{
    for_each_entry(exec, x, [alpha = scalars_of(alpha), x = entries_of(x)] SPRUCE_LAMBDA(size_type row, size_type col) {
        x(row, col) = x(row, col) / alpha(col);
    });
}

template <typename V>
void add_scaled(const DeviceExecutor& exec, const Dense<V>& alpha, const Dense<V>& x, Dense<V>& y)
{
    for_each_entry(
        exec, x,
        [alpha = scalars_of(alpha), x = entries_of(x), y = entries_of(y)] SPRUCE_LAMBDA(size_type row, size_type col) {
            const auto factor = alpha(col);
            if (!is_zero(factor)) {
                y(row, col) += factor * x(row, col);
            }
        });
}

template <typename V>
void sub_scaled(const DeviceExecutor& exec, const Dense<V>& alpha, const Dense<V>& x, Dense<V>& y)
{
    for_each_entry(
        exec, x,
        [alpha = scalars_of(alpha), x = entries_of(x), y = entries_of(y)] SPRUCE_LAMBDA(size_type row, size_type col) {
            const auto factor = alpha(col);
            if (!is_zero(factor)) {
                y(row, col) -= factor * x(row, col);
            }
        });
}

template <typename V>
void dot(const DeviceExecutor& exec, const Dense<V>& x, const Dense<V>& y, Dense<V>& result, array<char>& tmp)
{
    run_sum_columns<device_type<V>>(
        exec, x.get_size()[0], x.get_size()[1], tmp,
        [x = entries_of(x), y = entries_of(y)] SPRUCE_LAMBDA(size_type row, size_type col) {
            return x(row, col) * y(row, col);
        },
        [result = entries_of(result)] SPRUCE_LAMBDA(size_type col, const device_type<V>& sum) {
            result(0, col) = sum;
        });
}

template <typename V>
void conj_dot(const DeviceExecutor& exec, const Dense<V>& x, const Dense<V>& y, Dense<V>& result, array<char>& tmp)
{
    run_sum_columns<device_type<V>>(
        exec, x.get_size()[0], x.get_size()[1], tmp,
        [x = entries_of(x), y = entries_of(y)] SPRUCE_LAMBDA(size_type row, size_type col) {
            return conj_of(x(row, col)) * y(row, col);
        },
        [result = entries_of(result)] SPRUCE_LAMBDA(size_type col, const device_type<V>& sum) {
            result(0, col) = sum;
        });
}

template <typename V>
void norm2(const DeviceExecutor& exec, const Dense<V>& x, Dense<remove_complex<V>>& result, array<char>& tmp)
{
    run_sum_columns<remove_complex<V>>(
        exec, x.get_size()[0], x.get_size()[1], tmp,
        [x = entries_of(x)] SPRUCE_LAMBDA(size_type row, size_type col) { return squared_abs(x(row, col)); },
        [result = entries_of(result)] SPRUCE_LAMBDA(size_type col, const remove_complex<V>& sum) {
            result(0, col) = sqrt_of(sum);
        });
}

template <typename V>
void squared_norm2(const DeviceExecutor& exec, const Dense<V>& x, Dense<remove_complex<V>>& result, array<char>& tmp)
{
    run_sum_columns<remove_complex<V>>(
        exec, x.get_size()[0], x.get_size()[1], tmp,
        [x = entries_of(x)] SPRUCE_LAMBDA(size_type row, size_type col) { return squared_abs(x(row, col)); },
        [result = entries_of(result)] SPRUCE_LAMBDA(size_type col, const remove_complex<V>& sum) {
            result(0, col) = sum;
        });
}

template <typename V>
void norm1(const DeviceExecutor& exec, const Dense<V>& x, Dense<remove_complex<V>>& result, array<char>& tmp)
{
    run_sum_columns<remove_complex<V>>(
        exec, x.get_size()[0], x.get_size()[1], tmp,
        [x = entries_of(x)] SPRUCE_LAMBDA(size_type row, size_type col) { return abs_of(x(row, col)); },
        [result = entries_of(result)] SPRUCE_LAMBDA(size_type col, const remove_complex<V>& sum) {
            result(0, col) = sum;
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
        kernels::dense::dot<V>.template set<DeviceExecutor>(&dense::dot<V>);
        kernels::dense::conj_dot<V>.template set<DeviceExecutor>(&dense::conj_dot<V>);
        kernels::dense::norm2<V>.template set<DeviceExecutor>(&dense::norm2<V>);
        kernels::dense::norm1<V>.template set<DeviceExecutor>(&dense::norm1<V>);
        kernels::dense::squared_norm2<V>.template set<DeviceExecutor>(&dense::squared_norm2<V>);
    });
}
