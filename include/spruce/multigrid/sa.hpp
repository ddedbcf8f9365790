// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/base/abstract_factory.hpp>
#include <spruce/multigrid/galerkin_level.hpp>

namespace spruce {
namespace multigrid {

/// Coarsens a matrix by smoothed aggregation, for scalar elliptic differential equations. Rows are
/// divided into aggregates along strong entries, those with |a_ij| > strength_threshold sqrt(|a_ii
/// a_jj|). The tentative prolongation T interpolates constants: row i has one entry, in the column
/// of its aggregate. The prolongation is P = (I - 4 / (3 rho) D_F^-1 A_F) T. The filtered matrix
/// A_F contains the strong entries of A and those with |a_ij| > strength_threshold |a_ii|: where
/// coefficients jump, the unknown of the smaller coefficient follows its neighbours beyond the
/// jump. The other entries are added to its diagonal D_F, unless this reduces a diagonal entry to
/// less than a tenth. rho is an estimate of the spectral radius of D^-1 A. The restriction is
/// R = P^H, and the coarse matrix R A P.
///
/// Aggregates consist of a row of a maximal independent set of distance 2, its neighbours, and rows
/// that are next to these. A second set is chosen among the rows that the first one leaves over,
/// unless rows have between 4.5 and 8 strong neighbours on average, as in 7-point stencils
/// (doc/tuning/multigrid.md). Rows without strong entries outside the diagonal get no aggregate. P
/// interpolates to them by the other entries of A_F only, and the smoother has to do the rest.
///
/// generate() synchronizes in each round of the aggregation and for each product of matrices, and
/// both generate() and refresh() to check A and to estimate rho. refresh() keeps the aggregates and
/// all patterns. Results are bitwise repeatable (on CPUs: for one number of threads), and the
/// aggregates are the same on all executors.
///
/// A is converted if it is not a Csr. Rows that are not sorted are sorted in a copy.
/// Sources: Vanek, Mandel and Brezina 1996, Algebraic Multigrid by Smoothed Aggregation for Second
/// and Fourth Order Elliptic Problems; Bell, Dalton and Olson 2012, Exposing Fine-Grained
/// Parallelism in Algebraic Multigrid Methods.
/// @throws DimensionMismatch  by generate() if A is not square
/// @throws OutOfBoundsError  by generate() if strength_threshold is negative or not finite
/// @throws InvalidStateError  by generate() and refresh(), with the row, if a diagonal entry is
///         missing, zero, or for real types negative, or if an entry is not finite
/// @throws UnsupportedMatrixProperty  by generate(), with the row, if A stores an entry twice, or
///         is not sorted although skip_sorting is set
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT Sa : public EnableLinOp<Sa<ValueType, IndexType>, detail::GalerkinLevel<ValueType, IndexType>> {
    using Level = detail::GalerkinLevel<ValueType, IndexType>;
    using Base = EnableLinOp<Sa, Level>;
    friend class EnablePolymorphicObject<Sa, Level>;

public:
    using value_type = ValueType;
    using index_type = IndexType;
    using matrix_type = matrix::Csr<ValueType, IndexType>;

    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory)
    {
        /// Sets the bound of strong entries.
        double SPRUCE_FACTORY_PARAMETER_SCALAR(strength_threshold, 0.02);
        /// Skips the sorting of rows: the columns of each row of A increase.
        bool SPRUCE_FACTORY_PARAMETER_SCALAR(skip_sorting, false);
    };
    SPRUCE_DECLARE_LIN_OP_FACTORY(Sa, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    /// Returns the aggregate of each row, or a negative number for rows without one.
    const IndexType* get_const_agg() const noexcept { return aggregates_.get_const_data(); }

protected:
    explicit Sa(std::shared_ptr<const Executor> exec);
    Sa(const Factory* factory, std::shared_ptr<const LinOp> system_matrix);

private:
    array<IndexType> aggregates_;
};

}  // namespace multigrid
}  // namespace spruce
