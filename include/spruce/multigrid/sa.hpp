// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/base/abstract_factory.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/multigrid/galerkin_level.hpp>

namespace spruce {
namespace multigrid {

/// Coarsens a matrix by smoothed aggregation, for elliptic differential equations. Rows are
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
/// For systems of equations, near_null_space has vectors for which A x is small, such as the modes
/// of create_rigid_body_modes() for elasticity, and block_size is the number of unknowns at a node.
/// Then nodes are aggregated along the sums of |a_ij| over the entries between them, and T has an
/// orthonormal basis of the vectors on each aggregate, one column for each vector. A column that
/// depends on others, as on an aggregate with few nodes, is zero, and its diagonal entry of the
/// coarse matrix becomes that with the largest magnitude of the node. A_F is A. The coarse matrix
/// has as many unknowns at a node as there are vectors, and get_next_factory() coarsens it with the
/// vectors that represent the given ones.
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
/// @throws OutOfBoundsError  by generate() if strength_threshold is negative or not finite, or if
///         block_size is 0
/// @throws DimensionMismatch  by generate() if near_null_space does not have as many rows as A, or
///         no column
/// @throws BadDimension  by generate() if block_size does not divide the number of rows
/// @throws OverflowError  by generate() if P has more entries than IndexType can count
/// @throws NotSupported  by generate() if block_size is not 1 without near_null_space
/// @throws InvalidStateError  by generate() and refresh(), with the row, if a diagonal entry is
///         missing, zero, or for real types negative, or if an entry is not finite; by generate()
///         if near_null_space has an entry that is not finite
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
        /// Sets vectors, n x k, for which A x is small; null stands for constants. They must not
        /// change as long as this factory, or a Multigrid with it that is copied, is used.
        std::shared_ptr<const matrix::Dense<ValueType>> SPRUCE_FACTORY_PARAMETER_SCALAR(near_null_space, nullptr);
        /// Sets the number of unknowns at a node, which are consecutive rows.
        size_type SPRUCE_FACTORY_PARAMETER_SCALAR(block_size, 1);
        /// Skips the sorting of rows: the columns of each row of A increase.
        bool SPRUCE_FACTORY_PARAMETER_SCALAR(skip_sorting, false);
    };
    SPRUCE_DECLARE_LIN_OP_FACTORY(Sa, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    /// Returns the aggregate of each row, or a negative number for rows without one.
    const IndexType* get_const_agg() const noexcept { return aggregates_.get_const_data(); }
    /// Returns a factory with the vectors for the coarse matrix, or null without near_null_space.
    std::shared_ptr<const LinOpFactory> get_next_factory() const override;

protected:
    explicit Sa(std::shared_ptr<const Executor> exec);
    Sa(const Factory* factory, std::shared_ptr<const LinOp> system_matrix);

private:
    array<IndexType> aggregates_;
    std::shared_ptr<const matrix::Dense<ValueType>> coarse_vectors_;  ///< null without near_null_space
};

/// Computes the rigid-body modes of a body with displacements in two or three directions: the
/// translations and the rotations about the mean of the nodes, 3 or 6 columns. Row d i + c is the
/// displacement of node i in direction c. They are the near-null space of matrices of elasticity,
/// with block_size d.
/// @param coordinates  num_nodes x d
/// @throws DimensionMismatch  if d is neither 2 nor 3
template <typename ValueType>
SPRUCE_EXPORT std::unique_ptr<matrix::Dense<ValueType>> create_rigid_body_modes(
    const matrix::Dense<remove_complex<ValueType>>& coordinates);

}  // namespace multigrid
}  // namespace spruce
