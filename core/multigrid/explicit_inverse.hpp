// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/base/lin_op.hpp>
#include <spruce/base/refreshable.hpp>
#include <spruce/matrix/dense.hpp>

namespace spruce::multigrid::detail {

/// Multiplies by the inverse of a small matrix, which is stored as a dense matrix. If the matrix is
/// singular, equations and unknowns whose pivots vanish are left out. For Hermitian positive
/// semidefinite A and b in its range, apply() then solves A x = b apart from rounding errors. For
/// other singular A it may not.
template <typename ValueType>
class SPRUCE_EXPORT ExplicitInverse : public EnableLinOp<ExplicitInverse<ValueType>>, public Refreshable {
    friend class EnablePolymorphicObject<ExplicitInverse, LinOp>;
    using Base = EnableLinOp<ExplicitInverse>;
    using Dense = matrix::Dense<ValueType>;

public:
    /// @param matrix  square; on the executor of the new object
    explicit ExplicitInverse(std::shared_ptr<const LinOp> matrix);

    ExplicitInverse(const ExplicitInverse& other);
    ExplicitInverse& operator=(const ExplicitInverse& other);

    void refresh(std::shared_ptr<const LinOp> matrix) override;
    bool shares_memory_with(const memory_extent& memory) const noexcept override
    {
        return inverse_->shares_memory_with(memory);
    }

protected:
    explicit ExplicitInverse(std::shared_ptr<const Executor> exec);
    bool has_static_launches() const override { return true; }
    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    std::unique_ptr<Dense> matrix_;  ///< memory for the elimination
    std::unique_ptr<Dense> inverse_;
    array<int64> workspace_;  ///< memory for the elimination
};

}  // namespace spruce::multigrid::detail
