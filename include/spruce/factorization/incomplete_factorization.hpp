// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <spruce/base/refreshable_product.hpp>
#include <spruce/matrix/csr.hpp>

namespace spruce {
namespace factorization {

/// Selects the algorithm of Ilu and Ic. It is ignored: they have one algorithm.
enum class incomplete_algorithm { sparselib, syncfree };

namespace detail {

/// Limits the entries of incomplete factors whose pattern is chosen by the size of entries.
struct threshold_limits {
    size_type iterations;     ///< largest number of changes of the pattern
    double fill_in_limit;     ///< largest number of entries of a factor, divided by those of the triangle of A
    bool approximate_select;  ///< compares only the leading bits of the sizes of entries
};

/// Holds the parameters that ParIlut and ParIct have in common.
/// @tparam Concrete  derived from this
template <typename Concrete, typename Factory, typename Csr>
struct threshold_parameters : enable_parameters_type<Concrete, Factory> {
    /// Sets the largest number of iterations, each of which changes the pattern.
    size_type SPRUCE_FACTORY_PARAMETER_SCALAR(iterations, 5);
    /// Skips the sorting of rows: the columns of each row of A increase.
    bool SPRUCE_FACTORY_PARAMETER_SCALAR(skip_sorting, false);
    /// Compares only the leading bits of the sizes of entries: sizes with a relative difference of
    /// less than 1/1024 may count as equal, so that patterns hardly depend on rounding errors. The
    /// number of entries is exact in any case.
    bool SPRUCE_FACTORY_PARAMETER_SCALAR(approximate_select, true);
    /// Changes nothing: selections use no random samples.
    bool SPRUCE_FACTORY_PARAMETER_SCALAR(deterministic_sample, false);
    /// Sets the largest number of entries of a factor, divided by those of the triangle of A.
    double SPRUCE_FACTORY_PARAMETER_SCALAR(fill_in_limit, 2.0);
    /// Sets the strategy of products with L; null: that of the executor.
    std::shared_ptr<typename Csr::strategy_type> SPRUCE_FACTORY_PARAMETER_SCALAR(l_strategy, nullptr);

    threshold_limits get_limits() const { return {iterations, fill_in_limit, approximate_select}; }
};

template <typename ValueType, typename IndexType>
struct SPRUCE_EXPORT incomplete_factorization_data;

/// Holds incomplete factors of a matrix, L and U or L and L^H, and recomputes them for other values
/// in the same pattern.
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT IncompleteFactorization
    : public spruce::detail::RefreshableProduct<ValueType, incomplete_factorization_data<ValueType, IndexType>> {
    using Base = spruce::detail::RefreshableProduct<ValueType, incomplete_factorization_data<ValueType, IndexType>>;
    friend struct incomplete_factorization_data<ValueType, IndexType>;

public:
    using value_type = ValueType;
    using index_type = IndexType;
    using matrix_type = matrix::Csr<ValueType, IndexType>;

    std::shared_ptr<const matrix_type> get_l_factor() const;

    /// Recomputes the factors for a matrix with the pattern of A, in place: L and the stored second
    /// factor are the same objects as before. It allocates nothing if the matrix is a Csr of these
    /// types on the executor of the factors, unless sweeps fail for the first time or there
    /// are more threads than before. An exception changes neither factor.
    /// @throws UnsupportedMatrixProperty  with the row, if the pattern differs
    /// @throws InvalidStateError  with the row, if a pivot is zero or, for L L^H, not positive, or
    ///         if a factor has an entry that is not finite
    /// @throws NotSupported  if this object was created empty or copied from another executor
    void refresh(std::shared_ptr<const LinOp> matrix) override;
    bool can_be_refreshed() const override;

protected:
    struct options {
        const char* name;           ///< name of the factorization in messages
        bool is_hermitian;          ///< computes L L^H instead of L U
        bool stores_second_factor;  ///< false: the product is the operator L
        bool skip_sorting;          ///< promises that the columns of each row of A increase
        /// Computes the factors by this number of sweeps (0: as many as are needed); empty: by
        /// elimination.
        std::optional<size_type> num_sweeps;
        std::shared_ptr<typename matrix_type::strategy_type> l_strategy;
        std::shared_ptr<typename matrix_type::strategy_type> second_strategy;  ///< null for L L^H: that of L
        std::optional<threshold_limits> threshold{};  ///< chooses the pattern; requires num_sweeps
    };

    explicit IncompleteFactorization(std::shared_ptr<const Executor> exec);
    /// Computes the factors of a matrix.
    /// @param loggers  of the factory; they are notified if sweeps fail
    void factorize(std::shared_ptr<const LinOp> a, options options,
                   const std::vector<std::shared_ptr<const log::Logger>>& loggers);
    /// Returns U or L^H. If L^H is not stored, each call computes it. Null if there are no factors.
    std::shared_ptr<const matrix_type> get_second_factor() const;
};

}  // namespace detail
}  // namespace factorization
}  // namespace spruce
