// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>

#include "core/solver/krylov_solve.hpp"

namespace spruce::solver::detail {

/// Returns the number of rows of all parts of a distributed system. Waits for the device if there
/// are several parts.
template <typename ValueType>
size_type total_rows(const KrylovSolve<ValueType>& s)
{
    const auto communicator = s.reduction().get_communicator();
    if (!communicator) {
        return s.num_rows();
    }
    array<double> num_rows{s.get_executor(), 1};
    num_rows.fill(static_cast<double>(s.num_rows()));
    communicator->sum(s.get_executor(), num_rows.get_data(), 1);
    return static_cast<size_type>(num_rows.copy_to_host().front());
}

/// Returns the dimension of a space for this system: requested, but at most the number of rows of
/// the whole system, and at least 1. It is equal for all parts.
template <typename ValueType>
size_type limit_dimension(const KrylovSolve<ValueType>& s, size_type requested)
{
    return std::min(requested, std::max<size_type>(total_rows(s), 1));
}

}  // namespace spruce::solver::detail
