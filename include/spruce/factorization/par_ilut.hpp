// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/factorization/incomplete_factorization.hpp>

namespace spruce {
namespace factorization {

/// Computes an incomplete factorization A ~ L U whose pattern is chosen by the size of entries. L
/// is a lower triangular matrix with a diagonal of ones, which are stored, and U an upper
/// triangular matrix. Each has at most fill_in_limit times as many entries as the same triangle of
/// A with a full diagonal, but always its diagonal, and reaches this number if there are enough
/// candidates. apply() multiplies by L U; preconditioner::Ilu applies the inverse.
///
/// The search for the pattern starts with that of A. An iteration adds entries r_ij of A - L U
/// outside the pattern, as r_ij / u_jj to L and as r_ij to U, and performs a sweep as ParIlu does,
/// which computes all entries in parallel. It removes the smallest entries of L and of U outside
/// the diagonal, and performs a sweep again. To bound the work of the sweeps, the smallest entries
/// are removed before the first sweep, too, if a factor has more than twice as many entries as it
/// is to keep. If the residual is large after a sweep, the factors are computed by elimination. The
/// search ends before the last iteration if the pattern does not change and the factors are
/// accurate. If elimination fails, it ends with the pattern of the previous iteration.
///
/// Then L and U are computed in the pattern that was found, without use of the values from the
/// search, as by ParIlu: by sweeps or, if these do not converge, by elimination. If there are no
/// suitable factors in this pattern, or if they are unstable, those in the pattern of A are
/// computed, also if it has more entries than fill_in_limit allows. In all these cases, loggers of
/// this factory are notified by the event sweeps_failed. Factors are unstable if the norm of
/// v - A U^-1 L^-1 v is more than 1000 times that of v, a pseudo-random vector, and larger than
/// with the factors in the pattern of A (compare Chow and Saad 1997, Experimental study of ILU
/// preconditioners for indefinite matrices). generate() needs two triangular solves for this test.
/// refresh() keeps the pattern and does not test the new factors.
///
/// Entries are compared by |u_ij| / sqrt(|u_ii u_jj|) and |l_ij| sqrt(|u_jj / u_ii|), so that the
/// pattern does not change if A is scaled from both sides by the same diagonal matrix. The pattern
/// for a Hermitian matrix is symmetric, apart from rounding errors. If not all entries of equal
/// size are needed, those that are chosen are spread over the matrix. refresh() keeps the pattern,
/// and computes what generate() computes in it; the pattern of the given matrix has to be that of
/// A. Results are bitwise repeatable (on CPUs: for one number of threads).
///
/// The search needs memory and time in proportion to the products l_ik u_kj. If a column of L and a
/// row of U were long, most of them would be products of two small entries, which are therefore
/// left out: of those of column k of L and row k of U, only products with one of the w largest
/// entries of the column, or of the row, are formed; of equal entries, the first ones are taken. w
/// is 4 times the average number of entries of a row of L or U (the larger one of that for A and
/// the one that fill_in_limit allows), but at least 32. Matrices whose factors have no longer rows
/// are not affected.
///
/// A is converted if it is not a Csr. Rows that are not sorted are sorted in a copy. Diagonal
/// entries that are not stored are taken for zeros.
/// Sources: Anzt, Chow and Dongarra 2018, ParILUT - A New Parallel Threshold ILU Factorization;
/// Anzt, Ribizel, Flegar, Chow and Dongarra 2019, ParILUT - A Parallel Threshold ILU for GPUs;
/// Ribizel and Anzt 2019, Approximate and Exact Selection on GPUs.
/// @throws DimensionMismatch  by generate() if A is not square
/// @throws OutOfBoundsError  by generate() if iterations is 0, or fill_in_limit is not a positive
///         finite number
/// @throws OverflowError  by generate() if L U has too many entries for IndexType
/// @throws UnsupportedMatrixProperty  by generate(), with the row, if A stores an entry twice, or
///         is not sorted although skip_sorting is set
/// @throws InvalidStateError  by generate(), with the row, if sweeps and elimination fail: a pivot
///         is zero, or a factor has an entry that is not finite
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT ParIlut
    : public EnableLinOp<ParIlut<ValueType, IndexType>, detail::IncompleteFactorization<ValueType, IndexType>> {
    using Factors = detail::IncompleteFactorization<ValueType, IndexType>;
    using Base = EnableLinOp<ParIlut, Factors>;
    friend class EnablePolymorphicObject<ParIlut, Factors>;

public:
    using value_type = ValueType;
    using index_type = IndexType;
    using matrix_type = matrix::Csr<ValueType, IndexType>;

    class Factory;
    /// Adds the strategy of products with U to the common parameters.
    struct parameters_type : detail::threshold_parameters<parameters_type, Factory, matrix_type> {
        /// Sets the strategy of products with U; null: that of the executor.
        std::shared_ptr<typename matrix_type::strategy_type> SPRUCE_FACTORY_PARAMETER_SCALAR(u_strategy, nullptr);
    };
    SPRUCE_DECLARE_LIN_OP_FACTORY(ParIlut, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    std::shared_ptr<const matrix_type> get_u_factor() const;

protected:
    explicit ParIlut(std::shared_ptr<const Executor> exec);
    ParIlut(const Factory* factory, std::shared_ptr<const LinOp> system_matrix);
};

}  // namespace factorization
}  // namespace spruce
