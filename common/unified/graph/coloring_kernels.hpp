// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/graph/coloring_kernels.hpp"

#include <utility>

#include <spruce/base/array.hpp>

#include "common/numeric/split_mix.hpp"
#include "common/unified/base/prelude.hpp"
#include "core/components/array_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace coloring {

template <typename I>
void set_priorities(const DeviceExecutor& exec, const I* colors, size_type size, int64* priorities)
{
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) {
        if (colors) {
            priorities[i] = static_cast<int64>(colors[i]);
            return;
        }
        priorities[i] = static_cast<int64>(split_mix(static_cast<uint64>(i)));
    });
}

/// Assigns colours in rounds. A row is ready if all neighbours of higher priority have their
/// colours. Ready rows are no neighbours, so that a round colours all of them in parallel, and
/// threads share their entries. Each entry is visited once before the first round, and twice in the
/// round of its row. The order of the ready rows varies, but colours do not depend on it.
template <typename I>
void assign(const DeviceExecutor& exec, const I* row_ptrs, const I* cols, size_type size, size_type nnz,
            const int64* priorities, I* colors)
{
    const auto shared_exec = exec.shared_from_this();
    array<I> num_awaited{shared_exec, size};  // neighbours of higher priority without colour
    // Element row_ptrs[i] + c is 1 if a neighbour of row i that has a higher priority has colour c.
    // Row i needs no larger colour than the number of its entries.
    array<I> is_used{shared_exec, nnz};
    array<I> ready{shared_exec, size};
    array<I> next{shared_exec, size};
    array<I> offsets{shared_exec, size + 1};
    array<I> num_next{shared_exec, 1};
    num_awaited.fill(0);
    is_used.fill(0);
    num_next.fill(0);
    run_for_each_nonzero(
        exec, row_ptrs, size, nnz,
        [cols, priorities, num_awaited = num_awaited.get_data()] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
            if (priorities[cols[nz]] > priorities[row]) {
                atomic_add(num_awaited + row, I{1});
            }
        });
    run_for_each(exec, size,
                 [num_awaited = num_awaited.get_const_data(), next = next.get_data(),
                  num_next = num_next.get_data()] SPRUCE_KERNEL_LAMBDA(size_type row) {
                     if (num_awaited[row] == 0) {
                         next[atomic_fetch_add(num_next, I{1})] = static_cast<I>(row);
                     }
                 });
    while (const auto num_ready = static_cast<size_type>(exec.copy_val_to_host(num_next.get_const_data()))) {
        std::swap(ready, next);
        num_next.fill(0);
        run_for_each(exec, num_ready,
                     [row_ptrs, colors, ready = ready.get_const_data(),
                      offsets = offsets.get_data()] SPRUCE_KERNEL_LAMBDA(size_type i) {
                         const auto row = ready[i];
                         colors[row] = row_ptrs[row + 1] - row_ptrs[row];
                         offsets[i] = colors[row];
                     });
        size_type num_entries{};
        kernels::components::prefix_sum<I>(exec, offsets.get_data(), num_ready + 1, num_entries);
        run_for_each_nonzero(exec, offsets.get_const_data(), num_ready, num_entries,
                             [row_ptrs, colors, ready = ready.get_const_data(), offsets = offsets.get_const_data(),
                              is_used = is_used.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type i, size_type k) {
                                 const auto row = ready[i];
                                 const auto color = static_cast<I>(k) - offsets[i];
                                 if (!is_used[row_ptrs[row] + color]) {
                                     atomic_min(colors + row, color);
                                 }
                             });
        run_for_each_nonzero(
            exec, offsets.get_const_data(), num_ready, num_entries,
            [row_ptrs, cols, priorities, colors, ready = ready.get_const_data(), offsets = offsets.get_const_data(),
             is_used = is_used.get_data(), num_awaited = num_awaited.get_data(), next = next.get_data(),
             num_next = num_next.get_data()] SPRUCE_KERNEL_LAMBDA(size_type i, size_type k) {
                const auto row = ready[i];
                const auto other = cols[row_ptrs[row] + static_cast<I>(k) - offsets[i]];
                if (priorities[other] >= priorities[row]) {
                    return;
                }
                const auto color = colors[row];
                if (color < row_ptrs[other + 1] - row_ptrs[other]) {
                    atomic_store(is_used + row_ptrs[other] + color, I{1});
                }
                if (atomic_fetch_add(num_awaited + other, I{-1}) == 1) {
                    next[atomic_fetch_add(num_next, I{1})] = other;
                }
            });
    }
}

}  // namespace coloring

void register_coloring()
{
    for_each_index_type([](auto type) {
        using I = typename decltype(type)::type;
        kernels::coloring::set_priorities<I>.template set<DeviceExecutor>(&coloring::set_priorities<I>);
        kernels::coloring::assign<I>.template set<DeviceExecutor>(&coloring::assign<I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
