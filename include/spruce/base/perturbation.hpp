// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/base/composition.hpp>
#include <spruce/base/lin_op.hpp>
#include <spruce/base/workspace.hpp>

namespace spruce {

/// Represents the identity plus a scaled product of two operators, I + s B P. The basis B is n x k,
/// and the projector P is k x n. If k is much smaller than n, it is an update of low rank. If
/// k = 1, s = -2, B has norm 1 and P = B^H, it is a Householder reflector.
/// An apply() computes P b and B (P b), copies b to x and adds s B (P b) to x. It keeps P b and
/// B (P b) for the next apply(), so only one thread at a time can apply the perturbation. If the
/// library is built without NDEBUG, a concurrent apply() throws InvalidStateError. If B or P uses
/// an initial guess, it starts from zero.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Perturbation : public EnableLinOp<Perturbation<ValueType>> {
    friend class EnablePolymorphicObject<Perturbation, LinOp>;

public:
    using value_type = ValueType;

    /// Creates an empty perturbation. Applying it throws NotSupported.
    static std::unique_ptr<Perturbation> create(std::shared_ptr<const Executor> exec)
    {
        return std::unique_ptr<Perturbation>(new Perturbation(std::move(exec)));
    }
    /// Creates a perturbation with the conjugate transpose of the basis as projector.
    /// @throws NotSupported  if the basis is not Transposable, and for a null pointer
    /// @throws DimensionMismatch  if the scalar is not 1 x 1
    static std::unique_ptr<Perturbation> create(std::shared_ptr<const LinOp> scalar,
                                                std::shared_ptr<const LinOp> basis);
    /// Creates a perturbation. Copies scalar and projector to the executor of the basis if they are
    /// on another one.
    /// @throws DimensionMismatch  if the scalar is not 1 x 1, or the size of the projector is not
    ///     that of the transposed basis
    /// @throws NotSupported  for a null pointer
    static std::unique_ptr<Perturbation> create(std::shared_ptr<const LinOp> scalar, std::shared_ptr<const LinOp> basis,
                                                std::shared_ptr<const LinOp> projector);

    std::shared_ptr<const LinOp> get_scalar() const noexcept { return scalar_; }
    std::shared_ptr<const LinOp> get_basis() const noexcept { return basis_; }
    std::shared_ptr<const LinOp> get_projector() const noexcept { return projector_; }

    bool shares_memory_with(const memory_extent& memory) const noexcept override;

    Perturbation(const Perturbation&);
    Perturbation(Perturbation&&);
    Perturbation& operator=(const Perturbation&);
    Perturbation& operator=(Perturbation&&);
    ~Perturbation() override;

protected:
    explicit Perturbation(std::shared_ptr<const Executor> exec);
    Perturbation(std::shared_ptr<const LinOp> scalar, std::shared_ptr<const LinOp> basis,
                 std::shared_ptr<const LinOp> projector);
    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    /// Computes B (P b) in a vector of the workspace, and returns this vector.
    const matrix::Dense<ValueType>* multiply(const matrix::Dense<ValueType>* b) const;

    std::shared_ptr<const LinOp> scalar_;
    std::shared_ptr<const LinOp> basis_;
    std::shared_ptr<const LinOp> projector_;
    mutable detail::Workspace workspace_;
};

}  // namespace spruce
