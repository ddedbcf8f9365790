// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <spruce/base/math.hpp>
#include <spruce/base/precision_dispatch.hpp>
#include <spruce/matrix/dense.hpp>

namespace spruce::detail {

/// Reports an operand of a type that the operation does not support. LinOp::apply() adds the
/// operator to the message.
class unsupported_operand : public NotSupported {
public:
    /// @param name  name of the operand
    unsupported_operand(const char* name, const LinOp& operand, const std::type_info& requested,
                        const std::type_info& also_possible);

    const std::string& get_reason() const noexcept { return reason_; }

private:
    explicit unsupported_operand(const std::string& reason);

    std::string reason_;
};

template <typename ValueType>
using converted_dense = temporary_conversion<matrix::Dense<ValueType>>;
template <typename ValueType>
using const_converted_dense = temporary_conversion<const matrix::Dense<ValueType>>;

/// Calls function(x) with x cast to its Dense type if x has higher precision than an operator of
/// ValueType. A complex x is only accepted if such an operator accepts complex vectors. Returns
/// true if function was called.
template <typename ValueType, typename Function>
bool visit_if_of_higher_precision(LinOp* x, Function function)
{
    using higher = next_precision<ValueType>;
    if constexpr (sizeof(higher) > sizeof(ValueType)) {
        const auto visit = [&](auto dense_x) {
            if (dense_x) {
                function(dense_x);
            }
            return dense_x != nullptr;
        };
        return visit(dynamic_cast<matrix::Dense<higher>*>(x)) ||
               (!is_complex<ValueType>() && visit(dynamic_cast<matrix::Dense<to_complex<higher>>*>(x)));
    } else {
        return false;
    }
}

/// Creates a 1 x 1 matrix on the executor without a copy from the host.
template <typename ValueType>
std::unique_ptr<const matrix::Dense<ValueType>> make_scalar(std::shared_ptr<const Executor> exec, ValueType value)
{
    auto result = matrix::Dense<ValueType>::create(std::move(exec), dim<2>{1});
    result->fill(value);
    return result;
}

/// Calls function(alpha, b, beta, x), which computes x = alpha op(b) + beta x. If x has a higher
/// precision than ValueType, function only computes op(b), and x is updated in its own precision.
/// @param use_of_x  update: function also reads x if beta is zero, as an initial guess
template <typename ValueType, typename Function>
void dispatch_dense(Function function, const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x,
                    access_mode use_of_x = access_mode::update)
{
    const auto is_done = visit_if_of_higher_precision<ValueType>(x, [&](auto precise_x) {
        using precise_type = typename std::decay_t<decltype(*precise_x)>::value_type;
        const auto exec = x->get_executor();
        const const_converted_dense<next_precision<ValueType>> precise_alpha{alpha, "alpha"};
        const const_converted_dense<next_precision<ValueType>> precise_beta{beta, "beta"};
        const auto product = matrix::Dense<next_precision<precise_type>>::create(exec, x->get_size());
        if (use_of_x == access_mode::update) {
            product->copy_from(precise_x);
        }
        precision_dispatch_real_complex<ValueType>(function, make_scalar(exec, one<ValueType>()).get(), b,
                                                   make_scalar(exec, zero<ValueType>()).get(), product.get());
        precise_x->scale(precise_beta.get());
        precise_x->add_scaled(precise_alpha.get(), product);
    });
    if (!is_done) {
        precision_dispatch_real_complex<ValueType>(function, alpha, b, beta, x);
    }
}

template <typename IndexType>
bool index_fits(size_type num)
{
    return num <= static_cast<size_type>(std::numeric_limits<IndexType>::max());
}

template <typename IndexType>
[[noreturn]] void throw_index_overflow(const std::string& what)
{
    throw OverflowError(__FILE__, __LINE__,
                        sizeof(IndexType) == sizeof(int32) ? "int32: " + what + " (use int64)" : "int64: " + what);
}

/// Checks that IndexType can represent num.
/// @throws OverflowError  if it cannot
template <typename IndexType>
void require_index_fits(size_type num)
{
    if (!index_fits<IndexType>(num)) {
        throw_index_overflow<IndexType>(std::to_string(num) + " entries");
    }
}

/// Checks that IndexType can represent the numbers of rows and columns of a sparse matrix; returns
/// the size.
/// @throws OverflowError  if it cannot
template <typename IndexType>
const dim<2>& require_index_fits(const dim<2>& size)
{
    if (!index_fits<IndexType>(size[0]) || !index_fits<IndexType>(size[1])) {
        throw_index_overflow<IndexType>("a matrix of " + std::to_string(size[0]) + " x " + std::to_string(size[1]));
    }
    return size;
}

}  // namespace spruce::detail
