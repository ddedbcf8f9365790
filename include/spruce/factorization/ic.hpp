// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/factorization/incomplete_factorization.hpp>

namespace spruce {
namespace factorization {

/// Computes the incomplete Cholesky factorization A ~ L L^H without fill-in, IC(0), of a Hermitian
/// matrix. L is a lower triangular matrix with a positive diagonal. It has the pattern of the lower
/// triangle of A, and (L L^H)_ij = a_ij for each entry of that pattern. apply() multiplies by L
/// L^H; preconditioner::Ic applies the inverse. Entries of A above the diagonal are ignored.
///
/// A is converted if it is not a Csr. Rows that are not sorted are sorted in a copy. CPUs compute
/// groups of adjacent rows in parallel, each after the groups on which it depends. GPUs compute all
/// rows in one kernel, in which a row waits for those on which it depends; the entries of long rows
/// are computed side by side. Results are bitwise repeatable.
/// Sources: Meijerink and van der Vorst 1977, An Iterative Solution Method for Linear Systems of
/// Which the Coefficient Matrix Is a Symmetric M-Matrix; Chow and Patel 2015, Fine-Grained Parallel
/// Incomplete LU Factorization.
/// @throws DimensionMismatch  by generate() if A is not square
/// @throws UnsupportedMatrixProperty  by generate(), with the row, if A stores an entry twice, or
///         is not sorted although skip_sorting is set
/// @throws InvalidStateError  by generate(), with the row, if a pivot, which is the
///         square of l_ii, is not positive, or if L has an entry that is not finite
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT Ic
    : public EnableLinOp<Ic<ValueType, IndexType>, detail::IncompleteFactorization<ValueType, IndexType>> {
    using Factors = detail::IncompleteFactorization<ValueType, IndexType>;
    using Base = EnableLinOp<Ic, Factors>;
    friend class EnablePolymorphicObject<Ic, Factors>;

public:
    using value_type = ValueType;
    using index_type = IndexType;
    using matrix_type = matrix::Csr<ValueType, IndexType>;

    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory)
    {
        /// Sets the strategy of the products with L and L^H; null: that of the executor.
        std::shared_ptr<typename matrix_type::strategy_type> SPRUCE_FACTORY_PARAMETER_SCALAR(l_strategy, nullptr);
        /// Skips the sorting of rows: the columns of each row of A increase.
        bool SPRUCE_FACTORY_PARAMETER_SCALAR(skip_sorting, false);
        /// Stores L^H as second factor. If false, the product is L, by which apply() multiplies.
        bool SPRUCE_FACTORY_PARAMETER_SCALAR(both_factors, true);
        incomplete_algorithm SPRUCE_FACTORY_PARAMETER_SCALAR(algorithm, incomplete_algorithm::sparselib);
    };
    SPRUCE_DECLARE_LIN_OP_FACTORY(Ic, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    /// Returns L^H. If it is not stored, each call computes it.
    std::shared_ptr<const matrix_type> get_lt_factor() const;

protected:
    explicit Ic(std::shared_ptr<const Executor> exec);
    Ic(const Factory* factory, std::shared_ptr<const LinOp> system_matrix);
};

}  // namespace factorization
}  // namespace spruce
