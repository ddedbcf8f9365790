// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/graph/coloring.hpp"

#include <spruce/matrix/dense.hpp>

#include "core/base/dispatch.hpp"
#include "core/base/instantiate.hpp"
#include "core/graph/coloring_kernels.hpp"

namespace spruce::graph {

template <typename V, typename I>
array<I> color_rows(const matrix::Csr<V, I>& a)
{
    constexpr int num_improvements = 2;  // doc/tuning/sor.md
    const auto exec = a.get_executor();
    const auto size = a.get_size()[0];
    const auto one_scalar = initialize<matrix::Dense<V>>({one<V>()}, exec);
    const auto transposed = as<matrix::Csr<V, I>>(a.transpose());
    const auto graph = a.scale_add(one_scalar, one_scalar, transposed);
    array<int64> priorities{exec, size};
    array<I> colors{exec, size};
    for (int i = 0; i <= num_improvements; ++i) {
        const auto old_colors = i == 0 ? nullptr : colors.get_const_data();
        kernels::coloring::set_priorities<I>(*exec, old_colors, size, priorities.get_data());
        kernels::coloring::assign<I>(*exec, graph->get_const_row_ptrs(), graph->get_const_col_idxs(), size,
                                     graph->get_num_stored_elements(), priorities.get_const_data(), colors.get_data());
    }
    return colors;
}

#define SPRUCE_COLOR_ROWS(_value, _index) \
    SPRUCE_EXPORT array<_index> color_rows<_value, _index>(const matrix::Csr<_value, _index>&)
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_COLOR_ROWS);

}  // namespace spruce::graph
