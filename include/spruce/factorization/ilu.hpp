// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/factorization/incomplete_factorization.hpp>

namespace spruce {
namespace factorization {

/// Computes the incomplete factorization A ~ L U without fill-in, ILU(0). L is a lower triangular
/// matrix with a diagonal of ones, which are stored, and U an upper triangular matrix. They have
/// the patterns of the triangles of A, with a full diagonal, and (L U)_ij = a_ij for each entry of
/// the pattern of A. apply() multiplies by L U; preconditioner::Ilu applies the inverse.
///
/// A is converted if it is not a Csr. Rows that are not sorted are sorted in a copy. Diagonal
/// entries that are not stored are taken for zeros, which the elimination may change. CPUs compute
/// groups of adjacent rows in parallel, each after the groups on which it depends. GPUs compute all
/// rows in one kernel, in which a row waits for those on which it depends; the entries of long rows
/// are computed side by side. Results are bitwise repeatable.
/// Sources: Meijerink and van der Vorst 1977, An Iterative Solution Method for Linear Systems of
/// Which the Coefficient Matrix Is a Symmetric M-Matrix; Saad 2003, Iterative Methods for Sparse
/// Linear Systems, section 10.3; Chow and Patel 2015, Fine-Grained Parallel Incomplete LU
/// Factorization.
/// @throws DimensionMismatch  by generate() if A is not square
/// @throws UnsupportedMatrixProperty  by generate(), with the row, if A stores an entry twice, or
///         is not sorted although skip_sorting is set
/// @throws InvalidStateError  by generate(), with the row, if a pivot is zero, or if a
///         factor has an entry that is not finite
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT Ilu
    : public EnableLinOp<Ilu<ValueType, IndexType>, detail::IncompleteFactorization<ValueType, IndexType>> {
    using Factors = detail::IncompleteFactorization<ValueType, IndexType>;
    using Base = EnableLinOp<Ilu, Factors>;
    friend class EnablePolymorphicObject<Ilu, Factors>;

public:
    using value_type = ValueType;
    using index_type = IndexType;
    using matrix_type = matrix::Csr<ValueType, IndexType>;

    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory)
    {
        /// Sets the strategies of the products with L and U; null: those of the executor.
        std::shared_ptr<typename matrix_type::strategy_type> SPRUCE_FACTORY_PARAMETER_SCALAR(l_strategy, nullptr);
        std::shared_ptr<typename matrix_type::strategy_type> SPRUCE_FACTORY_PARAMETER_SCALAR(u_strategy, nullptr);
        /// Skips the sorting of rows: the columns of each row of A increase.
        bool SPRUCE_FACTORY_PARAMETER_SCALAR(skip_sorting, false);
        incomplete_algorithm SPRUCE_FACTORY_PARAMETER_SCALAR(algorithm, incomplete_algorithm::sparselib);
    };
    SPRUCE_DECLARE_LIN_OP_FACTORY(Ilu, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    std::shared_ptr<const matrix_type> get_u_factor() const;

protected:
    explicit Ilu(std::shared_ptr<const Executor> exec);
    Ilu(const Factory* factory, std::shared_ptr<const LinOp> system_matrix);
};

}  // namespace factorization
}  // namespace spruce
