// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <utility>

#include <spruce/base/lin_op.hpp>

namespace spruce {
namespace multigrid {

/// Represents the step from one level of a multigrid method to the next coarser one. With n
/// unknowns on the fine and m on the coarse level, the operators are A (n x n), the prolongation P
/// (n x m), the restriction R (m x n) and the coarse matrix (m x m), usually R A P.
class SPRUCE_EXPORT MultigridLevel {
public:
    virtual ~MultigridLevel();
    virtual std::shared_ptr<const LinOp> get_fine_op() const = 0;
    virtual std::shared_ptr<const LinOp> get_restrict_op() const = 0;
    virtual std::shared_ptr<const LinOp> get_coarse_op() const = 0;
    virtual std::shared_ptr<const LinOp> get_prolong_op() const = 0;
    /// Returns the factory that coarsens the coarse matrix further if the next level belongs to the
    /// same element of mg_level. Null, the default, stands for that element.
    virtual std::shared_ptr<const LinOpFactory> get_next_factory() const { return nullptr; }
};

/// Holds the operators of a level. A class of levels derives from it and from EnableLinOp, and
/// calls set_multigrid_level() when it is generated. ValueType is that of the vectors on the fine
/// level.
template <typename ValueType>
class SPRUCE_EXPORT EnableMultigridLevel : public MultigridLevel {
public:
    using value_type = ValueType;

    std::shared_ptr<const LinOp> get_fine_op() const override { return fine_op_; }
    std::shared_ptr<const LinOp> get_restrict_op() const override { return restrict_op_; }
    std::shared_ptr<const LinOp> get_coarse_op() const override { return coarse_op_; }
    std::shared_ptr<const LinOp> get_prolong_op() const override { return prolong_op_; }

protected:
    EnableMultigridLevel() = default;
    explicit EnableMultigridLevel(std::shared_ptr<const LinOp> fine_op) : fine_op_{std::move(fine_op)} {}

    /// Sets the operators between the fine and the coarse level, and the coarse matrix.
    /// @throws DimensionMismatch  if the coarse matrix is not square, P is not n x m, or R not m x
    ///         n
    /// @throws NotSupported  for a null pointer
    void set_multigrid_level(std::shared_ptr<const LinOp> prolong_op, std::shared_ptr<const LinOp> coarse_op,
                             std::shared_ptr<const LinOp> restrict_op);
    /// Sets A.
    void set_fine_op(std::shared_ptr<const LinOp> fine_op) { fine_op_ = std::move(fine_op); }
    /// Takes the operators of other. Those on other executors are copied to exec.
    void copy_operators(const std::shared_ptr<const Executor>& exec, const EnableMultigridLevel& other);
    /// Leaves this level without operators.
    void clear_operators();

private:
    std::shared_ptr<const LinOp> fine_op_;
    std::shared_ptr<const LinOp> restrict_op_;
    std::shared_ptr<const LinOp> coarse_op_;
    std::shared_ptr<const LinOp> prolong_op_;
};

}  // namespace multigrid
}  // namespace spruce
