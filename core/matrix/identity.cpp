// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/identity.hpp>

#include <spruce/matrix/dense.hpp>

#include "core/base/dispatch.hpp"

namespace spruce::matrix {

template <typename ValueType>
std::unique_ptr<Identity<ValueType>> Identity<ValueType>::create(std::shared_ptr<const Executor> exec, size_type size)
{
    return std::unique_ptr<Identity>(new Identity(std::move(exec), size));
}

template <typename ValueType>
std::unique_ptr<Identity<ValueType>> Identity<ValueType>::create(std::shared_ptr<const Executor> exec,
                                                                 const dim<2>& size)
{
    if (size[0] != size[1]) {
        throw DimensionMismatch(__FILE__, __LINE__, "Identity::create", "the identity", size[0], size[1], "it", size[1],
                                size[0], "an identity is square");
    }
    return create(std::move(exec), size[0]);
}

template <typename ValueType>
std::unique_ptr<LinOp> Identity<ValueType>::transpose() const
{
    return this->clone();
}

template <typename ValueType>
std::unique_ptr<LinOp> Identity<ValueType>::conj_transpose() const
{
    return this->clone();
}

template <typename ValueType>
void Identity<ValueType>::apply_impl(const LinOp* b, LinOp* x) const
{
    x->copy_from(b);
}

template <typename ValueType>
void Identity<ValueType>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const
{
    const auto add = [](auto dense_alpha, auto dense_b, auto dense_beta, auto dense_x) {
        dense_x->scale(dense_beta);
        dense_x->add_scaled(dense_alpha, dense_b);
    };
    using spruce::detail::access_mode;
    using other = next_precision<ValueType>;
    if constexpr (sizeof(other) > sizeof(ValueType)) {
        // The identity does not reduce the precision: an x of higher precision receives the full
        // precision of b.
        if (dynamic_cast<Dense<other>*>(x) || dynamic_cast<Dense<to_complex<other>>*>(x)) {
            spruce::detail::dispatch_dense<other>(add, alpha, b, beta, x, access_mode::overwrite);
            return;
        }
    }
    spruce::detail::dispatch_dense<ValueType>(add, alpha, b, beta, x, access_mode::overwrite);
}

template <typename ValueType>
std::unique_ptr<LinOp> IdentityFactory<ValueType>::generate_impl(std::shared_ptr<const LinOp> base) const
{
    return Identity<ValueType>::create(this->get_executor(), base->get_size());
}

#define SPRUCE_IDENTITY(_value) class SPRUCE_EXPORT Identity<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_IDENTITY);
#define SPRUCE_IDENTITY_FACTORY(_value) class SPRUCE_EXPORT IdentityFactory<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_IDENTITY_FACTORY);

}  // namespace spruce::matrix
