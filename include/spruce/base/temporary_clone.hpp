// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <spruce/base/array.hpp>
#include <spruce/base/executor.hpp>
#include <spruce/base/pointers.hpp>
#include <spruce/matrix/formats.hpp>

namespace spruce {
namespace detail {

/// Copies an object, or an array, to exec.
template <typename T>
std::unique_ptr<T> clone_to(std::shared_ptr<const Executor> exec, const T* object)
{
    return spruce::clone(std::move(exec), object);
}
template <typename ValueType>
std::unique_ptr<array<ValueType>> clone_to(std::shared_ptr<const Executor> exec, const array<ValueType>* object)
{
    return std::make_unique<array<ValueType>>(std::move(exec), *object);
}

/// Creates an object like the given one on exec. Its contents are overwritten before they are read.
/// They are copied only if an object of its type cannot be created without them.
template <typename T>
std::unique_ptr<T> clone_for_output(std::shared_ptr<const Executor> exec, const T* object)
{
    return clone_to(std::move(exec), object);
}
template <typename ValueType>
std::unique_ptr<matrix::Dense<ValueType>> clone_for_output(std::shared_ptr<const Executor> exec,
                                                           const matrix::Dense<ValueType>* object)
{
    return matrix::Dense<ValueType>::create_with_type_of(object, std::move(exec), object->get_size());
}
template <typename ValueType>
std::unique_ptr<array<ValueType>> clone_for_output(std::shared_ptr<const Executor> exec, const array<ValueType>* object)
{
    return std::make_unique<array<ValueType>>(std::move(exec), object->get_size());
}

/// Copies the contents of a clone to the original.
template <typename T>
void copy_back(const T* clone, T* original)
{
    original->copy_from(clone);
}
template <typename ValueType>
void copy_back(const array<ValueType>* clone, array<ValueType>* original)
{
    *original = *clone;
}

/// Selects when a temporary_clone copies its object.
enum class cloning {
    if_elsewhere,         ///< if the executor cannot access the memory of the object
    output_if_elsewhere,  ///< if the executor cannot access the memory; the contents are overwritten, not copied
    always
};

/// Refers to an object if the executor can use it, otherwise to a copy of it. Unless T is
/// const, the destructor copies the copy back, except while an exception is propagating.
template <typename T>
class temporary_clone {
public:
    temporary_clone(std::shared_ptr<const Executor> exec, ptr_param<T> object, cloning when = cloning::if_elsewhere)
    {
        require_pointers("make_temporary_clone (the executor)", exec);
        if (!object || (when != cloning::always && exec->memory_accessible(object->get_executor()))) {
            handle_ = object.get();
            return;
        }
        const std::remove_const_t<T>* source = object.get();
        copy_ = when == cloning::output_if_elsewhere ? clone_for_output(std::move(exec), source)
                                                     : clone_to(std::move(exec), source);
        handle_ = copy_.get();
        if constexpr (!std::is_const_v<T>) {
            original_ = object.get();
        }
    }
    temporary_clone(temporary_clone&& other) noexcept
        : handle_{std::exchange(other.handle_, nullptr)},
          copy_{std::move(other.copy_)},
          original_{std::exchange(other.original_, nullptr)}
    {}
    temporary_clone& operator=(temporary_clone&&) = delete;
    ~temporary_clone() noexcept(false)
    {
        if constexpr (!std::is_const_v<T>) {
            if (original_ && std::uncaught_exceptions() == exceptions_) {
                copy_back(static_cast<const T*>(copy_.get()), original_);
            }
        }
    }

    T* get() const { return handle_; }
    T* operator->() const { return ptr_param<T>{handle_}.operator->(); }
    T& operator*() const { return *ptr_param<T>{handle_}; }
    explicit operator bool() const { return handle_ != nullptr; }

private:
    T* handle_{};
    std::unique_ptr<std::remove_const_t<T>> copy_;
    T* original_{};
    int exceptions_{std::uncaught_exceptions()};
};

}  // namespace detail

/// Gives access to an object or array on exec: to the object itself if exec can access its memory,
/// otherwise to a copy. Unless it is const, the copy is copied back when the result goes out of
/// scope. For a null pointer the result is null.
template <typename Ptr>
detail::temporary_clone<detail::pointee<Ptr>> make_temporary_clone(std::shared_ptr<const Executor> exec, Ptr&& ptr)
{
    return {std::move(exec), ptr_param<detail::pointee<Ptr>>(ptr)};
}

/// Gives access to a result that is overwritten completely, like make_temporary_clone(). It does
/// not copy the old contents of a Dense or an array to exec.
template <typename Ptr>
detail::temporary_clone<detail::pointee<Ptr>> make_temporary_output_clone(std::shared_ptr<const Executor> exec,
                                                                          Ptr&& ptr)
{
    static_assert(!std::is_const_v<detail::pointee<Ptr>>, "make_temporary_output_clone() takes what can be written");
    return {std::move(exec), ptr_param<detail::pointee<Ptr>>(ptr), detail::cloning::output_if_elsewhere};
}

namespace detail {

/// Names const R if T is const, otherwise R.
template <typename R, typename T>
using as_const_as = std::conditional_t<std::is_const_v<T>, const R, R>;

}  // namespace detail

/// Returns ptr if it is an R on exec already, otherwise a converted copy. The result is const if
/// the object of ptr is const.
template <typename R, typename T, typename Result = detail::as_const_as<R, T>>
std::unique_ptr<Result, std::function<void(Result*)>> copy_and_convert_to(std::shared_ptr<const Executor> exec, T* ptr)
{
    detail::require_pointers("copy_and_convert_to", exec, ptr);
    if (const auto same = dynamic_cast<Result*>(ptr); same && ptr->get_executor() == exec) {
        return {same, [](Result*) {}};
    }
    auto copy = std::remove_const_t<R>::create(std::move(exec));
    copy->copy_from(ptr);
    return {copy.release(), [](Result* owned) { delete owned; }};
}
template <typename R, typename T, typename Result = detail::as_const_as<R, T>>
std::shared_ptr<Result> copy_and_convert_to(std::shared_ptr<const Executor> exec, std::shared_ptr<T> ptr)
{
    detail::require_pointers("copy_and_convert_to", exec, ptr);
    if (const auto same = std::dynamic_pointer_cast<Result>(ptr); same && ptr->get_executor() == exec) {
        return same;
    }
    auto copy = std::remove_const_t<R>::create(std::move(exec));
    copy->copy_from(ptr.get());
    return copy;
}

}  // namespace spruce
