// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/multigrid/explicit_inverse.hpp"

#include <limits>

#include "core/base/instantiate.hpp"
#include "core/matrix/dense_inverse_kernels.hpp"

namespace spruce::multigrid::detail {

template <typename V>
ExplicitInverse<V>::ExplicitInverse(std::shared_ptr<const Executor> exec)
    : Base(exec), matrix_{Dense::create(exec)}, inverse_{Dense::create(exec)}, workspace_{exec}
{}

template <typename V>
ExplicitInverse<V>::ExplicitInverse(std::shared_ptr<const LinOp> matrix)
    : Base(matrix->get_executor(), matrix->get_size()),
      matrix_{Dense::create(matrix->get_executor(), matrix->get_size())},
      inverse_{Dense::create(matrix->get_executor(), matrix->get_size())},
      workspace_{matrix->get_executor()}
{
    this->refresh(std::move(matrix));
}

template <typename V>
ExplicitInverse<V>::ExplicitInverse(const ExplicitInverse& other) : ExplicitInverse(other.get_executor())
{
    *this = other;
}

template <typename V>
auto ExplicitInverse<V>::operator=(const ExplicitInverse& other) -> ExplicitInverse&
{
    if (this != &other) {
        Base::operator=(other);
        *matrix_ = *other.matrix_;
        *inverse_ = *other.inverse_;
    }
    return *this;
}

template <typename V>
void ExplicitInverse<V>::refresh(std::shared_ptr<const LinOp> matrix)
{
    // Pivots of a singular matrix are rounding errors of the elimination.
    const auto size = static_cast<remove_complex<V>>(this->get_size()[0]);
    const auto tolerance = 4 * size * std::numeric_limits<remove_complex<V>>::epsilon();
    as<ConvertibleTo<Dense>>(matrix)->convert_to(matrix_.get());
    kernels::dense::invert<V>(*this->get_executor(), tolerance, *matrix_, *inverse_, workspace_);
}

template <typename V>
void ExplicitInverse<V>::apply_impl(const LinOp* b, LinOp* x) const
{
    inverse_->apply(b, x);
}

template <typename V>
void ExplicitInverse<V>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const
{
    inverse_->apply(alpha, b, beta, x);
}

#define SPRUCE_EXPLICIT_INVERSE(_value) template class ExplicitInverse<_value>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_TYPE(SPRUCE_EXPLICIT_INVERSE);

}  // namespace spruce::multigrid::detail
