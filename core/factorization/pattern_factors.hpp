// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <optional>

#include <spruce/base/array.hpp>
#include <spruce/matrix/csr.hpp>

#include "core/factorization/factor_sweeps.hpp"
#include "core/factorization/incomplete_schedule.hpp"

namespace spruce::factorization::detail {

/// Computes incomplete factors of matrices in a given pattern, by sweeps or by elimination.
template <typename ValueType, typename IndexType>
class PatternFactors {
public:
    using Csr = matrix::Csr<ValueType, IndexType>;
    using real = remove_complex<ValueType>;

    /// @param factors       has the pattern of L + U, or of L for L L^H, with sorted rows and all
    ///                      diagonal entries
    /// @param diagonal      entry (i, i) of each row i of the factors
    /// @param sources       the entry of A for each entry of the factors, or a negative number
    ///                      where A has none; empty if it is the same entry
    /// @param num_sweeps    computes the factors by this number of sweeps (0: as many as are
    ///                      needed), and by elimination only if these do not converge
    PatternFactors(std::shared_ptr<Csr> factors, array<IndexType> diagonal, array<IndexType> sources, bool is_hermitian,
                   std::optional<size_type> num_sweeps);

    // compute() and improve() return the first row whose pivot or entries are not suitable, or -1.
    // If it is not -1, the values are undefined. They allocate nothing, except for the analysis
    // before the first elimination.

    /// Computes the factors of a matrix with these values.
    IndexType compute(const ValueType* a_values);
    /// Computes the factors by sweeps that start from their present values, or by elimination.
    /// Requires a number of sweeps.
    IndexType improve(const ValueType* a_values);

    /// Computes the values from which sweeps start. Requires a number of sweeps.
    void start(const ValueType* a_values);

    /// Returns true if the last factors were computed by elimination because sweeps did not
    /// converge.
    bool have_sweeps_failed() const { return have_sweeps_failed_; }
    /// Returns the root mean square of the relative residuals of the last factors, which is zero
    /// after elimination.
    real get_residual() const { return sweeps_ && !have_sweeps_failed_ ? sweeps_->get_residual() : real{}; }

    std::shared_ptr<const Csr> get_combined() const { return combined_; }
    const array<IndexType>& get_diagonal() const { return schedule_.diagonal; }
    const array<IndexType>& get_sources() const { return sources_; }

private:
    /// Finds the order of elimination.
    void analyze();
    /// Computes the factors by elimination if the sweeps have not found suitable ones.
    IndexType finish(bool have_sweeps_converged, const ValueType* a_values);

    bool is_hermitian_;
    std::shared_ptr<Csr> combined_;
    array<IndexType> sources_;
    incomplete_schedule<IndexType> schedule_;  ///< of the elimination; before analyze() it holds only the diagonal
    bool is_analyzed_{};
    std::optional<FactorSweeps<ValueType, IndexType>> sweeps_;
    bool have_sweeps_failed_{};
    array<IndexType> found_row_;
};

}  // namespace spruce::factorization::detail
