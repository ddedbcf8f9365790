// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <string>

#include <spruce/base/array.hpp>
#include <spruce/base/composition.hpp>
#include <spruce/base/exception.hpp>
#include <spruce/matrix/csr.hpp>

#include "core/factorization/incomplete_schedule.hpp"

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
    /// @throws UnsupportedMatrixProperty  with the row, if an entry is stored twice or the promise
    ///     is broken
    /// @throws InvalidStateError  with the row, if a pivot or an entry is not suitable
    IncompleteFactors(const char* name, const Csr& a, bool is_hermitian, bool skip_sorting);

    /// Computes the factors of another matrix. It allocates nothing.
    /// @throws UnsupportedMatrixProperty  if the pattern differs
    /// @throws InvalidStateError  with the row, if a pivot or an entry is not suitable
    void refresh(const Csr& a);

    /// Returns the entries of L below the diagonal together with U, or L if the matrix is
    /// Hermitian. After an exception of refresh(), the values are undefined.
    std::shared_ptr<const Csr> get_combined() const { return combined_; }
    /// Returns a copy of a triangle of get_combined(), with its diagonal or with a diagonal of
    /// ones.
    std::unique_ptr<Csr> create_triangle(bool upper, bool unit_diagonal,
                                         std::shared_ptr<typename Csr::strategy_type> strategy) const;
    /// Copies the values of a triangle of get_combined() to the result of create_triangle().
    void copy_triangle(bool upper, bool unit_diagonal, Csr& triangle) const;

private:
    void compute(const Csr& a);

    std::string name_;
    bool is_hermitian_;
    dim<2> size_of_a_;
    size_type nnz_of_a_;
    std::shared_ptr<Csr> combined_;
    array<IndexType> sources_;  ///< the entry of A for each entry of the factors; empty if it is the same one
    incomplete_schedule<IndexType> schedule_;
    mutable array<IndexType> found_row_;
};

/// Returns an operator of a product of factors; null if the product is empty.
template <typename Matrix>
std::shared_ptr<const Matrix> factor_of(const Composition<typename Matrix::value_type>& product, size_type index)
{
    const auto& operators = product.get_operators();
    return index < operators.size() ? std::static_pointer_cast<const Matrix>(operators[index]) : nullptr;
}

/// @throws NotSupported  if a factorization lacks the data of its analysis
inline void require_refreshable(const char* function, const void* data)
{
    if (!data) {
        throw NotSupported(__FILE__, __LINE__, function,
                           "a factorization that is empty or was copied from another executor");
    }
}

}  // namespace spruce::factorization::detail
