// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/base/abstract_factory.hpp>
#include <spruce/multigrid/galerkin_level.hpp>

namespace spruce {
namespace multigrid {

/// Coarsens a matrix by pairwise aggregation. In each round, rows without an aggregate point to
/// their strongest neighbour without one, that with the largest |a_ij| / sqrt(|a_ii a_jj|), and two
/// rows that point to each other form an aggregate. Equal strengths are ordered by pseudo-random
/// numbers, so that many rows are matched also where all strengths are equal. Rows that are left
/// join the aggregate of their strongest neighbour, or form one alone. The prolongation P has the
/// entry 1 in row i and the column of the aggregate of row i. The restriction is P^T, and the
/// coarse matrix P^T A P. It has about half as many rows as A.
///
/// Results are bitwise repeatable (on CPUs: for one number of threads), and
/// the aggregates are the same on all executors. refresh() keeps the aggregates.
///
/// A is converted if it is not a Csr. Rows that are not sorted are sorted in a copy.
/// Source: Naumov et al. 2015, AmgX: A Library for GPU Accelerated Algebraic Multigrid and
/// Preconditioned Iterative Methods.
/// @throws DimensionMismatch  by generate() if A is not square
/// @throws OutOfBoundsError  by generate() if max_unassigned_ratio is not between 0 and 1
/// @throws InvalidStateError  by generate(), with the row, if a diagonal entry is missing, zero, or
///         for real types negative, or if an entry is not finite
/// @throws UnsupportedMatrixProperty  by generate(), with the row, if A stores an entry twice, or
///         is not sorted although skip_sorting is set
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT Pgm : public EnableLinOp<Pgm<ValueType, IndexType>, detail::GalerkinLevel<ValueType, IndexType>> {
    using Level = detail::GalerkinLevel<ValueType, IndexType>;
    using Base = EnableLinOp<Pgm, Level>;
    friend class EnablePolymorphicObject<Pgm, Level>;

public:
    using value_type = ValueType;
    using index_type = IndexType;
    using matrix_type = matrix::Csr<ValueType, IndexType>;

    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory)
    {
        /// Sets the largest number of rounds.
        unsigned SPRUCE_FACTORY_PARAMETER_SCALAR(max_iterations, 15u);
        /// Sets the share of rows without an aggregate at which rounds end. They also end after one
        /// that forms no aggregate.
        double SPRUCE_FACTORY_PARAMETER_SCALAR(max_unassigned_ratio, 0.05);
        /// Changes nothing: results are always repeatable.
        bool SPRUCE_FACTORY_PARAMETER_SCALAR(deterministic, false);
        /// Skips the sorting of rows: the columns of each row of A increase.
        bool SPRUCE_FACTORY_PARAMETER_SCALAR(skip_sorting, false);
    };
    SPRUCE_DECLARE_LIN_OP_FACTORY(Pgm, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    /// Returns the aggregate of each row. Writing to it does not change P.
    IndexType* get_agg() noexcept { return aggregates_.get_data(); }
    const IndexType* get_const_agg() const noexcept { return aggregates_.get_const_data(); }

protected:
    explicit Pgm(std::shared_ptr<const Executor> exec);
    Pgm(const Factory* factory, std::shared_ptr<const LinOp> system_matrix);

private:
    array<IndexType> aggregates_;
};

template <typename ValueType = default_precision, typename IndexType = int32>
using AmgxPgm = Pgm<ValueType, IndexType>;

}  // namespace multigrid
}  // namespace spruce
