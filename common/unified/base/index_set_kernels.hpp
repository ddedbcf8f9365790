// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/base/index_set_kernels.hpp"

#include "common/numeric/partition_point.hpp"
#include "common/unified/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace index_set {

template <typename I>
void inspect(const DeviceExecutor& exec, const I* indices, size_type size, I bound, bool& has_invalid, bool& is_sorted)
{
    constexpr int32 invalid = 1;
    constexpr int32 descent = 2;
    const auto found = run_or(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) -> int32 {
        return (indices[i] < 0 || indices[i] >= bound ? invalid : 0) |
               (i > 0 && indices[i - 1] > indices[i] ? descent : 0);
    });
    has_invalid = (found & invalid) != 0;
    is_sorted = (found & descent) == 0;
}

template <typename I>
void find_repeated(const DeviceExecutor& exec, const I* indices, size_type size, I* positions, bool& has_repeated)
{
    // All but one of several equal indices find the position of another one.
    run_for_each(exec, size,
                 [=] SPRUCE_KERNEL_LAMBDA(size_type i) { atomic_store(positions + indices[i], static_cast<I>(i)); });
    has_repeated = run_or(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) -> int32 {
                       return positions[indices[i]] != static_cast<I>(i);
                   }) != 0;
}

template <typename I>
void mark_runs(const DeviceExecutor& exec, const I* indices, size_type size, I* is_new, I* starts_run)
{
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) {
        is_new[i] = i == 0 || indices[i] != indices[i - 1];
        starts_run[i] = i == 0 || indices[i] - indices[i - 1] > 1;
    });
}

template <typename I>
void collect_runs(const DeviceExecutor& exec, const I* indices, size_type size, const I* num_new, const I* num_runs,
                  I* begins, I* ends, I* offsets)
{
    run_for_each(exec, size + 1, [=] SPRUCE_KERNEL_LAMBDA(size_type i) {
        if (i == size) {
            offsets[num_runs[size]] = num_new[size];
            return;
        }
        const auto run = num_runs[i + 1] - 1;
        if (num_runs[i] == run) {
            begins[run] = indices[i];
            offsets[run] = num_new[i];
        }
        if (i + 1 == size || num_runs[i + 2] > num_runs[i + 1]) {
            ends[run] = indices[i] + 1;
        }
    });
}

/// Returns the number of the last run that begins at or before an index, or -1.
template <typename I>
SPRUCE_HOST_DEVICE_INLINE int64 find_run(const I* begins, size_type num_runs, I index)
{
    return static_cast<int64>(
               partition_point(size_type{}, num_runs, [=](size_type run) { return begins[run] <= index; })) -
           1;
}

template <typename I>
void to_local(const DeviceExecutor& exec, const I* begins, const I* ends, const I* offsets, size_type num_runs,
              const I* global, size_type size, I* local)
{
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) {
        const auto run = find_run(begins, num_runs, global[i]);
        local[i] = run >= 0 && global[i] < ends[run] ? offsets[run] + global[i] - begins[run] : I{-1};
    });
}

template <typename I>
void to_global(const DeviceExecutor& exec, const I* begins, const I* offsets, size_type num_runs, const I* local,
               size_type size, I* global)
{
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) {
        const auto run = find_run(offsets, num_runs, local[i]);
        global[i] = run >= 0 && local[i] < offsets[num_runs] ? begins[run] + local[i] - offsets[run] : I{-1};
    });
}

template <typename I>
void contains(const DeviceExecutor& exec, const I* begins, const I* ends, size_type num_runs, const I* global,
              size_type size, bool* result)
{
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) {
        const auto run = find_run(begins, num_runs, global[i]);
        result[i] = run >= 0 && global[i] < ends[run];
    });
}

}  // namespace index_set

void register_index_set()
{
    for_each_index_type([](auto tag) {
        using I = typename decltype(tag)::type;
        kernels::index_set::inspect<I>.template set<DeviceExecutor>(&index_set::inspect<I>);
        kernels::index_set::find_repeated<I>.template set<DeviceExecutor>(&index_set::find_repeated<I>);
        kernels::index_set::mark_runs<I>.template set<DeviceExecutor>(&index_set::mark_runs<I>);
        kernels::index_set::collect_runs<I>.template set<DeviceExecutor>(&index_set::collect_runs<I>);
        kernels::index_set::to_local<I>.template set<DeviceExecutor>(&index_set::to_local<I>);
        kernels::index_set::to_global<I>.template set<DeviceExecutor>(&index_set::to_global<I>);
        kernels::index_set::contains<I>.template set<DeviceExecutor>(&index_set::contains<I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
