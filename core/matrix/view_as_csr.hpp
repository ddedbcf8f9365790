// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <utility>

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/fbcsr.hpp>

namespace spruce::matrix {

/// Views a matrix with blocks of one entry as Csr.
template <typename V, typename I>
std::unique_ptr<const Csr<V, I>> view_as_csr(const Fbcsr<V, I>& a,
                                             std::shared_ptr<typename Csr<V, I>::strategy_type> strategy)
{
    const auto exec = a.get_executor();
    const auto nnz = a.get_num_stored_blocks();
    return Csr<V, I>::create_const(exec, a.get_size(), array<V>::const_view(exec, nnz, a.get_const_values()),
                                   array<I>::const_view(exec, nnz, a.get_const_col_idxs()),
                                   array<I>::const_view(exec, a.get_size()[0] + 1, a.get_const_row_ptrs()),
                                   std::move(strategy));
}

}  // namespace spruce::matrix
