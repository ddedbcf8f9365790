// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/solver/gmres_kernels.hpp"

#include "common/unified/base/prelude.hpp"
#include "common/unified/solver/arnoldi.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace gmres {

using kernels::gmres::basis;
using kernels::gmres::coefficients;
using kernels::gmres::group_size;
using kernels::gmres::packed_begin;
using kernels::gmres::projection;
using matrix::Dense;

template <typename V>
void start_cycle(const DeviceExecutor& exec, const Dense<remove_complex<V>>& residual_norm, bool is_restart,
                 const projection<V>& problem, array<stopping_status>& status)
{
    run_for_each(exec, residual_norm.get_size()[1],
                 [residual_norm = residual_norm.get_const_values(), is_restart, problem = entries_of(problem),
                  status = status.get_data()] SPRUCE_KERNEL_LAMBDA(size_type col) {
                     kernels::start_cycle(residual_norm[col], is_restart, problem, col, status[col]);
                 });
}

template <typename V>
void normalize(const DeviceExecutor& exec, const Dense<remove_complex<V>>& norm, Dense<V>& v)
{
    using T = device_type<V>;
    run_for_each_entry(
        exec, v.get_size()[0], v.get_size()[1],
        [norm = norm.get_const_values(), v = entries_of(v)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
            v(row, col) = norm[col] == remove_complex<V>{} ? T{} : v(row, col) / T(norm[col]);
        });
}

template <typename V>
void multi_dot(const DeviceExecutor& exec, const basis<V>& vectors, const Dense<V>& w, bool add,
               const coefficients<V>& result, const Reduction& reduction)
{
    const auto step = result.step;
    auto& h = result.h;
    auto& triangle = result.triangle;
    using T = device_type<V>;
    using sum_type = sums<T, vectors_per_pass<T>>;
    for (const auto& block : blocks_of(vectors)) {
        run_sum_columns<sum_type>(
            exec, w.get_size()[0], w.get_size()[1], reduction,
            [block, w = entries_of(w)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                return products(row_of(block, row, col), w(row, col));
            },
            [h = entries_of(h), triangle = entries_of(triangle), begin = packed_begin(step), first = block.first,
             size = block.size, add] SPRUCE_KERNEL_LAMBDA(size_type col, const sum_type& dots) {
                for (int i = 0; i < vectors_per_pass<T>; ++i) {
                    if (i < size) {
                        auto& entry = triangle(begin + first + i, col);
                        h(first + i, col) = dots[i];
                        entry = add ? entry + dots[i] : dots[i];
                    }
                }
            });
    }
}

template <typename V>
void subtract_block(const DeviceExecutor& exec, const dense_block<device_type<V>>& block, const Dense<V>& h,
                    Dense<V>& w)
{
    run_for_each_entry(exec, w.get_size()[0], w.get_size()[1],
                       per_column{[block, h = entries_of(h), w = entries_of(w)] SPRUCE_KERNEL_LAMBDA(size_type col) {
                           const auto factors = factors_of(block, h, block.first + block.size, col);
                           return
                               [=](size_type row) { w(row, col) = subtracted(block, factors, row, col, w(row, col)); };
                       }});
}

template <typename V>
void subtract(const DeviceExecutor& exec, const basis<V>& vectors, const Dense<V>& h, Dense<V>& w)
{
    for (const auto& block : blocks_of(vectors)) {
        subtract_block(exec, block, h, w);
    }
}

template <typename V>
void subtract_and_dot(const DeviceExecutor& exec, const basis<V>& before, const basis<V>& group, size_type first,
                      const Dense<V>& overlaps, Dense<V>& w, const coefficients<V>& result, const Reduction& reduction)
{
    const auto step = result.step;
    auto& h = result.h;
    auto& triangle = result.triangle;
    using T = device_type<V>;
    constexpr int size_limit = group_size<V>;
    using sum_type = sums<T, size_limit>;
    const auto block = blocks_of<V, size_limit>(group).front();
    auto block_before = before.empty() ? block : blocks_of<V, size_limit>(before).front();
    if (before.empty()) {
        block_before.size = 0;
    }
    run_sum_columns<sum_type>(
        exec, w.get_size()[0], w.get_size()[1], reduction,
        per_column{[block_before, block, h = entries_of(std::as_const(h)),
                    w = entries_of(w)] SPRUCE_KERNEL_LAMBDA(size_type col) {
            const auto factors = factors_of(block_before, h, block_before.size, col);
            return [=](size_type row) {
                const auto vectors = row_of(block, row, col);
                const auto entry = subtracted(block_before, factors, row, col, w(row, col));
                w(row, col) = entry;
                return products(vectors, entry);
            };
        }},
        [size = block.size, first, overlaps = entries_of(overlaps), h = entries_of(h), triangle = entries_of(triangle),
         begin = packed_begin(step) + first] SPRUCE_KERNEL_LAMBDA(size_type col, const sum_type& dots) {
            auto result = dots;
            for (int i = 0; i < size_limit; ++i) {
                if (i < size) {
                    for (int j = 0; j < i; ++j) {
                        result[i] -= overlaps((first + i) * size_limit + j, col) * result[j];
                    }
                    h(i, col) = result[i];
                    triangle(begin + i, col) = result[i];
                }
            }
        });
}

template <typename V>
void normalize_in_group(const DeviceExecutor& exec, const Dense<remove_complex<V>>& norm, const basis<V>& group,
                        size_type index, Dense<V>& v, Dense<V>& overlaps, const Reduction& reduction)
{
    using T = device_type<V>;
    constexpr int size_limit = group_size<V>;
    using sum_type = sums<T, size_limit>;
    const auto block = blocks_of<V, size_limit>(group).front();
    run_sum_columns<sum_type>(
        exec, v.get_size()[0], v.get_size()[1], reduction,
        per_column{[block, norm = norm.get_const_values(), v = entries_of(v)] SPRUCE_KERNEL_LAMBDA(size_type col) {
            return [=, norm = norm[col]](size_type row) {
                const auto entry = norm == remove_complex<V>{} ? T{} : v(row, col) / T(norm);
                v(row, col) = entry;
                return products(row_of(block, row, col), entry);
            };
        }},
        [size = block.size, begin = index * size_limit, overlaps = entries_of(overlaps)] SPRUCE_KERNEL_LAMBDA(
            size_type col, const sum_type& dots) {
            for (int j = 0; j < size_limit; ++j) {
                if (j < size) {
                    overlaps(begin + j, col) = conj_of(dots[j]);
                }
            }
        });
}

template <typename V>
void finish_step(const DeviceExecutor& exec, const basis<V>& vectors, const Dense<V>& h, size_type step, Dense<V>& w,
                 const projection<V>& problem, array<stopping_status>& status, const Reduction& reduction)
{
    using real = remove_complex<V>;
    for (const auto& block : blocks_of(vectors)) {
        if (!block.is_last) {
            subtract_block(exec, block, h, w);
            continue;
        }
        run_sum_columns<real>(
            exec, w.get_size()[0], w.get_size()[1], reduction,
            per_column{[block, h = entries_of(h), w = entries_of(w)] SPRUCE_KERNEL_LAMBDA(size_type col) {
                const auto factors = factors_of(block, h, block.first + block.size, col);
                return [=](size_type row) {
                    const auto entry = subtracted(block, factors, row, col, w(row, col));
                    w(row, col) = entry;
                    return squared_abs(entry);
                };
            }},
            [step, problem = entries_of(problem), status = status.get_data()] SPRUCE_KERNEL_LAMBDA(size_type col,
                                                                                                   const real& square) {
                kernels::finish_step(sqrt_of(square), step, problem, col, status[col]);
            });
    }
}

template <typename V>
void solve_triangle(const DeviceExecutor& exec, const projection<V>& problem, Dense<V>& weight,
                    array<stopping_status>& status)
{
    run_for_each(exec, weight.get_size()[1],
                 [problem = entries_of(problem), weight = as_device(weight.get_values()),
                  status = status.get_data()] SPRUCE_KERNEL_LAMBDA(size_type col) {
                     weight[col] = kernels::solve(problem, col, status[col]);
                 });
}

template <typename V>
void add_combination(const DeviceExecutor& exec, const basis<V>& vectors, const Dense<V>& y,
                     const array<size_type>& num_steps, Dense<V>& x)
{
    for (const auto& block : blocks_of(vectors)) {
        run_for_each_entry(exec, x.get_size()[0], x.get_size()[1],
                           per_column{[block, y = entries_of(y), num_steps = num_steps.get_const_data(),
                                       x = entries_of(x)] SPRUCE_KERNEL_LAMBDA(size_type col) {
                               return add_block_to_column(block, y, num_steps[col], x, col);
                           }});
    }
}

}  // namespace gmres

void register_gmres()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        kernels::gmres::start_cycle<V>.template set<DeviceExecutor>(&gmres::start_cycle<V>);
        kernels::gmres::normalize<V>.template set<DeviceExecutor>(&gmres::normalize<V>);
        kernels::gmres::multi_dot<V>.template set<DeviceExecutor>(&gmres::multi_dot<V>);
        kernels::gmres::subtract<V>.template set<DeviceExecutor>(&gmres::subtract<V>);
        kernels::gmres::subtract_and_dot<V>.template set<DeviceExecutor>(&gmres::subtract_and_dot<V>);
        kernels::gmres::normalize_in_group<V>.template set<DeviceExecutor>(&gmres::normalize_in_group<V>);
        kernels::gmres::finish_step<V>.template set<DeviceExecutor>(&gmres::finish_step<V>);
        kernels::gmres::solve_triangle<V>.template set<DeviceExecutor>(&gmres::solve_triangle<V>);
        kernels::gmres::add_combination<V>.template set<DeviceExecutor>(&gmres::add_combination<V>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
