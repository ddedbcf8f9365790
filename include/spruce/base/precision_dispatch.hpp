// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <exception>
#include <memory>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <spruce/base/lin_op.hpp>
#include <spruce/base/math.hpp>
#include <spruce/base/pointers.hpp>
#include <spruce/matrix/dense.hpp>

/// Contains functions for operators whose code has one value type. If apply() is called with dense
/// matrices of either precision, the functions provide operands of that type.

namespace spruce {
namespace detail {

[[noreturn]] SPRUCE_EXPORT void throw_unsupported_operand(const char* name, const LinOp& operand,
                                                          const std::type_info& requested,
                                                          const std::type_info& also_possible);

/// Names const To if From is const, otherwise To.
template <typename From, typename To>
using with_const_of = std::conditional_t<std::is_const_v<From>, const To, To>;

/// Casts an operand that is not a Dense<ValueType> to a Dense of the other precision.
/// @throws NotSupported  if the operand is of neither type
template <typename ValueType, typename Operand>
auto as_other_precision(Operand* operand, const char* name)
{
    using other_dense = matrix::Dense<next_precision<ValueType>>;
    if (!operand) {
        throw_null_pointer(name);
    }
    const auto other = dynamic_cast<with_const_of<Operand, other_dense>*>(operand);
    if (!other) {
        throw_unsupported_operand(name, *operand, typeid(matrix::Dense<ValueType>), typeid(other_dense));
    }
    return other;
}

/// Specifies how an operand is written: changed, or overwritten completely.
enum class access_mode { update, overwrite };

/// Refers to an operand that is a Dense of this type, or to a converted copy of an operand in the
/// other precision. The destructor converts a copy back unless Dense is constant or an exception is
/// propagating.
template <typename Dense>
class temporary_conversion {
    using dense = std::remove_const_t<Dense>;
    using value_type = typename dense::value_type;
    using other_dense = with_const_of<Dense, matrix::Dense<next_precision<value_type>>>;

public:
    /// @param name  name of the operand for messages
    /// @throws NotSupported  if the operand is a Dense of neither precision, or null
    explicit temporary_conversion(with_const_of<Dense, LinOp>* operand, const char* name = "the operand",
                                  access_mode use = access_mode::update)
        : handle_{dynamic_cast<Dense*>(operand)}
    {
        if (handle_) {
            return;
        }
        original_ = as_other_precision<value_type>(operand, name);
        if (use == access_mode::update) {
            copy_ = dense::create(operand->get_executor());
            copy_->copy_from(original_);
        } else {
            copy_ = dense::create(operand->get_executor(), operand->get_size());
        }
        handle_ = copy_.get();
    }
    temporary_conversion(temporary_conversion&& other) noexcept
        : handle_{std::exchange(other.handle_, nullptr)},
          copy_{std::move(other.copy_)},
          original_{std::exchange(other.original_, nullptr)}
    {}
    temporary_conversion& operator=(temporary_conversion&&) = delete;
    ~temporary_conversion() noexcept(std::is_const_v<Dense>)
    {
        if constexpr (!std::is_const_v<Dense>) {
            if (original_ && std::uncaught_exceptions() == exceptions_) {
                original_->copy_from(copy_.get());
            }
        }
    }

    Dense* get() const { return handle_; }
    Dense* operator->() const { return handle_; }
    Dense& operator*() const { return *handle_; }
    explicit operator bool() const { return handle_ != nullptr; }

private:
    Dense* handle_;
    std::unique_ptr<dense> copy_;
    other_dense* original_{};
    int exceptions_{std::uncaught_exceptions()};
};

template <typename ValueType>
bool is_complex_dense(const LinOp* operand)
{
    return dynamic_cast<const matrix::Dense<to_complex<ValueType>>*>(operand) ||
           dynamic_cast<const matrix::Dense<next_precision<to_complex<ValueType>>>*>(operand);
}

/// Calls function(b, x) with Dense<ValueType> operands. Operands of the other precision are
/// converted. If ValueType is real and b is complex, function receives real matrices with twice as
/// many columns.
template <typename ValueType, typename Function>
void dispatch_dense(Function function, const LinOp* b, LinOp* x, access_mode use_of_x = access_mode::update)
{
    if constexpr (!is_complex<ValueType>()) {
        if (is_complex_dense<ValueType>(b)) {
            using complex_dense = matrix::Dense<to_complex<ValueType>>;
            const temporary_conversion<const complex_dense> complex_b{b, "b"};
            const temporary_conversion<complex_dense> complex_x{x, "x", use_of_x};
            function(complex_b->create_real_view().get(), complex_x->create_real_view().get());
            return;
        }
    }
    const temporary_conversion<const matrix::Dense<ValueType>> dense_b{b, "b"};
    const temporary_conversion<matrix::Dense<ValueType>> dense_x{x, "x", use_of_x};
    function(dense_b.get(), dense_x.get());
}

}  // namespace detail

/// Gives access to a Dense of either precision as a Dense<ValueType>, which is constant if the
/// operand is constant. The result refers to the operand itself or to a converted copy. The copy is
/// converted back when the result goes out of scope, unless it is constant or an exception is
/// propagating.
/// @throws NotSupported  for any other type of operand and for a null pointer
template <typename ValueType, typename Ptr>
detail::temporary_conversion<detail::with_const_of<detail::pointee<Ptr>, matrix::Dense<ValueType>>>
make_temporary_conversion(Ptr&& operand)
{
    return detail::temporary_conversion<detail::with_const_of<detail::pointee<Ptr>, matrix::Dense<ValueType>>>{
        ptr_param<detail::with_const_of<detail::pointee<Ptr>, LinOp>>{operand}.get()};
}

/// Calls function(operands...) with each operand converted by
/// make_temporary_conversion<ValueType>().
template <typename ValueType, typename Function, typename... Operands>
void precision_dispatch(Function function, Operands*... operands)
{
    const auto call = [&](const auto&... dense_operands) { function(dense_operands.get()...); };
    call(make_temporary_conversion<ValueType>(operands)...);
}

/// Calls function(b, x) with operands converted by make_temporary_conversion<ValueType>(). If
/// ValueType is real and b is complex, function receives b and x as real matrices with twice as
/// many columns. Real and imaginary parts are side by side.
template <typename ValueType, typename Function>
void precision_dispatch_real_complex(Function function, const LinOp* b, LinOp* x)
{
    detail::dispatch_dense<ValueType>(std::move(function), b, x);
}
/// Calls function(alpha, b, x). alpha is converted to Dense<ValueType>, and b and x are converted
/// as for function(b, x).
template <typename ValueType, typename Function>
void precision_dispatch_real_complex(Function function, const LinOp* alpha, const LinOp* b, LinOp* x)
{
    const detail::temporary_conversion<const matrix::Dense<ValueType>> dense_alpha{alpha, "alpha"};
    detail::dispatch_dense<ValueType>(
        [&](auto dense_b, auto dense_x) { function(dense_alpha.get(), dense_b, dense_x); }, b, x);
}
/// Calls function(alpha, b, beta, x). alpha and beta are converted to Dense<ValueType>, and b and x
/// are converted as for function(b, x).
template <typename ValueType, typename Function>
void precision_dispatch_real_complex(Function function, const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x)
{
    const detail::temporary_conversion<const matrix::Dense<ValueType>> dense_alpha{alpha, "alpha"};
    const detail::temporary_conversion<const matrix::Dense<ValueType>> dense_beta{beta, "beta"};
    detail::dispatch_dense<ValueType>(
        [&](auto dense_b, auto dense_x) { function(dense_alpha.get(), dense_b, dense_beta.get(), dense_x); }, b, x);
}

}  // namespace spruce
