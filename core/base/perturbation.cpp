// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/perturbation.hpp>

#include <utility>

#include <spruce/base/exception_helpers.hpp>
#include <spruce/matrix/dense.hpp>

#include "core/base/dispatch.hpp"
#include "core/base/operator_list.hpp"
#include "core/base/workspace.hpp"

namespace spruce {
namespace {

const LinOp& require(const std::shared_ptr<const LinOp>& op)
{
    if (!op) {
        detail::throw_null_pointer("Perturbation::create");
    }
    return *op;
}

}  // namespace

template <typename ValueType>
std::unique_ptr<Perturbation<ValueType>> Perturbation<ValueType>::create(std::shared_ptr<const LinOp> scalar,
                                                                         std::shared_ptr<const LinOp> basis)
{
    auto projector = share(as<Transposable>(&require(basis))->conj_transpose());
    return create(std::move(scalar), std::move(basis), std::move(projector));
}

template <typename ValueType>
std::unique_ptr<Perturbation<ValueType>> Perturbation<ValueType>::create(std::shared_ptr<const LinOp> scalar,
                                                                         std::shared_ptr<const LinOp> basis,
                                                                         std::shared_ptr<const LinOp> projector)
{
    return std::unique_ptr<Perturbation>(new Perturbation(std::move(scalar), std::move(basis), std::move(projector)));
}

template <typename ValueType>
Perturbation<ValueType>::Perturbation(std::shared_ptr<const Executor> exec) : EnableLinOp<Perturbation>(std::move(exec))
{}

template <typename ValueType>
Perturbation<ValueType>::Perturbation(std::shared_ptr<const LinOp> scalar, std::shared_ptr<const LinOp> basis,
                                      std::shared_ptr<const LinOp> projector)
    : EnableLinOp<Perturbation>(require(basis).get_executor(), dim<2>{require(basis).get_size()[0]})
{
    const auto scalar_size = require(scalar).get_size();
    if (scalar_size != dim<2>{1, 1}) {
        throw DimensionMismatch(__FILE__, __LINE__, "Perturbation::create", "the scalar", scalar_size[0],
                                scalar_size[1], "a scalar", 1, 1, "the scalar has to be 1 x 1");
    }
    const auto size = basis->get_size();
    const auto found = require(projector).get_size();
    if (found != spruce::transpose(size)) {
        throw DimensionMismatch(__FILE__, __LINE__, "Perturbation::create", "the basis", size[0], size[1],
                                "the projector", found[0], found[1],
                                "the projector needs the size of the transposed basis");
    }
    const auto here = detail::on_executor(this->get_executor(), {scalar, basis, projector});
    scalar_ = here[0];
    basis_ = here[1];
    projector_ = here[2];
}

template <typename ValueType>
Perturbation<ValueType>::Perturbation(const Perturbation& other) : Perturbation(other.get_executor())
{
    *this = other;
}
template <typename ValueType>
Perturbation<ValueType>::Perturbation(Perturbation&& other) : Perturbation(other.get_executor())
{
    *this = std::move(other);
}
template <typename ValueType>
Perturbation<ValueType>& Perturbation<ValueType>::operator=(const Perturbation& other)
{
    if (this != &other) {
        std::vector<std::shared_ptr<const LinOp>> here(3);
        if (other.basis_) {
            here = detail::on_executor(this->get_executor(), {other.scalar_, other.basis_, other.projector_});
        }
        scalar_ = here[0];
        basis_ = here[1];
        projector_ = here[2];
        workspace_ = {};
        EnableLinOp<Perturbation>::operator=(other);
    }
    return *this;
}
template <typename ValueType>
Perturbation<ValueType>& Perturbation<ValueType>::operator=(Perturbation&& other)
{
    if (this != &other) {
        *this = std::as_const(other);
        other.scalar_ = other.basis_ = other.projector_ = nullptr;
        other.workspace_ = {};
        other.set_size(dim<2>{});
    }
    return *this;
}
template <typename ValueType>
Perturbation<ValueType>::~Perturbation() = default;

template <typename ValueType>
bool Perturbation<ValueType>::shares_memory_with(const memory_extent& memory) const noexcept
{
    const auto share = [&](const auto& op) { return op && op->shares_memory_with(memory); };
    return share(scalar_) || share(basis_) || share(projector_);
}

template <typename ValueType>
const matrix::Dense<ValueType>* Perturbation<ValueType>::multiply(const matrix::Dense<ValueType>* b) const
{
    if (!basis_) {
        throw NotSupported(__FILE__, __LINE__, "Perturbation::apply", "an empty perturbation");
    }
    const auto apply = [&](const LinOp& op, const matrix::Dense<ValueType>* operand, const char* name) {
        const auto result = workspace_.get().dense<ValueType>(name, this->get_executor(),
                                                              dim<2>{op.get_size()[0], operand->get_size()[1]});
        if (op.apply_uses_initial_guess()) {
            result->fill(zero<ValueType>());
        }
        op.apply(operand, result);
        return result;
    };
    return apply(*basis_, apply(*projector_, b, "projection"), "product");
}

template <typename ValueType>
void Perturbation<ValueType>::apply_impl(const LinOp* b, LinOp* x) const
{
    const detail::Workspace::exclusive_use use{workspace_, "Perturbation::apply"};
    detail::dispatch_dense<ValueType>(
        [&](auto dense_b, auto dense_x) {
            const auto product = this->multiply(dense_b);
            dense_x->copy_from(dense_b);
            dense_x->add_scaled(scalar_, product);
        },
        b, x, detail::access_mode::overwrite);
}

template <typename ValueType>
void Perturbation<ValueType>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const
{
    const detail::Workspace::exclusive_use use{workspace_, "Perturbation::apply"};
    detail::dispatch_dense<ValueType>(
        [&](auto dense_alpha, auto dense_b, auto dense_beta, auto dense_x) {
            const auto product = this->multiply(dense_b);
            const auto alpha_scalar = workspace_.get().dense<ValueType>("alpha", this->get_executor(), dim<2>{1, 1});
            alpha_scalar->copy_from(dense_alpha);
            alpha_scalar->scale(scalar_);
            dense_x->scale(dense_beta);
            dense_x->add_scaled(dense_alpha, dense_b);
            dense_x->add_scaled(alpha_scalar, product);
        },
        alpha, b, beta, x, detail::access_mode::overwrite);
}

#define SPRUCE_PERTURBATION(_value) class SPRUCE_EXPORT Perturbation<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_PERTURBATION);

}  // namespace spruce
