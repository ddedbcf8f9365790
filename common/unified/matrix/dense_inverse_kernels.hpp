// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/matrix/dense_inverse_kernels.hpp"

#include <utility>

#include <spruce/base/array.hpp>

#include "common/numeric/magnitude.hpp"
#include "common/unified/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace dense {

/// Orders possible pivots by absolute value, with a relative accuracy of 2^-32, and equal ones by
/// row. The order is decided by one number of 63 bits, so that the largest can be found by atomic
/// operations.
struct pivot_key {
    static constexpr int row_bits = 20;
    static constexpr int64 row_mask = (int64{1} << row_bits) - 1;

    template <typename Real>
    SPRUCE_HOST_DEVICE static int64 of(Real size, size_type row)
    {
        return (static_cast<int64>(magnitude_of(size)) & ~row_mask) | (row_mask - static_cast<int64>(row));
    }
    SPRUCE_HOST_DEVICE static size_type row(int64 key) { return static_cast<size_type>(row_mask - (key & row_mask)); }
};

/// Returns the largest absolute value of the entries.
/// @param largest  one element of memory of the executor
template <typename V>
remove_complex<V> largest_entry(const DeviceExecutor& exec, const matrix::Dense<V>& a, int64* largest)
{
    using Real = remove_complex<V>;
    run_for_each(exec, 1, [=] SPRUCE_KERNEL_LAMBDA(size_type) { *largest = 0; });
    run_for_each_entry(exec, a.get_size()[0], a.get_size()[1],
                       [a = entries_of(a), largest] SPRUCE_KERNEL_LAMBDA(size_type i, size_type j) {
                           atomic_max(largest, static_cast<int64>(magnitude_of(abs_of(a(i, j)))));
                       });
    return real_of_magnitude<Real>(static_cast<uint64>(exec.copy_val_to_host(largest)));
}

/// Eliminates column k, whose pivot is known: to = the result of the step for from. The pivot of
/// column k + 1 is searched among the new entries.
/// @param pivots      pivots[k] is the key of the pivot of column k
/// @param column_of   the column whose pivot is in a row; negative if there is none
template <typename V>
void eliminate(const DeviceExecutor& exec, size_type k, remove_complex<V> smallest_pivot, const matrix::Dense<V>& from,
               matrix::Dense<V>& to, int64* pivots, int64* column_of)
{
    using T = device_type<V>;
    const auto size = from.get_size()[0];
    run_for_each_entry(exec, size, size,
                       [k, smallest_pivot, pivots, column_of, from = entries_of(from),
                        to = entries_of(to)] SPRUCE_KERNEL_LAMBDA(size_type i, size_type j) {
                           const auto pivot_row = pivot_key::row(pivots[k]);
                           const auto pivot = from(pivot_row, k);
                           T value{};
                           if (abs_of(pivot) <= smallest_pivot) {
                               value = i == pivot_row || j == k ? T{} : from(i, j);
                           } else if (i == pivot_row) {
                               value = j == k ? T(1) / pivot : from(i, j) / pivot;
                           } else {
                               const auto factor = from(i, k) / pivot;
                               value = j == k ? -factor : from(i, j) - factor * from(pivot_row, j);
                           }
                           to(i, j) = value;
                           if (i == pivot_row && j == 0) {
                               column_of[i] = static_cast<int64>(k);
                           }
                           if (j == k + 1 && i != pivot_row && column_of[i] < 0) {
                               atomic_max(pivots + j, pivot_key::of(abs_of(value), i));
                           }
                       });
}

/// Inverts in place, by steps that alternate between two buffers. Rows are not exchanged: column k
/// of the result is column p_k of the inverse, and row p_k is row k, where p_k is the row of the
/// pivot of column k.
template <typename V>
void invert(const DeviceExecutor& exec, remove_complex<V> tolerance, matrix::Dense<V>& a, matrix::Dense<V>& inverse,
            array<int64>& workspace)
{
    const auto size = a.get_size()[0];
    if (size == 0) {
        return;
    }
    if (workspace.get_size() < 2 * size + 1) {
        workspace.resize_and_reset(2 * size + 1);
    }
    const auto pivots = workspace.get_data();
    const auto column_of = pivots + size;
    const auto smallest_pivot = tolerance * largest_entry(exec, a, column_of + size);
    run_for_each(exec, 2 * size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) { pivots[i] = -1; });
    run_for_each(exec, size, [a = entries_of(a), pivots] SPRUCE_KERNEL_LAMBDA(size_type i) {
        atomic_max(pivots, pivot_key::of(abs_of(a(i, 0)), i));
    });
    // The last step writes to a.
    auto from = &a;
    auto to = &inverse;
    if (size % 2 == 1) {
        inverse.copy_from(&a);
        std::swap(from, to);
    }
    for (size_type k = 0; k < size; ++k) {
        eliminate(exec, k, smallest_pivot, *from, *to, pivots, column_of);
        std::swap(from, to);
    }
    run_for_each_entry(
        exec, size, size,
        [a = entries_of(std::as_const(a)), inverse = entries_of(inverse), pivots] SPRUCE_KERNEL_LAMBDA(
            size_type i, size_type j) { inverse(i, pivot_key::row(pivots[j])) = a(pivot_key::row(pivots[i]), j); });
}

}  // namespace dense

void register_dense_inverse()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        kernels::dense::invert<V>.template set<DeviceExecutor>(&dense::invert<V>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
