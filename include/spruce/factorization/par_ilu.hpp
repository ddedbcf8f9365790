// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/factorization/incomplete_factorization.hpp>

namespace spruce {
namespace factorization {

/// Computes the incomplete factorization A ~ L U without fill-in by a fixed-point iteration, whose
/// sweeps compute all entries in parallel. The result approximates that of Ilu: L is a lower
/// triangular matrix with a diagonal of ones, which are stored, and U an upper triangular matrix,
/// in the patterns of the triangles of A with a full diagonal. apply() multiplies by L U;
/// preconditioner::Ilu applies the inverse.
///
/// The iteration starts from l_ij = a_ij / a_jj and u_ij = a_ij. A sweep computes u_ij = a_ij -
/// sum_{k < i} l_ik u_kj and l_ij = (a_ij - sum_{k < j} l_ik u_kj) / u_jj with sums of the results
/// of the previous sweep and the new pivot u_jj, so that L U is Hermitian if A is. Results are
/// bitwise repeatable (on CPUs: for one number of threads), and the sweeps of all executors give
/// the same results up to rounding errors. The relative residual of an entry of the pattern is the
/// entry of A - L U divided by the sum of the absolute values of its terms; it does not depend on a
/// scaling of rows and columns. If the root mean square of the relative residuals does not fall to
/// 0.02 (0.25 after a requested number of sweeps), the iteration starts again with damping. If that
/// fails, too, or if |u_ii| is at most 0.02 |a_ii| in a row, and thus may be a rounded zero, L and
/// U are computed by elimination, as by Ilu, and loggers of this factory are notified by the event
/// sweeps_failed.
///
/// A is converted if it is not a Csr. Rows that are not sorted are sorted in a copy. Diagonal
/// entries that are not stored are taken for zeros.
/// Source: Chow and Patel 2015, Fine-Grained Parallel Incomplete LU Factorization.
/// @throws DimensionMismatch  by generate() if A is not square
/// @throws OutOfBoundsError  by generate() if more than 2^31 - 1 iterations are requested
/// @throws UnsupportedMatrixProperty  by generate(), with the row, if A stores an entry twice, or
///         is not sorted although skip_sorting is set
/// @throws InvalidStateError  by generate(), with the row, if sweeps and elimination fail: a pivot
///         is zero, or a factor has an entry that is not finite
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT ParIlu
    : public EnableLinOp<ParIlu<ValueType, IndexType>, detail::IncompleteFactorization<ValueType, IndexType>> {
    using Factors = detail::IncompleteFactorization<ValueType, IndexType>;
    using Base = EnableLinOp<ParIlu, Factors>;
    friend class EnablePolymorphicObject<ParIlu, Factors>;

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
        /// Sets the strategies of the products with L and U; null: those of the executor.
        std::shared_ptr<typename matrix_type::strategy_type> SPRUCE_FACTORY_PARAMETER_SCALAR(l_strategy, nullptr);
        std::shared_ptr<typename matrix_type::strategy_type> SPRUCE_FACTORY_PARAMETER_SCALAR(u_strategy, nullptr);
    };
    SPRUCE_DECLARE_LIN_OP_FACTORY(ParIlu, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    std::shared_ptr<const matrix_type> get_u_factor() const;

protected:
    explicit ParIlu(std::shared_ptr<const Executor> exec);
    ParIlu(const Factory* factory, std::shared_ptr<const LinOp> system_matrix);
};

}  // namespace factorization
}  // namespace spruce
