// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/base/array.hpp>
#include <spruce/matrix/csr.hpp>

#include "core/factorization/factor_sweep_kernels.hpp"

namespace spruce::factorization::detail {

/// Computes incomplete factors by sweeps, each of which updates all entries in parallel. Sweeps end
/// if the residual of the factors is small. If it remains large, they start again with damping.
template <typename ValueType, typename IndexType>
class FactorSweeps {
public:
    using Csr = matrix::Csr<ValueType, IndexType>;

    /// @param factors     have the pattern of L + U, or of L for L L^H, with all diagonal entries
    /// @param num_sweeps  the largest number of sweeps; 0: as many as the residual needs
    FactorSweeps(const Csr& factors, bool is_hermitian, size_type num_sweeps);

    // The functions have common parameters: a_values and sources contain the values of A, as for
    // sweep_view, and diagonal contains entry (i, i) of each row i of the factors. They allocate
    // nothing.

    /// Computes the values of the factors.
    /// @return  false if sweeps do not converge; the values are undefined then
    bool compute(const ValueType* a_values, const IndexType* sources, const array<IndexType>& diagonal, Csr& factors);
    /// Performs sweeps from the given values of the factors, without damping.
    /// @return  false if sweeps do not converge; the values are undefined then
    bool improve(const ValueType* a_values, const IndexType* sources, const array<IndexType>& diagonal, Csr& factors);
    /// Computes the values from which compute() starts.
    void start(const ValueType* a_values, const IndexType* sources, const array<IndexType>& diagonal,
               Csr& factors) const;

    /// Returns the root mean square of the relative residuals of the last factors.
    remove_complex<ValueType> get_residual() const { return residual_; }

private:
    using real = remove_complex<ValueType>;

    sweep_view<ValueType, IndexType> create_view(const ValueType* a_values, const IndexType* sources,
                                                 const array<IndexType>& diagonal, const Csr& factors) const;

    /// Performs a sweep from the given values to the next ones. Also computes the squared norm of
    /// the relative residuals for the given values.
    void sweep(const sweep_view<ValueType, IndexType>& view, real omega, const ValueType* values, ValueType* next,
               real* squared_norm);

    /// Performs the sweeps with a damping factor.
    /// @return  false if they do not converge; the values are undefined then
    bool converge(const sweep_view<ValueType, IndexType>& view, real omega, ValueType* values);

    bool is_hermitian_;
    size_type num_sweeps_;
    array<IndexType> rows_;
    std::unique_ptr<Csr> columns_;  ///< the pattern by columns, if it is needed
    array<IndexType> col_entries_;
    array<ValueType> next_;  ///< the second set of factors
    array<real> row_norms_;
    array<real> squared_norms_;  ///< one for each sweep of a series
    array<real> host_norms_;
    array<char> workspace_;
    real residual_{};
};

}  // namespace spruce::factorization::detail
