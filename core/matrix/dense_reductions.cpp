// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/dense.hpp>

#include "core/base/dispatch.hpp"
#include "core/base/overlap.hpp"
#include "core/matrix/dense_checks.hpp"
#include "core/matrix/dense_kernels.hpp"

namespace spruce::matrix {
namespace {

using spruce::detail::require_equal_size;

}  // namespace

template <typename ValueType>
void Dense<ValueType>::compute_product(const char* function, ptr_param<const LinOp> b, ptr_param<LinOp> result,
                                       array<char>& tmp, bool conjugate) const
{
    require_equal_size(function, this->get_size(), b->get_size());
    require_equal_size(function, dim<2>{1, this->get_size()[1]}, result->get_size(), "result");
    const auto exec = this->get_executor();
    tmp.set_executor(exec);
    const auto local_b = make_temporary_clone(exec, b);
    const auto local_result = spruce::detail::separate_result(exec, result.get(), *this, *b);
    const spruce::detail::const_converted_dense<ValueType> dense_b{local_b.get(), "b"};
    const spruce::detail::converted_dense<ValueType> dense_result{local_result.get(), "result"};
    const auto& run = conjugate ? kernels::dense::conj_dot<ValueType> : kernels::dense::dot<ValueType>;
    run(*exec, *this, *dense_b.get(), *dense_result.get(), tmp);
}

template <typename ValueType>
void Dense<ValueType>::compute_dot_impl(const LinOp* b, LinOp* result, array<char>& tmp) const
{
    this->compute_product("Dense::compute_dot", b, result, tmp, false);
}

template <typename ValueType>
void Dense<ValueType>::compute_conj_dot_impl(const LinOp* b, LinOp* result, array<char>& tmp) const
{
    this->compute_product("Dense::compute_conj_dot", b, result, tmp, true);
}

template <typename ValueType>
void Dense<ValueType>::compute_dot(ptr_param<const LinOp> b, ptr_param<LinOp> result) const
{
    array<char> tmp{this->get_executor()};
    this->compute_dot(b, result, tmp);
}

template <typename ValueType>
void Dense<ValueType>::compute_conj_dot(ptr_param<const LinOp> b, ptr_param<LinOp> result) const
{
    array<char> tmp{this->get_executor()};
    this->compute_conj_dot(b, result, tmp);
}

template <typename ValueType>
template <typename Result, typename Operation>
void Dense<ValueType>::reduce(const char* function, const Operation& run, ptr_param<LinOp> result,
                              array<char>& tmp) const
{
    require_equal_size(function, dim<2>{1, this->get_size()[1]}, result->get_size(), "result");
    const auto exec = this->get_executor();
    tmp.set_executor(exec);
    const auto local = spruce::detail::separate_result(exec, result.get(), *this);
    const spruce::detail::converted_dense<Result> dense_result{local.get(), "result"};
    run(*exec, *this, *dense_result.get(), tmp);
}

template <typename ValueType>
void Dense<ValueType>::compute_norm2_impl(LinOp* result, array<char>& tmp) const
{
    this->reduce<remove_complex<ValueType>>("Dense::compute_norm2", kernels::dense::norm2<ValueType>, result, tmp);
}
template <typename ValueType>
void Dense<ValueType>::compute_norm2(ptr_param<LinOp> result) const
{
    array<char> tmp{this->get_executor()};
    this->compute_norm2(result, tmp);
}

template <typename ValueType>
void Dense<ValueType>::compute_norm1_impl(LinOp* result, array<char>& tmp) const
{
    this->reduce<remove_complex<ValueType>>("Dense::compute_norm1", kernels::dense::norm1<ValueType>, result, tmp);
}
template <typename ValueType>
void Dense<ValueType>::compute_norm1(ptr_param<LinOp> result) const
{
    array<char> tmp{this->get_executor()};
    this->compute_norm1(result, tmp);
}

template <typename ValueType>
void Dense<ValueType>::compute_squared_norm2_impl(LinOp* result, array<char>& tmp) const
{
    this->reduce<remove_complex<ValueType>>("Dense::compute_squared_norm2", kernels::dense::squared_norm2<ValueType>,
                                            result, tmp);
}
template <typename ValueType>
void Dense<ValueType>::compute_squared_norm2(ptr_param<LinOp> result) const
{
    array<char> tmp{this->get_executor()};
    this->compute_squared_norm2(result, tmp);
}

template <typename ValueType>
void Dense<ValueType>::compute_mean_impl(LinOp* result, array<char>& tmp) const
{
    this->reduce<ValueType>("Dense::compute_mean", kernels::dense::mean<ValueType>, result, tmp);
}
template <typename ValueType>
void Dense<ValueType>::compute_mean(ptr_param<LinOp> result) const
{
    array<char> tmp{this->get_executor()};
    this->compute_mean(result, tmp);
}

// Instantiates the members that this file defines.
#define SPRUCE_DENSE(_value) class SPRUCE_EXPORT Dense<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_DENSE);

}  // namespace spruce::matrix
