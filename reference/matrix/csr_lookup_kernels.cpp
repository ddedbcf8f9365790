// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/csr_lookup_kernels.hpp"

#include <algorithm>
#include <functional>

#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace csr {

using matrix::csr::lookup_type;
using matrix::csr::lookup_view;

/// Returns the type of table that has the fewest elements for a row.
template <typename I>
lookup_type smallest_table(const I* begin, const I* end)
{
    const auto length = static_cast<uint64>(end - begin);
    uint64 hash_size = 4;
    while (hash_size < 2 * length) {
        hash_size *= 2;
    }
    const auto is_increasing = std::adjacent_find(begin, end, std::greater_equal<I>{}) == end;
    const auto range = is_increasing && length > 0 ? static_cast<uint64>(end[-1] - begin[0]) + 1 : 0;
    if (is_increasing && range == length) {
        return lookup_type::full;
    }
    const auto bitmap_size = 2 * ((range + 31) / 32);
    return is_increasing && bitmap_size <= hash_size ? lookup_type::bitmap : lookup_type::hash;
}

// Tables are empty: entries are searched in the rows.
template <typename I>
void plan_lookup(const ReferenceExecutor&, const I* row_ptrs, const I* col_idxs, size_type num_rows, int32* types,
                 I* sizes)
{
    for (size_type row = 0; row < num_rows; ++row) {
        types[row] = static_cast<int32>(smallest_table(col_idxs + row_ptrs[row], col_idxs + row_ptrs[row + 1]));
        sizes[row] = 0;
    }
}

template <typename I>
void build_lookup(const ReferenceExecutor&, const lookup_view<I>&, size_type, I*)
{}

template <typename I>
void find_entries(const ReferenceExecutor&, const lookup_view<I>& view, const I* rows, const I* cols, size_type size,
                  I* positions)
{
    for (size_type i = 0; i < size; ++i) {
        const auto begin = view.col_idxs + view.row_ptrs[rows[i]];
        const auto end = view.col_idxs + view.row_ptrs[rows[i] + 1];
        const auto found = std::find(begin, end, cols[i]);
        positions[i] = found != end ? static_cast<I>(found - begin) : I{-1};
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
