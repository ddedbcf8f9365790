// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/base/abstract_factory.hpp>
#include <spruce/multigrid/galerkin_level.hpp>

namespace spruce {
namespace multigrid {

/// Coarsens a matrix to given rows. Row coarse_rows[j] of the prolongation P has the entry 1 in
/// column j, and other rows of P have no entries. The restriction is P^T, and the coarse matrix
/// P^T A P consists of the entries of A in the given rows and columns.
///
/// A is converted if it is not a Csr. Rows that are not sorted are sorted in a copy.
/// @throws DimensionMismatch  by generate() if A is not square
/// @throws OutOfBoundsError  by generate() if A does not have one of the rows
/// @throws UnsupportedMatrixProperty  by generate() if a row is given twice, or, with the row, if A
///         stores an entry twice, or is not sorted although skip_sorting is set
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT FixedCoarsening
    : public EnableLinOp<FixedCoarsening<ValueType, IndexType>, detail::GalerkinLevel<ValueType, IndexType>> {
    using Level = detail::GalerkinLevel<ValueType, IndexType>;
    using Base = EnableLinOp<FixedCoarsening, Level>;
    friend class EnablePolymorphicObject<FixedCoarsening, Level>;

public:
    using value_type = ValueType;
    using index_type = IndexType;
    using matrix_type = matrix::Csr<ValueType, IndexType>;

    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory)
    {
        /// Sets the rows of the coarse level, in any order.
        array<IndexType> SPRUCE_FACTORY_PARAMETER_VECTOR(coarse_rows, nullptr);
        /// Skips the sorting of rows: the columns of each row of A increase.
        bool SPRUCE_FACTORY_PARAMETER_SCALAR(skip_sorting, false);
    };
    SPRUCE_DECLARE_LIN_OP_FACTORY(FixedCoarsening, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

protected:
    explicit FixedCoarsening(std::shared_ptr<const Executor> exec);
    FixedCoarsening(const Factory* factory, std::shared_ptr<const LinOp> system_matrix);
};

}  // namespace multigrid
}  // namespace spruce
