// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/lin_op.hpp>

namespace spruce {
namespace matrix {

/// Represents the identity, whose apply() copies b. It stores nothing.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Identity : public EnableLinOp<Identity<ValueType>>, public Transposable {
    friend class EnablePolymorphicObject<Identity, LinOp>;

public:
    using EnableLinOp<Identity>::convert_to;
    using EnableLinOp<Identity>::move_to;
    using value_type = ValueType;
    using transposed_type = Identity;

    static std::unique_ptr<Identity> create(std::shared_ptr<const Executor> exec, size_type size = 0);
    /// Creates an identity.
    /// @throws DimensionMismatch  if size is not square
    static std::unique_ptr<Identity> create(std::shared_ptr<const Executor> exec, const dim<2>& size);

    std::unique_ptr<LinOp> transpose() const override;
    std::unique_ptr<LinOp> conj_transpose() const override;

protected:
    explicit Identity(std::shared_ptr<const Executor> exec, size_type size = 0)
        : EnableLinOp<Identity>(std::move(exec), dim<2>{size})
    {}
    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;
};

/// Generates an identity of the size of its input: a preconditioner without effect.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT IdentityFactory : public EnablePolymorphicObject<IdentityFactory<ValueType>, LinOpFactory> {
    friend class EnablePolymorphicObject<IdentityFactory, LinOpFactory>;

public:
    using value_type = ValueType;
    static std::unique_ptr<IdentityFactory> create(std::shared_ptr<const Executor> exec)
    {
        return std::unique_ptr<IdentityFactory>(new IdentityFactory(std::move(exec)));
    }

protected:
    explicit IdentityFactory(std::shared_ptr<const Executor> exec)
        : EnablePolymorphicObject<IdentityFactory, LinOpFactory>(std::move(exec))
    {}
    std::unique_ptr<LinOp> generate_impl(std::shared_ptr<const LinOp> base) const override;
};

}  // namespace matrix
}  // namespace spruce
