// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <utility>

#include <spruce/matrix/csr.hpp>

namespace spruce::bench {

/// Returns a permutation without locality: index i is exchanged with index 7919 i modulo the size.
template <typename I>
array<I> scattered_order(std::shared_ptr<const Executor> exec, size_type size)
{
    array<I> host{exec->get_master(), size};
    for (size_type i = 0; i < size; ++i) {
        host.get_data()[i] = static_cast<I>(i);
    }
    constexpr size_type stride = 7919;
    for (size_type i = 0; i < size; ++i) {
        std::swap(host.get_data()[i], host.get_data()[i * stride % size]);
    }
    return {exec, host};
}

/// Returns a matrix with the entries of each row in another order. Values are not permuted, because
/// the time of a sort does not depend on them.
/// @param host  on a host executor
template <typename V, typename I>
std::unique_ptr<matrix::Csr<V, I>> with_shuffled_rows(const matrix::Csr<V, I>& host)
{
    auto result = host.clone();
    std::mt19937_64 engine{1};
    for (size_type row = 0; row < result->get_size()[0]; ++row) {
        std::shuffle(result->get_col_idxs() + result->get_const_row_ptrs()[row],
                     result->get_col_idxs() + result->get_const_row_ptrs()[row + 1], engine);
    }
    return result;
}

}  // namespace spruce::bench
