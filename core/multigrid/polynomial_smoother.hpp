// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/base/array.hpp>
#include <spruce/base/lin_op.hpp>
#include <spruce/base/refreshable.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

#include "core/base/workspace.hpp"
#include "core/multigrid/spectral_radius.hpp"

namespace spruce::multigrid::detail {

/// Represents operators that improve a solution of A x = b, and that need not read x if it is zero.
class SPRUCE_EXPORT Smoother {
public:
    virtual ~Smoother();
    /// Improves x, which is taken for zero and not read if from_zero is true. b and x are Dense of
    /// the operator's value type on its executor.
    /// @param work   holds the vectors, under keys with this number
    virtual void smooth(const LinOp* b, LinOp* x, bool from_zero, spruce::detail::Workspace::Impl& work,
                        size_type number) const = 0;
};

/// Reduces those parts of the error of A x = b that belong to large eigenvalues of D^-1 A, where D
/// is the diagonal of A and rho an estimate of the largest one. For Hermitian A it performs steps
/// of the Chebyshev iteration for the interval [rho / 8, 1.1 rho], otherwise of the Jacobi method
/// with the damping 4 / (3 rho). A step takes a copy of b, one product with A, and an update of two
/// vectors; the first one from x = 0 takes only the update. apply() starts from the given x.
/// Sources: Adams, Brezina, Hu and Tuminaro 2003, Parallel Multigrid Smoothing: Polynomial versus
/// Gauss-Seidel; Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., Algorithm 12.1.
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT PolynomialSmoother : public EnableLinOp<PolynomialSmoother<ValueType, IndexType>>,
                                         public Smoother,
                                         public Refreshable {
    friend class EnablePolymorphicObject<PolynomialSmoother, LinOp>;
    using Base = EnableLinOp<PolynomialSmoother>;

public:
    using Csr = matrix::Csr<ValueType, IndexType>;
    using Dense = matrix::Dense<ValueType>;

    /// @param matrix  A, which is used in products in its own format
    /// @param a       A as Csr, on the same executor
    /// @param known   the eigenvalues of D^-1 A, up to date when refresh() is called; they are
    ///                estimated if it is null
    /// @param keeps_pattern  the caller of refresh() has checked the pattern, so that the positions
    ///                       of the diagonal entries are not searched again
    /// @throws InvalidStateError  with the row, if a diagonal entry is missing, zero, or for real
    ///     types negative, or if an entry is not finite
    PolynomialSmoother(std::shared_ptr<const LinOp> matrix, const Csr& a, size_type num_steps,
                       std::shared_ptr<const spectrum> known, bool keeps_pattern);

    PolynomialSmoother(const PolynomialSmoother& other);
    PolynomialSmoother& operator=(const PolynomialSmoother& other);

    bool apply_uses_initial_guess() const override { return true; }
    void smooth(const LinOp* b, LinOp* x, bool from_zero, spruce::detail::Workspace::Impl& work,
                size_type number) const override;
    void refresh(std::shared_ptr<const LinOp> matrix) override;
    bool shares_memory_with(const memory_extent& memory) const noexcept override
    {
        return matrix_ && matrix_->shares_memory_with(memory);
    }
    const spectrum& get_spectrum() const { return spectrum_; }

protected:
    explicit PolynomialSmoother(std::shared_ptr<const Executor> exec);
    bool has_static_launches() const override;
    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    /// Computes the inverse diagonal and the spectrum.
    void compute(const Csr& a);
    void smooth_dense(const Dense* b, Dense* x, bool from_zero, spruce::detail::Workspace::Impl& work,
                      size_type number) const;
    /// Performs the steps for apply(), with vectors of its own.
    void smooth_by_itself(const Dense* b, Dense* x) const;

    std::shared_ptr<const LinOp> matrix_;
    size_type num_steps_{};
    array<IndexType> diagonal_;          ///< the diagonal entries of A
    array<ValueType> inverse_diagonal_;  ///< 1 / a_ii
    std::shared_ptr<const spectrum> known_spectrum_;
    bool keeps_pattern_{};
    spectrum spectrum_{};
    mutable spruce::detail::Workspace workspace_;
};

}  // namespace spruce::multigrid::detail
