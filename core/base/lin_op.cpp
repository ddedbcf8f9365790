// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/lin_op.hpp>

#include <complex>

#include <spruce/matrix/identity.hpp>

#include <spruce/base/exception_helpers.hpp>
#include <spruce/base/name_demangling.hpp>
#include <spruce/base/refreshable.hpp>

#include <string>

#include "core/base/dispatch.hpp"
#include "core/base/overlap.hpp"

namespace spruce {

using log::Logger;

Transposable::~Transposable() = default;
Refreshable::~Refreshable() = default;
Preconditionable::~Preconditionable() = default;

namespace {

std::string method_of(const LinOp& op, const char* method)
{
    const auto& object = op;
    return name_demangling::get_type_name(typeid(object)) + "::" + method;
}

void require_rows(const LinOp& op, const char* name, const dim<2>& size, size_type rows)
{
    if (size[0] != rows) {
        throw DimensionMismatch(__FILE__, __LINE__, method_of(op, "apply"), "A", op.get_size()[0], op.get_size()[1],
                                name, size[0], size[1], std::string(name) + " needs " + std::to_string(rows) + " rows");
    }
}

void require_scalar(const LinOp& op, const char* name, const dim<2>& size)
{
    if (size != dim<2>{1, 1}) {
        throw DimensionMismatch(__FILE__, __LINE__, method_of(op, "apply"), name, size[0], size[1], "a scalar", 1, 1,
                                std::string(name) + " has to be 1 x 1");
    }
}

/// Adds the name of the operator to errors about operands of an unsupported type.
template <typename Apply>
void name_in_errors(const LinOp& op, Apply apply)
{
    try {
        apply();
    } catch (const detail::unsupported_operand& error) {
        throw NotSupported(__FILE__, __LINE__, method_of(op, "apply"), error.get_reason());
    }
}

}  // namespace

detail::unsupported_operand::unsupported_operand(const char* name, const LinOp& operand,
                                                 const std::type_info& requested, const std::type_info& also_possible)
    : unsupported_operand(std::string(name) + " of type " + name_demangling::get_type_name(typeid(operand)) +
                          ", which has to be " + name_demangling::get_type_name(requested) + " or " +
                          name_demangling::get_type_name(also_possible))
{}

detail::unsupported_operand::unsupported_operand(const std::string& reason)
    : NotSupported(__FILE__, __LINE__, "an operation on dense matrices", reason), reason_{reason}
{}

void detail::throw_unsupported_operand(const char* name, const LinOp& operand, const std::type_info& requested,
                                       const std::type_info& also_possible)
{
    throw unsupported_operand(name, operand, requested, also_possible);
}

bool LinOp::shares_memory_with(const memory_extent& memory) const noexcept
{
    return detail::find_overlap(this->get_memory_extent(), memory) != detail::overlap::none;
}

bool detail::is_identity(const LinOp* op)
{
    return dynamic_cast<const matrix::Identity<float>*>(op) || dynamic_cast<const matrix::Identity<double>*>(op) ||
           dynamic_cast<const matrix::Identity<std::complex<float>>*>(op) ||
           dynamic_cast<const matrix::Identity<std::complex<double>>*>(op);
}

void detail::require_fitting_operands(const LinOp& op, const LinOp* b, const LinOp* x)
{
    if (!b || !x) {
        detail::throw_null_pointer("LinOp::apply");
    }
    require_rows(op, "b", b->get_size(), op.get_size()[1]);
    require_rows(op, "x", x->get_size(), op.get_size()[0]);
    if (b->get_size()[1] != x->get_size()[1]) {
        throw DimensionMismatch(__FILE__, __LINE__, method_of(op, "apply"), "b", b->get_size()[0], b->get_size()[1],
                                "x", x->get_size()[0], x->get_size()[1], "b and x need as many columns");
    }
}

void LinOp::validate_application_parameters(const LinOp* alpha, const LinOp* b, const LinOp* beta, const LinOp* x) const
{
    detail::require_fitting_operands(*this, alpha, b, beta, x);
}

void LinOp::validate_application_parameters(const LinOp* b, const LinOp* x) const
{
    detail::require_fitting_operands(*this, b, x);
}

void detail::require_fitting_operands(const LinOp& op, const LinOp* alpha, const LinOp* b, const LinOp* beta,
                                      const LinOp* x)
{
    require_fitting_operands(op, b, x);
    if (!alpha || !beta) {
        detail::throw_null_pointer("LinOp::apply");
    }
    require_scalar(op, "alpha", alpha->get_size());
    require_scalar(op, "beta", beta->get_size());
}

const LinOp* LinOp::apply(ptr_param<const LinOp> b, ptr_param<LinOp> x) const
{
    this->log<Logger::linop_apply_started>(this, b.get(), x.get());
    this->validate_application_parameters(b.get(), x.get());
    {
        const auto exec = this->get_executor();
        const detail::result_memory result{"apply", *x, "x", this};
        const auto local_b = result.separate(exec, b.get(), "b");
        const auto local_x = detail::separate_result(exec, x.get(), *this);
        name_in_errors(*this, [&] { this->apply_impl(local_b.get(), local_x.get()); });
    }
    this->log<Logger::linop_apply_completed>(this, b.get(), x.get());
    return this;
}

LinOp* LinOp::apply(ptr_param<const LinOp> b, ptr_param<LinOp> x)
{
    static_cast<const LinOp*>(this)->apply(b, x);
    return this;
}

const LinOp* LinOp::apply(ptr_param<const LinOp> alpha, ptr_param<const LinOp> b, ptr_param<const LinOp> beta,
                          ptr_param<LinOp> x) const
{
    this->log<Logger::linop_advanced_apply_started>(this, alpha.get(), b.get(), beta.get(), x.get());
    this->validate_application_parameters(alpha.get(), b.get(), beta.get(), x.get());
    {
        const auto exec = this->get_executor();
        const detail::result_memory result{"apply", *x, "x", this};
        const auto local_b = result.separate(exec, b.get(), "b");
        const auto local_alpha = result.separate_factor(exec, alpha.get());
        const auto local_beta = result.separate_factor(exec, beta.get());
        const auto local_x = detail::separate_result(exec, x.get(), *this);
        name_in_errors(*this,
                       [&] { this->apply_impl(local_alpha.get(), local_b.get(), local_beta.get(), local_x.get()); });
    }
    this->log<Logger::linop_advanced_apply_completed>(this, alpha.get(), b.get(), beta.get(), x.get());
    return this;
}

LinOp* LinOp::apply(ptr_param<const LinOp> alpha, ptr_param<const LinOp> b, ptr_param<const LinOp> beta,
                    ptr_param<LinOp> x)
{
    static_cast<const LinOp*>(this)->apply(alpha, b, beta, x);
    return this;
}

std::unique_ptr<LinOp> LinOpFactory::generate(std::shared_ptr<const LinOp> input) const
{
    if (!input) {
        detail::throw_null_pointer("LinOpFactory::generate");
    }
    this->log<Logger::linop_factory_generate_started>(this, input.get());
    const auto exec = this->get_executor();
    const auto local =
        exec->is_equivalent_to(input->get_executor().get()) ? input : std::shared_ptr<const LinOp>(input->clone(exec));
    auto product = AbstractFactory::generate(local);
    this->log<Logger::linop_factory_generate_completed>(this, input.get(), product.get());
    return product;
}

DiagonalLinOpExtractable::~DiagonalLinOpExtractable() = default;

AbsoluteComputable::~AbsoluteComputable() = default;

ScaledIdentityAddable::~ScaledIdentityAddable() = default;

void ScaledIdentityAddable::add_scaled_identity(ptr_param<const LinOp> a, ptr_param<const LinOp> b)
{
    SPRUCE_ASSERT_IS_SCALAR(a);
    SPRUCE_ASSERT_IS_SCALAR(b);
    const auto& self = dynamic_cast<LinOp&>(*this);
    const auto exec = self.get_executor();
    const detail::result_memory result{"add_scaled_identity", self, "this", &self};
    this->add_scaled_identity_impl(result.separate_factor(exec, a.get()).get(),
                                   result.separate_factor(exec, b.get()).get());
}

}  // namespace spruce
