// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/base/index_set_kernels.hpp"

#include <algorithm>

#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace index_set {

template <typename I>
void inspect(const ReferenceExecutor&, const I* indices, size_type size, I bound, bool& has_invalid, bool& is_sorted)
{
    has_invalid = std::any_of(indices, indices + size, [&](I index) { return index < 0 || index >= bound; });
    is_sorted = std::is_sorted(indices, indices + size);
}

template <typename I>
void find_repeated(const ReferenceExecutor&, const I* indices, size_type size, I* positions, bool& has_repeated)
{
    std::for_each(indices, indices + size, [&](I index) { positions[index] = -1; });
    has_repeated = false;
    for (size_type i = 0; i < size; ++i) {
        has_repeated = has_repeated || positions[indices[i]] >= 0;
        positions[indices[i]] = static_cast<I>(i);
    }
}

template <typename I>
void mark_runs(const ReferenceExecutor&, const I* indices, size_type size, I* is_new, I* starts_run)
{
    for (size_type i = 0; i < size; ++i) {
        is_new[i] = i == 0 || indices[i] != indices[i - 1];
        starts_run[i] = i == 0 || indices[i] - indices[i - 1] > 1;
    }
}

template <typename I>
void collect_runs(const ReferenceExecutor&, const I* indices, size_type size, const I* num_new, const I* num_runs,
                  I* begins, I* ends, I* offsets)
{
    for (size_type i = 0; i < size; ++i) {
        const auto run = num_runs[i + 1] - 1;
        if (num_runs[i] == run) {
            begins[run] = indices[i];
            offsets[run] = num_new[i];
        }
        ends[run] = indices[i] + 1;
    }
    offsets[num_runs[size]] = num_new[size];
}

/// Returns the number of the last run that begins at or before an index, or -1 if there is none.
template <typename I>
int64 find_run(const I* begins, size_type num_runs, I index)
{
    return std::upper_bound(begins, begins + num_runs, index) - begins - 1;
}

template <typename I>
void to_local(const ReferenceExecutor&, const I* begins, const I* ends, const I* offsets, size_type num_runs,
              const I* global, size_type size, I* local)
{
    for (size_type i = 0; i < size; ++i) {
        const auto run = find_run(begins, num_runs, global[i]);
        local[i] = run >= 0 && global[i] < ends[run] ? offsets[run] + global[i] - begins[run] : I{-1};
    }
}

template <typename I>
void to_global(const ReferenceExecutor&, const I* begins, const I* offsets, size_type num_runs, const I* local,
               size_type size, I* global)
{
    for (size_type i = 0; i < size; ++i) {
        const auto run = find_run(offsets, num_runs, local[i]);
        global[i] = run >= 0 && local[i] < offsets[num_runs] ? begins[run] + local[i] - offsets[run] : I{-1};
    }
}

template <typename I>
void contains(const ReferenceExecutor&, const I* begins, const I* ends, size_type num_runs, const I* global,
              size_type size, bool* result)
{
    for (size_type i = 0; i < size; ++i) {
        const auto run = find_run(begins, num_runs, global[i]);
        result[i] = run >= 0 && global[i] < ends[run];
    }
}

}  // namespace index_set

void register_index_set()
{
    for_each_index_type([](auto tag) {
        using I = typename decltype(tag)::type;
        kernels::index_set::inspect<I>.template set<ReferenceExecutor>(&index_set::inspect<I>);
        kernels::index_set::find_repeated<I>.template set<ReferenceExecutor>(&index_set::find_repeated<I>);
        kernels::index_set::mark_runs<I>.template set<ReferenceExecutor>(&index_set::mark_runs<I>);
        kernels::index_set::collect_runs<I>.template set<ReferenceExecutor>(&index_set::collect_runs<I>);
        kernels::index_set::to_local<I>.template set<ReferenceExecutor>(&index_set::to_local<I>);
        kernels::index_set::to_global<I>.template set<ReferenceExecutor>(&index_set::to_global<I>);
        kernels::index_set::contains<I>.template set<ReferenceExecutor>(&index_set::contains<I>);
    });
}

}  // namespace spruce::kernels::reference
