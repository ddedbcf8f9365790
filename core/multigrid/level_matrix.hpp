// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <spruce/base/exception.hpp>
#include <spruce/base/temporary_clone.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/solver/solver_base.hpp>

#include "core/factorization/pattern_checks.hpp"
#include "core/factorization/triangles.hpp"
#include "core/multigrid/multigrid_kernels.hpp"

namespace spruce::multigrid::detail {

/// Holds the matrix of a level as Csr.
template <typename V, typename I>
struct level_matrix {
    std::shared_ptr<const matrix::Csr<V, I>> sorted;
    bool is_sorted_copy;  ///< the rows of the given matrix were not sorted
};

/// Returns the matrix of a level as a sorted Csr on the executor. Only a matrix that is not one is
/// copied.
/// @param name  of the operator in messages
/// @throws DimensionMismatch  if it is not square
/// @throws UnsupportedMatrixProperty  with the row, if an entry is stored twice, or if it is not
///     sorted although skip_sorting is set
template <typename V, typename I>
level_matrix<V, I> sorted_csr(const std::shared_ptr<const Executor>& exec, std::shared_ptr<const LinOp> matrix,
                              bool skip_sorting, const std::string& name)
{
    solver::detail::require_square(matrix.get(), name.c_str());
    level_matrix<V, I> result{copy_and_convert_to<const matrix::Csr<V, I>>(exec, std::move(matrix)), false};
    if (!skip_sorting && !result.sorted->is_sorted_by_column_index()) {
        auto sorted = clone(result.sorted);
        sorted->sort_by_column_index();
        result = {std::move(sorted), true};
    }
    array<I> found{exec, 1};
    factorization::detail::require_increasing_columns(name, *result.sorted, skip_sorting, found);
    return result;
}

/// Checks the entries of a matrix.
/// @param diagonal  position of the diagonal entry of each row in the values of a
/// @param found     one element
/// @throws InvalidStateError  with the row, if a diagonal entry is zero, or for real types
///     negative, or if an entry is not finite
template <typename V, typename I>
void require_suitable_entries(const matrix::Csr<V, I>& a, const array<I>& diagonal, array<I>& found,
                              const std::string& name)
{
    const auto row = factorization::detail::find_row(found, a.get_size()[0], [&](I* first) {
        kernels::multigrid::find_unsuitable_row<V, I>(*a.get_executor(), a, diagonal.get_const_data(), first);
    });
    if (row >= 0) {
        throw InvalidStateError(__FILE__, __LINE__, name,
                                "row " + std::to_string(row) +
                                    " has an entry that is not finite, or a diagonal entry that is " +
                                    (is_complex<V>() ? "zero" : "zero or negative"));
    }
}

/// Finds the diagonal entries of a matrix, and checks its entries.
/// @throws InvalidStateError  with the row, if a diagonal entry is missing, zero, or for real types
///     negative, or if an entry is not finite
template <typename V, typename I>
array<I> find_suitable_diagonal(const matrix::Csr<V, I>& a, const std::string& name)
{
    const auto exec = a.get_executor();
    array<I> diagonal{exec};
    if (factorization::detail::find_diagonal(a, diagonal) > 0) {
        const auto positions = diagonal.copy_to_host();
        const auto row = std::find(positions.begin(), positions.end(), I{-1}) - positions.begin();
        throw InvalidStateError(__FILE__, __LINE__, name,
                                "row " + std::to_string(row) + " has no entry on the diagonal; every row needs one");
    }
    array<I> found{exec, 1};
    require_suitable_entries(a, diagonal, found, name);
    return diagonal;
}

}  // namespace spruce::multigrid::detail
