// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/sellp_kernels.hpp"

#include <algorithm>

#include "reference/base/register.hpp"
#include "reference/matrix/padded_rows.hpp"

namespace spruce::kernels::reference {
namespace sellp {

template <typename I>
void compute_slice_lengths(const ReferenceExecutor&, const I* row_ptrs, size_type num_rows, size_type slice_size,
                           size_type stride_factor, size_type* lengths)
{
    for (size_type begin = 0; begin < num_rows; begin += slice_size) {
        size_type max_length = 0;
        for (auto row = begin; row < std::min(begin + slice_size, num_rows); ++row) {
            max_length = std::max(max_length, static_cast<size_type>(row_ptrs[row + 1] - row_ptrs[row]));
        }
        lengths[begin / slice_size] = (max_length + stride_factor - 1) / stride_factor * stride_factor;
    }
}

}  // namespace sellp

void register_sellp()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        using Matrix = matrix::Sellp<V, I>;
        using E = ReferenceExecutor;
        kernels::sellp::spmv<V, I>.template set<E>(&padded_rows::spmv<Matrix>);
        kernels::sellp::advanced_spmv<V, I>.template set<E>(&padded_rows::advanced_spmv<Matrix>);
        kernels::sellp::spmv_with_dot<V, I>.template set<E>(&padded_rows::spmv_with_dot<Matrix>);
        kernels::sellp::fill_from_csr<V, I>.template set<E>(&padded_rows::fill_from_csr<Matrix>);
        kernels::sellp::count_entries<V, I>.template set<E>(&padded_rows::count_entries<Matrix>);
        kernels::sellp::convert_to_csr<V, I>.template set<E>(&padded_rows::convert_to_csr<Matrix>);
        kernels::sellp::extract_diagonal<V, I>.template set<E>(&padded_rows::extract_diagonal<Matrix>);
    });
    for_each_index_type([](auto tag) {
        using I = typename decltype(tag)::type;
        kernels::sellp::compute_slice_lengths<I>.template set<ReferenceExecutor>(&sellp::compute_slice_lengths<I>);
    });
}

}  // namespace spruce::kernels::reference
