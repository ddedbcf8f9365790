// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/factorization/incomplete_factorization.hpp>

namespace spruce {
namespace factorization {

/// Computes the incomplete factorization A ~ L L^H without fill-in of a Hermitian positive definite
/// matrix by a fixed-point iteration, whose sweeps compute all entries in parallel. The result
/// approximates that of Ic: L is a lower triangular matrix with a positive diagonal and the pattern
/// of the lower triangle of A. apply() multiplies by L L^H; preconditioner::Ic applies the inverse.
/// Entries of A above the diagonal are ignored.
///
/// The iteration starts from l_ij = a_ij / sqrt(a_jj) and l_ii = sqrt(a_ii). A sweep computes l_ij
/// = (a_ij - sum_{k < j} l_ik conj(l_jk)) / l_jj and l_ii = sqrt(a_ii - sum_{k < i} |l_ik|^2) from
/// the results of the previous sweep. Results are bitwise repeatable (on CPUs: for one number of
/// threads). If the iteration does not converge, it is damped, and then replaced by elimination, as
/// by ParIlu.
/// Source: Chow and Patel 2015, Fine-Grained Parallel Incomplete LU Factorization.
/// @throws DimensionMismatch  by generate() if A is not square
/// @throws OutOfBoundsError  by generate() if more than 2^31 - 1 iterations are requested
/// @throws UnsupportedMatrixProperty  by generate(), with the row, if A stores an entry twice, or
///         is not sorted although skip_sorting is set
/// @throws InvalidStateError  by generate(), with the row, if sweeps and elimination fail: a pivot,
///         which is the square of l_ii, is not positive, or L has an entry that is not finite
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT ParIc
    : public EnableLinOp<ParIc<ValueType, IndexType>, detail::IncompleteFactorization<ValueType, IndexType>> {
    using Factors = detail::IncompleteFactorization<ValueType, IndexType>;
    using Base = EnableLinOp<ParIc, Factors>;
    friend class EnablePolymorphicObject<ParIc, Factors>;

public:
    using value_type = ValueType;
    using index_type = IndexType;
    using matrix_type = matrix::Csr<ValueType, IndexType>;

    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory)
    {
        /// Sets the number of sweeps. Fewer are performed if the factors are exact up to rounding
        /// errors. 0: three, and three more, up to 15, while they are needed and halve the
        /// residual.
        size_type SPRUCE_FACTORY_PARAMETER_SCALAR(iterations, 0);
        /// Skips the sorting of rows: the columns of each row of A increase.
        bool SPRUCE_FACTORY_PARAMETER_SCALAR(skip_sorting, false);
        /// Sets the strategy of the products with L and L^H; null: that of the executor.
        std::shared_ptr<typename matrix_type::strategy_type> SPRUCE_FACTORY_PARAMETER_SCALAR(l_strategy, nullptr);
        /// Stores L^H as second factor. If false, the product is L, by which apply() multiplies.
        bool SPRUCE_FACTORY_PARAMETER_SCALAR(both_factors, true);
    };
    SPRUCE_DECLARE_LIN_OP_FACTORY(ParIc, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    /// Returns L^H. If it is not stored, each call computes it.
    std::shared_ptr<const matrix_type> get_lt_factor() const;

protected:
    explicit ParIc(std::shared_ptr<const Executor> exec);
    ParIc(const Factory* factory, std::shared_ptr<const LinOp> system_matrix);
};

}  // namespace factorization
}  // namespace spruce
