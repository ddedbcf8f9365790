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
#include <spruce/matrix/dense.hpp>

namespace spruce::detail {

/// An operand of a type that the operation cannot handle. LinOp::apply() says which operator it was.
class wrong_operand : public NotSupported {
public:
    /// @param name  of the operand
    wrong_operand(const char* name, const LinOp& operand, const std::type_info& wanted,
                  const std::type_info& also_possible);

    const std::string& get_reason() const noexcept { return reason_; }

private:
    explicit wrong_operand(const std::string& reason);

    std::string reason_;
};

/// An operand that is no Dense<ValueType> as one of the other precision. @throws wrong_operand  if it is neither
template <typename ValueType, typename Operand>
auto as_other_precision(Operand* operand, const char* name)
{
    using other_dense = matrix::Dense<next_precision<ValueType>>;
    if (!operand) {
        throw_null_pointer(name);
    }
    const auto other =
        dynamic_cast<std::conditional_t<std::is_const_v<Operand>, const other_dense, other_dense>*>(operand);
    if (!other) {
        throw wrong_operand(name, *operand, typeid(matrix::Dense<ValueType>), typeid(other_dense));
    }
    return other;
}

/// What becomes of an operand: changed, or overwritten completely.
enum class operand_use { update, overwrite };

/// A Dense<ValueType> in place of an operand: the operand itself, or one of the other precision's size: a converted copy, if it is
/// to be updated. It is converted back at the end unless an exception is under way.
/// @throws NotSupported  for any other type
template <typename ValueType>
class dense_operand {
public:
    using dense = matrix::Dense<ValueType>;
    using other_dense = matrix::Dense<next_precision<ValueType>>;

    explicit dense_operand(LinOp* operand, const char* name, operand_use use = operand_use::update)
    {
        if (const auto same = dynamic_cast<dense*>(operand)) {
            handle_ = same;
            return;
        }
        original_ = as_other_precision<ValueType>(operand, name);
        if (use == operand_use::update) {
            copy_ = dense::create(operand->get_executor());
            copy_->copy_from(original_);
        } else {
            copy_ = dense::create(operand->get_executor(), operand->get_size());
        }
        handle_ = copy_.get();
    }
    dense_operand(const dense_operand&) = delete;
    ~dense_operand() noexcept(false)
    {
        if (original_ && std::uncaught_exceptions() == exceptions_) {
            original_->copy_from(copy_.get());
        }
    }
    dense* get() const { return handle_; }

private:
    dense* handle_{};
    std::unique_ptr<dense> copy_;
    other_dense* original_{};
    int exceptions_{std::uncaught_exceptions()};
};

template <typename ValueType>
class const_dense_operand {
public:
    using dense = matrix::Dense<ValueType>;

    explicit const_dense_operand(const LinOp* operand, const char* name = "the operand")
        : handle_{dynamic_cast<const dense*>(operand)}
    {
        if (!handle_) {
            const auto other = as_other_precision<ValueType>(operand, name);
            copy_ = dense::create(operand->get_executor());
            copy_->copy_from(other);
            handle_ = copy_.get();
        }
    }
    const dense* get() const { return handle_; }

private:
    const dense* handle_;
    std::unique_ptr<dense> copy_;
};

template <typename ValueType>
bool is_complex_dense(const LinOp* operand)
{
    return dynamic_cast<const matrix::Dense<to_complex<ValueType>>*>(operand) ||
           dynamic_cast<const matrix::Dense<next_precision<to_complex<ValueType>>>*>(operand);
}

/// Calls function(b, x) with Dense<ValueType> operands: converted where the precision differs; a real operator on complex
/// vectors sees them as twice as many real columns.
template <typename ValueType, typename Function>
void dispatch_dense(Function function, const LinOp* b, LinOp* x, operand_use use_of_x = operand_use::update)
{
    if constexpr (!is_complex<ValueType>()) {
        if (is_complex_dense<ValueType>(b)) {
            const const_dense_operand<to_complex<ValueType>> complex_b{b, "b"};
            const dense_operand<to_complex<ValueType>> complex_x{x, "x", use_of_x};
            function(complex_b.get()->create_real_view().get(), complex_x.get()->create_real_view().get());
            return;
        }
    }
    const const_dense_operand<ValueType> dense_b{b, "b"};
    const dense_operand<ValueType> dense_x{x, "x", use_of_x};
    function(dense_b.get(), dense_x.get());
}

/// Calls function(x) with x as the Dense that it is, if it has higher precision than an operator of ValueType and is complex only
/// where such an operator takes complex vectors. Returns whether it is so.
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

/// A 1 x 1 matrix, made on the executor without a copy from the host.
template <typename ValueType>
std::unique_ptr<const matrix::Dense<ValueType>> make_scalar(std::shared_ptr<const Executor> exec, ValueType value)
{
    auto result = matrix::Dense<ValueType>::create(std::move(exec), dim<2>{1});
    result->fill(value);
    return result;
}

/// The same with scalars: function(alpha, b, beta, x), which does x = alpha op(b) + beta x. An x of higher precision keeps it:
/// function computes op(b) alone, and x is updated in its own precision.
/// @param use_of_x  update: function reads x where beta is zero, too, as an initial guess
template <typename ValueType, typename Function>
void dispatch_dense(Function function, const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x,
                    operand_use use_of_x = operand_use::update)
{
    const auto run = [&](const LinOp* some_alpha, const LinOp* some_beta, LinOp* some_x) {
        const const_dense_operand<ValueType> dense_alpha{some_alpha, "alpha"};
        const const_dense_operand<ValueType> dense_beta{some_beta, "beta"};
        dispatch_dense<ValueType>(
            [&](auto dense_b, auto dense_x) { function(dense_alpha.get(), dense_b, dense_beta.get(), dense_x); }, b,
            some_x);
    };
    const auto is_done = visit_if_of_higher_precision<ValueType>(x, [&](auto precise_x) {
        using precise_type = typename std::decay_t<decltype(*precise_x)>::value_type;
        const auto exec = x->get_executor();
        const const_dense_operand<next_precision<ValueType>> precise_alpha{alpha, "alpha"};
        const const_dense_operand<next_precision<ValueType>> precise_beta{beta, "beta"};
        const auto product = matrix::Dense<next_precision<precise_type>>::create(exec, x->get_size());
        if (use_of_x == operand_use::update) {
            product->copy_from(precise_x);
        }
        run(make_scalar(exec, one<ValueType>()).get(), make_scalar(exec, zero<ValueType>()).get(), product.get());
        precise_x->scale(precise_beta.get());
        precise_x->add_scaled(precise_alpha.get(), product);
    });
    if (!is_done) {
        run(alpha, beta, x);
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

/// Whether num fits IndexType. @throws OverflowError  otherwise
template <typename IndexType>
void require_index_fits(size_type num)
{
    if (!index_fits<IndexType>(num)) {
        throw_index_overflow<IndexType>(std::to_string(num) + " entries");
    }
}

/// The size of a sparse matrix, whose rows and columns have to be counted in IndexType. @throws OverflowError  otherwise
template <typename IndexType>
const dim<2>& require_index_fits(const dim<2>& size)
{
    if (!index_fits<IndexType>(size[0]) || !index_fits<IndexType>(size[1])) {
        throw_index_overflow<IndexType>("a matrix of " + std::to_string(size[0]) + " x " + std::to_string(size[1]));
    }
    return size;
}

}  // namespace spruce::detail
