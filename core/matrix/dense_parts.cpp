// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Implements absolute values, real and imaginary parts, and diagonals.

#include <algorithm>

#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/diagonal.hpp>

#include "core/base/overlap.hpp"
#include "core/matrix/dense_checks.hpp"
#include "core/matrix/dense_kernels.hpp"
#include "core/matrix/diagonal_kernels.hpp"

namespace spruce::matrix {
namespace {

/// Calls run(x, output) for an output on any executor, with the size of x. run must work element by
/// element.
template <typename ValueType, typename Result, typename Operation>
void map_into(const char* function, const Operation& run, const Dense<ValueType>& x, ptr_param<Dense<Result>> output)
{
    spruce::detail::require_equal_size(function, x.get_size(), output->get_size(), "output");
    spruce::detail::result_memory{function, *output, "output"}.require_no_partial_overlap(x, "this");
    const auto exec = x.get_executor();
    run(*exec, x, *make_temporary_clone(exec, output));
}

template <typename Result, typename ValueType, typename Operation>
std::unique_ptr<Dense<Result>> map(const Operation& run, const Dense<ValueType>& x)
{
    auto result = Dense<Result>::create(x.get_executor(), x.get_size());
    run(*x.get_executor(), x, *result);
    return result;
}

}  // namespace

template <typename ValueType>
std::unique_ptr<typename Dense<ValueType>::absolute_type> Dense<ValueType>::compute_absolute() const
{
    return map<remove_complex<ValueType>>(kernels::dense::outplace_absolute<ValueType>, *this);
}
template <typename ValueType>
void Dense<ValueType>::compute_absolute(ptr_param<absolute_type> output) const
{
    map_into<ValueType, remove_complex<ValueType>>("Dense::compute_absolute",
                                                   kernels::dense::outplace_absolute<ValueType>, *this, output);
}

template <typename ValueType>
std::unique_ptr<typename Dense<ValueType>::complex_type> Dense<ValueType>::make_complex() const
{
    return map<to_complex<ValueType>>(kernels::dense::make_complex<ValueType>, *this);
}
template <typename ValueType>
void Dense<ValueType>::make_complex(ptr_param<complex_type> output) const
{
    map_into<ValueType, to_complex<ValueType>>("Dense::make_complex", kernels::dense::make_complex<ValueType>, *this,
                                               output);
}

template <typename ValueType>
std::unique_ptr<typename Dense<ValueType>::real_type> Dense<ValueType>::get_real() const
{
    return map<remove_complex<ValueType>>(kernels::dense::get_real<ValueType>, *this);
}
template <typename ValueType>
void Dense<ValueType>::get_real(ptr_param<real_type> output) const
{
    map_into<ValueType, remove_complex<ValueType>>("Dense::get_real", kernels::dense::get_real<ValueType>, *this,
                                                   output);
}

template <typename ValueType>
std::unique_ptr<typename Dense<ValueType>::real_type> Dense<ValueType>::get_imag() const
{
    return map<remove_complex<ValueType>>(kernels::dense::get_imag<ValueType>, *this);
}
template <typename ValueType>
void Dense<ValueType>::get_imag(ptr_param<real_type> output) const
{
    map_into<ValueType, remove_complex<ValueType>>("Dense::get_imag", kernels::dense::get_imag<ValueType>, *this,
                                                   output);
}

template <typename ValueType>
void Dense<ValueType>::compute_absolute_inplace()
{
    kernels::dense::inplace_absolute<ValueType>(*this->get_executor(), *this);
}

template <typename ValueType>
std::unique_ptr<Diagonal<ValueType>> Dense<ValueType>::extract_diagonal() const
{
    auto result = Diagonal<ValueType>::create(this->get_executor(), std::min(this->get_size()[0], this->get_size()[1]));
    this->extract_diagonal(result.get());
    return result;
}
template <typename ValueType>
void Dense<ValueType>::extract_diagonal(ptr_param<Diagonal<ValueType>> output) const
{
    const auto length = std::min(this->get_size()[0], this->get_size()[1]);
    spruce::detail::require_equal_size("Dense::extract_diagonal", dim<2>{length, length}, output->get_size(), "output");
    const auto exec = this->get_executor();
    const spruce::detail::result_memory result{"Dense::extract_diagonal", *output, "output"};
    const auto self = result.separate(exec, this, "this");
    kernels::diagonal::extract_from_dense<ValueType>(*exec, *self, *make_temporary_clone(exec, output));
}

// Instantiates the members that this file defines.
#define SPRUCE_DENSE(_value) class SPRUCE_EXPORT Dense<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_DENSE);

}  // namespace spruce::matrix
