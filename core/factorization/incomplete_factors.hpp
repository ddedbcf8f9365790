// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <optional>
#include <string>

#include <spruce/base/array.hpp>
#include <spruce/matrix/csr.hpp>

#include "core/factorization/pattern_factors.hpp"
#include "core/factorization/threshold_pattern.hpp"

namespace spruce::factorization::detail {

/// Computes incomplete factors of a matrix and of further matrices with its pattern. The pattern is
/// analysed once. Rows that are not sorted are sorted, and missing diagonal entries are inserted as
/// zeros.
template <typename ValueType, typename IndexType>
class IncompleteFactors {
public:
    using Csr = matrix::Csr<ValueType, IndexType>;

    /// Computes the factors of the matrix.
    /// @param name           of the factorization in messages
    /// @param a              a square matrix
    /// @param is_hermitian   computes L with L L^H instead of L and U, from the lower triangle
    /// @param skip_sorting   promises that the columns of each row increase
    /// @param num_sweeps     computes the factors by this number of sweeps (0: as many as are
    ///                       needed), and by elimination only if these do not converge
    /// @param threshold      chooses a pattern by these limits. If there are no suitable factors in
    ///                       it, or only unstable ones, that of the matrix is taken. Requires
    ///                       num_sweeps
    /// @throws OutOfBoundsError  if a number or limit is out of range
    /// @throws UnsupportedMatrixProperty  with the row, if an entry is stored twice or the promise
    ///     is broken
    /// @throws InvalidStateError  with the row, if a pivot or an entry is not suitable
    IncompleteFactors(const char* name, const Csr& a, bool is_hermitian, bool skip_sorting,
                      std::optional<size_type> num_sweeps, const std::optional<threshold_limits>& threshold = {});

    /// Computes the factors of another matrix. It allocates nothing, unless sweeps do not converge
    /// for the first time.
    /// @throws UnsupportedMatrixProperty  if the pattern differs
    /// @throws InvalidStateError  with the row, if a pivot or an entry is not suitable
    void refresh(const Csr& a);

    /// Returns true if sweeps for the last factors did not converge, so that they were computed by
    /// elimination, or if the constructor computed them last and found no usable ones in the chosen
    /// pattern, so that they have that of the matrix.
    bool have_sweeps_failed() const { return factors_->have_sweeps_failed() || is_pattern_rejected_; }
    /// Returns the entries of L below the diagonal together with U, or L if the matrix is
    /// Hermitian. After an exception of refresh(), the values are undefined.
    std::shared_ptr<const Csr> get_combined() const { return factors_->get_combined(); }
    /// Returns a copy of a triangle of get_combined(), with its diagonal or with a diagonal of
    /// ones.
    std::unique_ptr<Csr> create_triangle(bool upper, bool unit_diagonal,
                                         std::shared_ptr<typename Csr::strategy_type> strategy) const;
    /// Copies the values of a triangle of get_combined() to the result of create_triangle().
    void copy_triangle(bool upper, bool unit_diagonal, Csr& triangle) const;

private:
    /// Throws an exception if the row from PatternFactors::compute() is not -1.
    void require_suitable(IndexType row) const;

    std::string name_;
    bool is_hermitian_;
    std::optional<PatternFactors<ValueType, IndexType>> factors_;
    std::unique_ptr<Csr> first_;  ///< has the pattern of A if that of the factors is chosen; otherwise null
    bool is_pattern_rejected_{};  ///< by the constructor; false after refresh()
    array<IndexType> found_row_;
};

}  // namespace spruce::factorization::detail
