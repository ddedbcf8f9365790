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

/// Returns a Csr on the executor whose arrays have no unused elements. A matrix that is one is not
/// copied.
template <typename V, typename I>
std::shared_ptr<const matrix::Csr<V, I>> compact_csr(const std::shared_ptr<const Executor>& exec,
                                                     std::shared_ptr<const LinOp> matrix)
{
    using Csr = matrix::Csr<V, I>;
    auto a = copy_and_convert_to<const Csr>(exec, std::move(matrix));
    const auto size = a->get_size();
    const auto nnz = static_cast<size_type>(exec->copy_val_to_host(a->get_const_row_ptrs() + size[0]));
    if (nnz == a->get_num_stored_elements()) {
        return a;
    }
    return Csr::create(exec, size, array<V>::const_view(exec, nnz, a->get_const_values()).copy_to_array(),
                       array<I>::const_view(exec, nnz, a->get_const_col_idxs()).copy_to_array(),
                       array<I>::const_view(exec, size[0] + 1, a->get_const_row_ptrs()).copy_to_array());
}

/// Holds the matrix of a level as Csr.
template <typename V, typename I>
struct level_matrix {
    std::shared_ptr<const matrix::Csr<V, I>> given;  ///< in its own order
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
    const auto given = compact_csr<V, I>(exec, std::move(matrix));
    level_matrix<V, I> result{given, given, false};
    if (!skip_sorting && !given->is_sorted_by_column_index()) {
        auto sorted = clone(given);
        sorted->sort_by_column_index();
        result = {given, std::move(sorted), true};
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
        kernels::factor_pattern::find_unsuitable_row<V, I>(*a.get_executor(), a, diagonal.get_const_data(), true,
                                                           first);
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
void find_suitable_diagonal(const matrix::Csr<V, I>& a, const std::string& name, array<I>& diagonal, array<I>& found)
{
    if (factorization::detail::find_diagonal(a, diagonal) > 0) {
        const auto positions = diagonal.copy_to_host();
        const auto row = std::find(positions.begin(), positions.end(), I{-1}) - positions.begin();
        throw InvalidStateError(__FILE__, __LINE__, name,
                                "row " + std::to_string(row) + " has no entry on the diagonal; every row needs one");
    }
    require_suitable_entries(a, diagonal, found, name);
}

/// Returns the diagonal entries of a matrix, and checks its entries.
/// @throws InvalidStateError  as the other function
template <typename V, typename I>
array<I> find_suitable_diagonal(const matrix::Csr<V, I>& a, const std::string& name)
{
    array<I> diagonal{a.get_executor()};
    array<I> found{a.get_executor(), 1};
    find_suitable_diagonal(a, name, diagonal, found);
    return diagonal;
}

}  // namespace spruce::multigrid::detail
