// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <utility>

#include <spruce/base/array.hpp>
#include <spruce/matrix/csr.hpp>

#include "core/multigrid/multigrid_kernels.hpp"

namespace spruce::multigrid::detail {

/// Returns the prolongation T that is constant on each aggregate. Row i has the entry 1 in column
/// aggregates[i], or none if that is negative. So constants on the coarse level are constants on
/// the fine one, and next coarser levels interpolate constants, too.
template <typename V, typename I>
std::unique_ptr<matrix::Csr<V, I>> create_tentative(const array<I>& aggregates, size_type num_aggregates)
{
    const auto exec = aggregates.get_executor();
    const auto size = aggregates.get_size();
    array<I> row_ptrs{exec, size + 1};
    array<I> col_idxs{exec, size};
    array<V> values{exec, size};
    size_type nnz{};
    kernels::multigrid::fill_tentative<V, I>(*exec, aggregates.get_const_data(), size, row_ptrs.get_data(),
                                             col_idxs.get_data(), values.get_data(), nnz);
    return matrix::Csr<V, I>::create(
        exec, dim<2>{size, num_aggregates}, array<V>::const_view(exec, nnz, values.get_const_data()).copy_to_array(),
        array<I>::const_view(exec, nnz, col_idxs.get_const_data()).copy_to_array(), std::move(row_ptrs));
}

}  // namespace spruce::multigrid::detail
