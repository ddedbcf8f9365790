// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/solver/cb_gmres_kernels.hpp"

#include "common/unified/base/prelude.hpp"
#include "common/unified/solver/compressed_basis.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace cb_gmres {

using kernels::cb_gmres::basis;
using kernels::cb_gmres::remainder;
using kernels::gmres::projection;
using matrix::Dense;

template <typename V>
void find_largest(const DeviceExecutor& exec, const Dense<V>& v, Dense<remove_complex<V>>& largest,
                  const Reduction& reduction)
{
    using real = remove_complex<V>;
    using sum_type = square_and_largest<real>;
    run_sum_columns<sum_type>(
        exec, v.get_size()[0], v.get_size()[1], reduction,
        [v = entries_of(v)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
            return sum_type{real{}, largest_part(v(row, col))};
        },
        [largest = largest.get_values()] SPRUCE_KERNEL_LAMBDA(size_type col, const sum_type& sum) {
            largest[col] = sum.largest;
        });
}

/// Completes a column when all vectors have been subtracted, and does nothing before.
template <typename T>
struct end_of_subtraction {
    using real = remove_complex<T>;

    SPRUCE_HOST_DEVICE_INLINE void operator()(size_type col, const square_and_largest<real>& sum) const
    {
        if (!is_last) {
            return;
        }
        if (is_second) {
            finish_compressed_step(sum, rest, num_vectors - 1, problem, col, status[col], rounding);
        } else {
            store_remainder(sum, h, num_vectors, rest, col);
        }
    }

    dense_entries<const T> h;
    size_type num_vectors;
    remainder_entries<real> rest;
    projection_entries<T> problem;  ///< this and the following members are used by the second pass only
    stopping_status* status;
    real rounding;
    bool is_second;
    bool is_last;
};

/// Computes w = w - sum_i h_i v_i. The second pass changes only the columns that need it.
template <typename S, typename V>
void subtract_as(const DeviceExecutor& exec, const basis<V>& basis, Dense<V>& w, end_of_subtraction<device_type<V>> end,
                 const Reduction& reduction)
{
    using sum_type = square_and_largest<remove_complex<V>>;
    for (const auto& block : blocks_of<S>(basis)) {
        end.is_last = block.is_last;
        run_sum_columns<sum_type>(
            exec, w.get_size()[0], w.get_size()[1], reduction,
            per_column{[block, is_second = end.is_second, reorthogonalize = end.rest.reorthogonalize, h = end.h,
                        w = entries_of(w)] SPRUCE_KERNEL_LAMBDA(size_type col) {
                const auto is_active = !is_second || reorthogonalize[col] != 0;
                const auto factors = factors_of(block, h, block.first + block.size, col);
                return [=](size_type row) {
                    if (!is_active) {
                        return sum_type{};
                    }
                    const auto entry = subtracted(block, factors, row, col, w(row, col));
                    w(row, col) = entry;
                    return sum_type{squared_abs(entry), largest_part(entry)};
                };
            }},
            end);
    }
}

template <typename V>
void subtract(const DeviceExecutor& exec, const basis<V>& basis, const Dense<V>& h, Dense<V>& w,
              const remainder<V>& rest, const Reduction& reduction)
{
    const end_of_subtraction<device_type<V>> end{
        entries_of(h), basis.vectors.size(), entries_of(rest), {}, nullptr, {}, false, false};
    with_storage_type<V>(basis.precision,
                         [&](auto tag) { subtract_as<typename decltype(tag)::type>(exec, basis, w, end, reduction); });
}

template <typename V>
void finish_step(const DeviceExecutor& exec, const basis<V>& basis, const Dense<V>& h, Dense<V>& w,
                 const remainder<V>& rest, const projection<V>& problem, array<stopping_status>& status,
                 const Reduction& reduction)
{
    const end_of_subtraction<device_type<V>> end{entries_of(h),
                                                 basis.vectors.size(),
                                                 entries_of(rest),
                                                 entries_of(problem),
                                                 status.get_data(),
                                                 rounding_of<V>(basis.precision),
                                                 true,
                                                 false};
    with_storage_type<V>(basis.precision,
                         [&](auto tag) { subtract_as<typename decltype(tag)::type>(exec, basis, w, end, reduction); });
}

template <typename V>
void resume_unconfirmed(const DeviceExecutor& exec, const Dense<V>& residual_norm, Dense<V>& norm,
                        array<stopping_status>& status)
{
    run_for_each(exec, status.get_size(),
                 [residual_norm = residual_norm.get_const_values(), norm = norm.get_values(),
                  status = status.get_data()] SPRUCE_KERNEL_LAMBDA(size_type col) {
                     norm[col] = residual_norm[col];
                     if (status[col].has_converged()) {
                         status[col].reset();
                         kernels::stop_if_zero_or_nonfinite(norm[col], status[col]);
                     }
                 });
}

}  // namespace cb_gmres

void register_cb_gmres()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        using real = remove_complex<V>;
        kernels::cb_gmres::find_largest<V>.template set<DeviceExecutor>(&cb_gmres::find_largest<V>);
        kernels::cb_gmres::subtract<V>.template set<DeviceExecutor>(&cb_gmres::subtract<V>);
        kernels::cb_gmres::finish_step<V>.template set<DeviceExecutor>(&cb_gmres::finish_step<V>);
        kernels::cb_gmres::resume_unconfirmed<real>.template set<DeviceExecutor>(&cb_gmres::resume_unconfirmed<real>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
