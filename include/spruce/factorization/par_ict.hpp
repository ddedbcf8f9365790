// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/factorization/incomplete_factorization.hpp>

namespace spruce {
namespace factorization {

/// Computes an incomplete factorization A ~ L L^H of a Hermitian positive definite matrix, whose
/// pattern is chosen by the size of entries as by ParIlut. L is a lower triangular matrix with a
/// positive diagonal. It has at most fill_in_limit times as many entries as the lower triangle of A
/// with a full diagonal, but always its diagonal. apply() multiplies by L L^H; preconditioner::Ic
/// applies the inverse.
/// Entries of A above the diagonal are ignored.
///
/// An iteration adds the largest entries r_ij of the lower triangle of A - L L^H outside the
/// pattern as r_ij / l_jj, performs a sweep as ParIc does, removes the entries with the smallest
/// |l_ij / l_ii| outside the diagonal, and performs a sweep again. Otherwise, the search for the
/// pattern and the computation of L are those of ParIlut. Sources: Anzt, Chow and Dongarra 2018,
/// ParILUT - A New Parallel Threshold ILU Factorization; Anzt, Ribizel, Flegar, Chow and Dongarra
/// 2019, ParILUT - A Parallel Threshold ILU for GPUs; Ribizel and Anzt 2019, Approximate and Exact
/// Selection on GPUs.
/// @throws DimensionMismatch  by generate() if A is not square
/// @throws OutOfBoundsError  by generate() if iterations is 0, or fill_in_limit is not a positive
///         finite number
/// @throws OverflowError  by generate() if L L^H has too many entries for IndexType
/// @throws UnsupportedMatrixProperty  by generate(), with the row, if A stores an entry twice, or
///         is not sorted although skip_sorting is set
/// @throws InvalidStateError  by generate(), with the row, if sweeps and elimination fail: a pivot,
///         which is the square of l_ii, is not positive, or L has an entry that is not finite
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT ParIct
    : public EnableLinOp<ParIct<ValueType, IndexType>, detail::IncompleteFactorization<ValueType, IndexType>> {
    using Factors = detail::IncompleteFactorization<ValueType, IndexType>;
    using Base = EnableLinOp<ParIct, Factors>;
    friend class EnablePolymorphicObject<ParIct, Factors>;

public:
    using value_type = ValueType;
    using index_type = IndexType;
    using matrix_type = matrix::Csr<ValueType, IndexType>;

    class Factory;
    /// Contains the parameters of the factory.
    struct parameters_type : detail::threshold_parameters<parameters_type, Factory, matrix_type> {
        /// Sets the strategy of products with L^H; null: that of L.
        std::shared_ptr<typename matrix_type::strategy_type> SPRUCE_FACTORY_PARAMETER_SCALAR(lt_strategy, nullptr);
    };
    SPRUCE_DECLARE_LIN_OP_FACTORY(ParIct, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    /// Returns L^H.
    std::shared_ptr<const matrix_type> get_lt_factor() const;

protected:
    explicit ParIct(std::shared_ptr<const Executor> exec);
    ParIct(const Factory* factory, std::shared_ptr<const LinOp> system_matrix);
};

}  // namespace factorization
}  // namespace spruce
