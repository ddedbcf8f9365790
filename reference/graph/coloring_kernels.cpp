// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/graph/coloring_kernels.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace coloring {

template <typename I>
void set_priorities(const ReferenceExecutor&, const I* colors, size_type size, int64* priorities)
{
    for (size_type i = 0; i < size; ++i) {
        auto z = (static_cast<uint64>(i) + 1) * 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        priorities[i] = colors ? static_cast<int64>(colors[i]) : static_cast<int64>(z ^ z >> 31);
    }
}

template <typename I>
void assign(const ReferenceExecutor&, const I* row_ptrs, const I* col_idxs, size_type size, size_type,
            const int64* priorities, I* colors)
{
    std::vector<I> order(size);
    std::iota(order.begin(), order.end(), I{});
    std::sort(order.begin(), order.end(), [&](I a, I b) { return priorities[a] > priorities[b]; });
    std::fill(colors, colors + size, I{-1});
    std::vector<I> user(size + 1, I{-1});  // the last row one of whose neighbours has the colour
    for (const auto row : order) {
        for (auto nz = row_ptrs[row]; nz < row_ptrs[row + 1]; ++nz) {
            if (const auto color = colors[col_idxs[nz]]; color >= 0) {
                user[color] = row;
            }
        }
        I color{};
        while (user[color] == row) {
            ++color;
        }
        colors[row] = color;
    }
}

}  // namespace coloring

void register_coloring()
{
    for_each_index_type([](auto type) {
        using I = typename decltype(type)::type;
        kernels::coloring::set_priorities<I>.template set<ReferenceExecutor>(&coloring::set_priorities<I>);
        kernels::coloring::assign<I>.template set<ReferenceExecutor>(&coloring::assign<I>);
    });
}

}  // namespace spruce::kernels::reference
