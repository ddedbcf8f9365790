// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/csr_lookup_kernels.hpp"

#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace csr {

using matrix::csr::lookup_view;

template <typename I>
void plan_lookup(const ReferenceExecutor&, const I* row_ptrs, const I* col_idxs, size_type num_rows, int32* types,
                 I* sizes)
{
    for (size_type row = 0; row < num_rows; ++row) {
        const auto begin = row_ptrs[row];
        sizes[row] = lookup_view<I>::plan(col_idxs + begin, row_ptrs[row + 1] - begin, types[row]);
    }
}

template <typename I>
void build_lookup(const ReferenceExecutor&, const lookup_view<I>& view, size_type num_rows, I* storage)
{
    for (size_type row = 0; row < num_rows; ++row) {
        const auto begin = view.row_ptrs[row];
        lookup_view<I>::build(view.col_idxs + begin, view.row_ptrs[row + 1] - begin, view.types[row],
                              storage + view.offsets[row], view.offsets[row + 1] - view.offsets[row]);
    }
}

template <typename I>
void find_entries(const ReferenceExecutor&, const lookup_view<I>& view, const I* rows, const I* cols, size_type size,
                  I* positions)
{
    for (size_type i = 0; i < size; ++i) {
        positions[i] = view.find(static_cast<size_type>(rows[i]), cols[i]);
    }
}

}  // namespace csr

void register_csr_lookup()
{
    for_each_index_type([](auto type) {
        using I = typename decltype(type)::type;
        using E = ReferenceExecutor;
        kernels::csr::plan_lookup<I>.template set<E>(&csr::plan_lookup<I>);
        kernels::csr::build_lookup<I>.template set<E>(&csr::build_lookup<I>);
        kernels::csr::find_entries<I>.template set<E>(&csr::find_entries<I>);
    });
}

}  // namespace spruce::kernels::reference
