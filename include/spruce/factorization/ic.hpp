// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/base/composition.hpp>
#include <spruce/base/refreshable.hpp>
#include <spruce/factorization/ilu.hpp>
#include <spruce/matrix/csr.hpp>

namespace spruce {
namespace factorization {

/// Computes the incomplete Cholesky factorization A ~ L L^H without fill-in, IC(0), of a Hermitian
/// matrix. L is a lower triangular matrix with a positive diagonal. It has the pattern of the lower
/// triangle of A, and (L L^H)_ij = a_ij for each entry of that pattern. apply() multiplies by L
/// L^H; preconditioner::Ic applies the inverse. Entries of A above the diagonal are ignored.
///
/// A is converted if it is not a Csr. Rows that are not sorted are sorted in a copy. CPUs compute
/// the rows of a level in parallel, where a row is in a later level than those on which it depends.
/// GPUs compute all entries in one kernel, in which a thread waits for the entries that its entry
/// depends on. Results are bitwise repeatable. Sources: Meijerink and van der Vorst 1977, An
/// Iterative Solution Method for Linear Systems of Which the Coefficient Matrix Is a Symmetric
/// M-Matrix; Chow and Patel 2015, Fine-Grained Parallel Incomplete LU Factorization.
/// @throws DimensionMismatch  by generate() if A is not square
/// @throws UnsupportedMatrixProperty  by generate(), with the row, if A stores an entry twice
/// @throws InvalidStateError  by generate(), with the row, if a pivot, which is the
///         square of l_ii, is not positive, or if L has an entry that is not finite
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT Ic : public EnableLinOp<Ic<ValueType, IndexType>, Composition<ValueType>>, public Refreshable {
    friend class EnablePolymorphicObject<Ic, Composition<ValueType>>;
    using Base = EnableLinOp<Ic, Composition<ValueType>>;

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
        /// Stores L^H. Otherwise, the product is the operator L.
        bool SPRUCE_FACTORY_PARAMETER_SCALAR(both_factors, true);
        incomplete_algorithm SPRUCE_FACTORY_PARAMETER_SCALAR(algorithm, incomplete_algorithm::sparselib);
    };
    SPRUCE_ENABLE_LIN_OP_FACTORY(Ic, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    /// Copies share the factors if they are on the same executor.
    Ic(const Ic& other);
    Ic(Ic&& other);
    Ic& operator=(const Ic& other);
    Ic& operator=(Ic&& other);
    ~Ic() override;

    std::shared_ptr<const matrix_type> get_l_factor() const;
    /// Returns L^H. If it is not stored, each call computes it.
    std::shared_ptr<const matrix_type> get_lt_factor() const;

    /// Recomputes the factors for a matrix with the pattern of A, in place: get_l_factor() returns
    /// the same object as before. It allocates nothing if the matrix is a Csr of these types on the
    /// executor of the factors. An exception changes neither factor.
    /// @throws UnsupportedMatrixProperty  with the row, if the pattern differs
    /// @throws InvalidStateError  with the row, if the square of a pivot is not positive, or if L
    ///         has an entry that is not finite
    /// @throws NotSupported  if this object was created empty or copied from another executor
    void refresh(std::shared_ptr<const LinOp> matrix) override;

protected:
    explicit Ic(std::shared_ptr<const Executor> exec);
    Ic(const Factory* factory, std::shared_ptr<const LinOp> system_matrix);

private:
    struct data;
    std::shared_ptr<data> data_;
};

}  // namespace factorization
}  // namespace spruce
