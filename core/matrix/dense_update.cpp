// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/diagonal.hpp>

#include "core/base/dispatch.hpp"
#include "core/base/overlap.hpp"
#include "core/matrix/dense_checks.hpp"
#include "core/matrix/dense_kernels.hpp"

namespace spruce::matrix {
namespace {

using spruce::detail::require_equal_size;

void require_scale_size(const char* function, const dim<2>& size, const dim<2>& alpha)
{
    if (alpha[0] != 1 || (alpha[1] != 1 && alpha[1] != size[1])) {
        throw DimensionMismatch(__FILE__, __LINE__, function, "this", size[0], size[1], "alpha", alpha[0], alpha[1],
                                "alpha has to be 1 x 1 or 1 x " + std::to_string(size[1]));
    }
}

/// Returns alpha as Dense<ValueType> on the executor of x. It is alpha itself, a copy if alpha
/// shares memory with x, or converted from another precision or from real numbers.
/// @param function  to name if alpha is null
template <typename ValueType>
std::shared_ptr<const Dense<ValueType>> as_scalars(const char* function, const Dense<ValueType>& x, const LinOp* alpha)
{
    if (!alpha) {
        spruce::detail::throw_null_pointer(function);
    }
    const auto exec = x.get_executor();
    if (const auto same = dynamic_cast<const Dense<ValueType>*>(alpha)) {
        if (exec->memory_accessible(same->get_executor()) && !spruce::detail::share_memory(x, *same)) {
            return {same, [](const Dense<ValueType>*) {}};
        }
        return same->clone(exec);
    }
    if constexpr (is_complex<ValueType>()) {
        using real = remove_complex<ValueType>;
        if (dynamic_cast<const Dense<real>*>(alpha) || dynamic_cast<const Dense<next_precision<real>>*>(alpha)) {
            auto result = Dense<ValueType>::create(exec, alpha->get_size());
            const auto local = make_temporary_clone(exec, alpha);
            kernels::dense::make_complex<real>(*exec, *spruce::detail::const_converted_dense<real>(local.get()).get(),
                                               *result);
            return result;
        }
    }
    auto result = Dense<ValueType>::create(exec);
    result->copy_from(spruce::detail::as_other_precision<ValueType>(alpha, "alpha"));
    return result;
}

}  // namespace

template <typename ValueType>
void Dense<ValueType>::scale_impl(const LinOp* alpha)
{
    const auto exec = this->get_executor();
    const auto scalars = as_scalars("Dense::scale", *this, alpha);
    require_scale_size("Dense::scale", this->get_size(), scalars->get_size());
    kernels::dense::scale<ValueType>(*exec, *scalars, *this);
}

template <typename ValueType>
void Dense<ValueType>::inv_scale_impl(const LinOp* alpha)
{
    const auto exec = this->get_executor();
    const auto scalars = as_scalars("Dense::inv_scale", *this, alpha);
    require_scale_size("Dense::inv_scale", this->get_size(), scalars->get_size());
    kernels::dense::inv_scale<ValueType>(*exec, *scalars, *this);
}

template <typename ValueType>
template <typename Operation>
void Dense<ValueType>::add_with(const char* function, const Operation& run, ptr_param<const LinOp> alpha,
                                ptr_param<const LinOp> b)
{
    const auto exec = this->get_executor();
    require_equal_size(function, this->get_size(), b->get_size());
    // The kernels work in place. They read an element of b before they write the element of the
    // result at its position.
    spruce::detail::result_memory{function, *this, "this"}.require_no_partial_overlap(*b, "b");
    const auto local = make_temporary_clone(exec, b);
    if (const auto diagonal = dynamic_cast<const Diagonal<ValueType>*>(local.get())) {
        require_scale_size(function, dim<2>{this->get_size()[0], 1}, alpha->get_size());
        // The diagonal is a vector with a stride of one row and one column.
        const auto length = this->get_size()[0];
        const auto num_spanned = length == 0 ? 0 : (length - 1) * (stride_ + 1) + 1;
        const auto vector =
            Dense::create(exec, dim<2>{length, 1}, make_array_view(exec, num_spanned, this->get_values()), stride_ + 1);
        const auto summand = Dense::create_const(exec, dim<2>{length, 1},
                                                 make_const_array_view(exec, length, diagonal->get_const_values()), 1);
        run(*exec, *as_scalars(function, *this, alpha.get()), *summand, *vector);
        return;
    }
    const auto scalars = as_scalars(function, *this, alpha.get());
    require_scale_size(function, this->get_size(), scalars->get_size());
    run(*exec, *scalars, *spruce::detail::const_converted_dense<ValueType>(local.get(), "b").get(), *this);
}

template <typename ValueType>
void Dense<ValueType>::add_scaled_impl(const LinOp* alpha, const LinOp* b)
{
    this->add_with("Dense::add_scaled", kernels::dense::add_scaled<ValueType>, alpha, b);
}

template <typename ValueType>
void Dense<ValueType>::sub_scaled_impl(const LinOp* alpha, const LinOp* b)
{
    this->add_with("Dense::sub_scaled", kernels::dense::sub_scaled<ValueType>, alpha, b);
}

template <typename ValueType>
void Dense<ValueType>::add_scaled_identity_impl(const LinOp* a, const LinOp* b)
{
    const auto exec = this->get_executor();
    const auto function = "Dense::add_scaled_identity";
    kernels::dense::add_scaled_identity<ValueType>(*exec, *as_scalars(function, *this, a),
                                                   *as_scalars(function, *this, b), *this);
}

// Instantiates the members that this file defines.
#define SPRUCE_DENSE(_value) class SPRUCE_EXPORT Dense<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_DENSE);

}  // namespace spruce::matrix
