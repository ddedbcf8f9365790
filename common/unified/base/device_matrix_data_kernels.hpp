// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/base/device_matrix_data_kernels.hpp"

#include "common/numeric/sort_records.hpp"
#include "common/unified/base/prelude.hpp"
#include "core/components/array_kernels.hpp"

#include SPRUCE_DEVICE_FILE(components, radix_sort)

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace device_matrix_data {

/// Finds faults of triple i; each function returns 1 if there is one, else 0.
template <typename I>
struct order_faults {
    /// Returns 1 if the triple is outside. A negative index becomes a large unsigned number.
    SPRUCE_HOST_DEVICE int64 is_outside(size_type i) const
    {
        return static_cast<size_type>(rows[i]) >= num_rows || static_cast<size_type>(cols[i]) >= num_cols;
    }
    SPRUCE_HOST_DEVICE int64 row_descends(size_type i) const { return i > 0 && rows[i - 1] > rows[i]; }
    SPRUCE_HOST_DEVICE int64 column_descends(size_type i) const
    {
        return i > 0 && rows[i - 1] == rows[i] && cols[i - 1] > cols[i];
    }

    const I* rows;
    const I* cols;
    size_type num_rows;
    size_type num_cols;
};

/// Sums count(i, which) over all i < size, for which = 0, ..., num_counts - 1.
template <typename Count>
std::vector<int64> add_up_faults(const DeviceExecutor& exec, size_type size, size_type num_counts, Count count)
{
    const auto shared_exec = exec.shared_from_this();
    array<int64> sums{shared_exec, num_counts};
    array<char> tmp{shared_exec};
    run_sum_columns<int64>(
        exec, size, num_counts, tmp, count,
        [sums = sums.get_data()] SPRUCE_KERNEL_LAMBDA(size_type which, int64 sum) { sums[which] = sum; });
    return sums.copy_to_host();
}

/// Checks triples in one pass if they have no fault. A second pass distinguishes the faults.
template <typename I>
void check_order(const DeviceExecutor& exec, dim<2> size, const array<I>& row_idxs, const array<I>& col_idxs,
                 bool& is_inside, kernels::device_matrix_data::entry_order& order)
{
    using kernels::device_matrix_data::entry_order;
    const auto num = row_idxs.get_size();
    const order_faults<I> faults{row_idxs.get_const_data(), col_idxs.get_const_data(), size[0], size[1]};
    const auto any = add_up_faults(exec, num, 1, [faults] SPRUCE_KERNEL_LAMBDA(size_type i, size_type) -> int64 {
        return faults.is_outside(i) + faults.row_descends(i) + faults.column_descends(i);
    });
    is_inside = true;
    order = entry_order::row_major;
    if (any[0] > 0) {
        const auto of_kind =
            add_up_faults(exec, num, 3, [faults] SPRUCE_KERNEL_LAMBDA(size_type i, size_type which) -> int64 {
                return which == 0   ? faults.is_outside(i)
                       : which == 1 ? faults.row_descends(i)
                                    : faults.column_descends(i);
            });
        is_inside = of_kind[0] == 0;
        order = of_kind[1] > 0 ? entry_order::none : of_kind[2] > 0 ? entry_order::by_row : entry_order::row_major;
    }
}

/// Sorts triples with all their components in each pass. Gathering the values, or the rows of
/// triples sorted by column, from addresses all over memory takes longer than the passes that it
/// would save (doc/tuning/sorting.md).
template <typename V, typename I>
void sort_row_major(const DeviceExecutor& exec, dim<2> size, array<I>& row_idxs, array<I>& col_idxs, array<V>& values)
{
    const auto digits = records::split_into_digits(size, radix_sort::max_digit_bits);
    if (digits.empty()) {
        return;  // all triples are at one position
    }
    const auto shared_exec = exec.shared_from_this();
    const auto num = values.get_size();
    const auto make_owning = [](auto& data) {
        if (!data.is_owning()) {  // memory of another owner is not changed
            data = std::decay_t<decltype(data)>{data};
        }
    };
    make_owning(row_idxs);
    make_owning(col_idxs);
    make_owning(values);
    array<I> new_rows{shared_exec, num};
    array<I> new_cols{shared_exec, num};
    array<V> new_values{shared_exec, num};
    // The passes write alternately to both, so that no third copy is needed.
    const records::triples<device_type<V>, I> source{row_idxs.get_data(), col_idxs.get_data(),
                                                     as_device(values.get_data())};
    const records::triples<device_type<V>, I> buffer{new_rows.get_data(), new_cols.get_data(),
                                                     as_device(new_values.get_data())};
    const auto is_odd = digits.size() % 2 == 1;
    radix_sort::sort(exec, digits, source.as_source(), num, is_odd ? buffer : source, is_odd ? source : buffer);
    if (is_odd) {
        row_idxs = std::move(new_rows);
        col_idxs = std::move(new_cols);
        values = std::move(new_values);
    }
}

/// Keeps the triples i with is_kept(i), and gives each the value value_of(i, targets). targets[i]
/// is the number of triples retained before triple i, for i = 0, ..., number of triples. It is the
/// new position of triple i if that is retained.
template <typename V, typename I, typename IsRetained, typename ValueOf>
void compact(const DeviceExecutor& exec, array<I>& row_idxs, array<I>& col_idxs, array<V>& values,
             IsRetained is_retained, ValueOf value_of)
{
    const auto shared_exec = exec.shared_from_this();
    const auto num = values.get_size();
    array<I> targets_array{shared_exec, num + 1};
    const auto targets = targets_array.get_data();
    run_for_each(exec, num, [=] SPRUCE_KERNEL_LAMBDA(size_type i) { targets[i] = is_retained(i) ? 1 : 0; });
    size_type num_retained{};
    spruce::kernels::components::prefix_sum<I>(exec, targets, num + 1, num_retained);
    if (num_retained == num) {
        return;
    }
    array<I> new_rows{shared_exec, num_retained};
    array<I> new_cols{shared_exec, num_retained};
    array<V> new_values{shared_exec, num_retained};
    run_for_each(exec, num,
                 [=, rows = row_idxs.get_const_data(), cols = col_idxs.get_const_data(), to_rows = new_rows.get_data(),
                  to_cols = new_cols.get_data(),
                  to_values = as_device(new_values.get_data())] SPRUCE_KERNEL_LAMBDA(size_type i) {
                     const auto target = targets[i];
                     if (targets[i + 1] != target) {
                         to_rows[target] = rows[i];
                         to_cols[target] = cols[i];
                         to_values[target] = value_of(i, targets);
                     }
                 });
    row_idxs = std::move(new_rows);
    col_idxs = std::move(new_cols);
    values = std::move(new_values);
}

template <typename V, typename I>
void sum_duplicates(const DeviceExecutor& exec, array<I>& row_idxs, array<I>& col_idxs, array<V>& values)
{
    compact(
        exec, row_idxs, col_idxs, values,
        [rows = row_idxs.get_const_data(), cols = col_idxs.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type i) {
            return i == 0 || rows[i] != rows[i - 1] || cols[i] != cols[i - 1];
        },
        [values = as_device(values.get_const_data()), num = values.get_size()] SPRUCE_KERNEL_LAMBDA(size_type i,
                                                                                                    const I* targets) {
            auto sum = values[i];
            for (auto next = i + 1; next < num && targets[next + 1] == targets[next]; ++next) {
                sum += values[next];
            }
            return sum;
        });
}

template <typename V, typename I>
void remove_zeros(const DeviceExecutor& exec, array<I>& row_idxs, array<I>& col_idxs, array<V>& values)
{
    const auto old_values = as_device(values.get_const_data());
    compact(
        exec, row_idxs, col_idxs, values, [=] SPRUCE_KERNEL_LAMBDA(size_type i) { return is_nonzero(old_values[i]); },
        [=] SPRUCE_KERNEL_LAMBDA(size_type i, const I*) { return old_values[i]; });
}

}  // namespace device_matrix_data

void register_device_matrix_data()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::device_matrix_data::sort_row_major<V, I>.template set<DeviceExecutor>(
            &device_matrix_data::sort_row_major<V, I>);
        kernels::device_matrix_data::sum_duplicates<V, I>.template set<DeviceExecutor>(
            &device_matrix_data::sum_duplicates<V, I>);
        kernels::device_matrix_data::remove_zeros<V, I>.template set<DeviceExecutor>(
            &device_matrix_data::remove_zeros<V, I>);
    });
    for_each_index_type([](auto type) {
        using I = typename decltype(type)::type;
        spruce::kernels::device_matrix_data::check_order<I>.template set<DeviceExecutor>(
            &device_matrix_data::check_order<I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
