// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/base/lin_op.hpp>
#include <spruce/base/math.hpp>
#include <spruce/base/refreshable_product.hpp>
#include <spruce/matrix/csr.hpp>

namespace spruce {
namespace preconditioner {

template <typename ValueType, typename IndexType>
class Sor;
template <typename ValueType, typename IndexType>
class GaussSeidel;

namespace detail {

template <typename ValueType, typename IndexType>
struct SPRUCE_EXPORT sor_data;

/// Applies M^-1 of SOR or SSOR as the product of the solvers with its triangles. If rows are
/// ordered by colour, the first and the last operator of the product are permutations.
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT SorComposition
    : public EnableLinOp<SorComposition<ValueType, IndexType>,
                         spruce::detail::RefreshableProduct<ValueType, sor_data<ValueType, IndexType>>> {
    using Product = spruce::detail::RefreshableProduct<ValueType, sor_data<ValueType, IndexType>>;
    using Base = EnableLinOp<SorComposition, Product>;
    friend class EnablePolymorphicObject<SorComposition, Product>;
    friend struct sor_data<ValueType, IndexType>;
    template <typename, typename, typename, typename>
    friend class spruce::EnableDefaultFactory;

public:
    using value_type = ValueType;
    using index_type = IndexType;
    using matrix_type = matrix::Csr<ValueType, IndexType>;

    /// Recomputes M for a matrix with the pattern of A, without a new analysis. It allocates
    /// nothing if the matrix is a Csr of these types on the executor of this object, the solvers
    /// are the default ones, and no copies of them exist. If the solver of a given factory throws,
    /// this object must not be applied until a refresh succeeds; other exceptions change nothing.
    /// @throws NotSupported  if this object is empty or was copied from another executor, or if a
    ///         solver cannot be refreshed
    /// @throws UnsupportedMatrixProperty  with the row, if the pattern differs
    /// @throws InvalidStateError  with the row, if a diagonal entry is zero, or if an entry is not
    ///         finite
    void refresh(std::shared_ptr<const LinOp> matrix) override;
    bool can_be_refreshed() const override;

protected:
    explicit SorComposition(std::shared_ptr<const Executor> exec);
    SorComposition(const Sor<ValueType, IndexType>* factory, std::shared_ptr<const LinOp> system_matrix);
    SorComposition(const GaussSeidel<ValueType, IndexType>* factory, std::shared_ptr<const LinOp> system_matrix);

private:
    struct options;

    void compute(std::shared_ptr<const LinOp> system_matrix, const options& options);
};

/// Holds the parameters that Sor and GaussSeidel have in common.
template <typename Concrete, typename Factory>
struct sor_base_parameters : enable_parameters_type<Concrete, Factory> {
    /// Skips the sorting of rows: the columns of each row of A increase.
    bool SPRUCE_FACTORY_PARAMETER_SCALAR(skip_sorting, false);
    /// Performs a backward sweep after the forward sweep.
    bool SPRUCE_FACTORY_PARAMETER_SCALAR(symmetric, false);
    /// Orders the rows by colours, so that the solvers have at most as many dependent steps as
    /// there are colours. M depends on the order: solvers usually need more iterations than with
    /// the natural order.
    bool SPRUCE_FACTORY_PARAMETER_SCALAR(multicolor, false);
    /// Makes the solver with the lower triangle; default: solver::LowerTrs.
    std::shared_ptr<const LinOpFactory> SPRUCE_DEFERRED_FACTORY_PARAMETER(l_solver);
    /// Makes the solver with the upper triangle if symmetric is true; default: solver::UpperTrs.
    std::shared_ptr<const LinOpFactory> SPRUCE_DEFERRED_FACTORY_PARAMETER(u_solver);
};

template <typename ValueType, typename IndexType>
struct sor_parameters : sor_base_parameters<sor_parameters<ValueType, IndexType>, Sor<ValueType, IndexType>> {
    /// Sets omega, which is greater than 0 and less than 2.
    remove_complex<ValueType> SPRUCE_FACTORY_PARAMETER_SCALAR(relaxation_factor,
                                                              static_cast<remove_complex<ValueType>>(1.2));
};

}  // namespace detail

/// Generates preconditioners by successive over-relaxation (SOR). With the diagonal D, the strict
/// lower triangle L and the strict upper triangle U of A, M = D / omega + L; if symmetric is true
/// (SSOR), M = omega / (2 - omega) (D / omega + L) D^-1 (D / omega + U), which is Hermitian if A
/// is, and positive definite if A is, too. x = M^-1 b is the result of a sweep from x = 0: a
/// forward sweep, and a backward one if symmetric is true.
///
/// generate() returns a Composition that is Refreshable. Its operators are the solvers with the
/// lower triangle and, before it, with omega / (2 - omega) D^-1 (D / omega + U). An application
/// reads the stored entries of these triangles once, and is bitwise repeatable with the default
/// solvers. Its launches are static if those of the solvers are. apply() keeps vectors for the next
/// call, so that only one thread at a time can call it.
///
/// If multicolor is true, M is defined in the same way for the permuted matrix P A P^T, and the
/// Composition has the permutations P and P^T as its last and its first operator. P orders the rows
/// by colour, and rows of the same colour by number; rows i and j have different colours if A has
/// an entry (i, j) or (j, i). All executors compute the same colours. There are at most as many
/// colours as the longest row of the pattern of A + A^T has entries.
///
/// A is converted if it is not a Csr. Rows that are not sorted are sorted in a copy. The cost of
/// generate() is the analysis of each triangle by its solver; if multicolor is true, also a
/// transposition of A, a sum of two matrices and three colourings.
/// Sources: Saad 2003, Iterative Methods for Sparse Linear Systems, sections 4.1 and 10.2; Jones
/// and Plassmann 1993, A Parallel Graph Coloring Heuristic.
/// @throws DimensionMismatch  by generate() if A is not square
/// @throws OutOfBoundsError  by generate() if relaxation_factor is not between 0 and 2
/// @throws InvalidStateError  by generate(), with the row, if a diagonal entry is zero or missing,
///         or if an entry is not finite
/// @throws UnsupportedMatrixProperty  by generate(), with the row, if A stores an entry twice, or
///         is not sorted although skip_sorting is set
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT Sor
    : public EnableDefaultFactory<Sor<ValueType, IndexType>, detail::SorComposition<ValueType, IndexType>,
                                  detail::sor_parameters<ValueType, IndexType>, LinOpFactory> {
    using Base = EnableDefaultFactory<Sor, detail::SorComposition<ValueType, IndexType>,
                                      detail::sor_parameters<ValueType, IndexType>, LinOpFactory>;
    friend class EnablePolymorphicObject<Sor, LinOpFactory>;
    friend class enable_parameters_type<detail::sor_parameters<ValueType, IndexType>, Sor>;

public:
    using value_type = ValueType;
    using index_type = IndexType;
    using composition_type = Composition<ValueType>;
    using parameters_type = detail::sor_parameters<ValueType, IndexType>;

    static parameters_type build() { return {}; }

private:
    explicit Sor(std::shared_ptr<const Executor> exec);
    Sor(std::shared_ptr<const Executor> exec, const parameters_type& parameters);
};

}  // namespace preconditioner
}  // namespace spruce
