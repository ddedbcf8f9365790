// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/components/sort_kernels.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace components {

template <typename I>
void sort_keys(const ReferenceExecutor&, const I* keys, const I* positions, size_type size, size_type, I* new_keys,
               I* new_positions)
{
    std::vector<I> order(size);
    std::iota(order.begin(), order.end(), I{});
    std::stable_sort(order.begin(), order.end(), [&](I a, I b) { return keys[a] < keys[b]; });
    for (size_type i = 0; i < size; ++i) {
        new_keys[i] = keys[order[i]];
        new_positions[i] = positions ? positions[order[i]] : order[i];
    }
}

}  // namespace components

void register_sort()
{
    detail::for_each_type(detail::type_list<int32, int64>{}, [](auto tag) {
        using I = typename decltype(tag)::type;
        kernels::components::sort_keys<I>.template set<ReferenceExecutor>(&components::sort_keys<I>);
    });
}

}  // namespace spruce::kernels::reference
