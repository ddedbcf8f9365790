// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <spruce/base/exception.hpp>
#include <spruce/base/types.hpp>

namespace spruce {

class Executor;

namespace detail {

template <typename Pointer>
using pointee = std::remove_reference_t<decltype(*std::declval<Pointer>())>;

template <typename Pointer>
struct is_owning_pointer : std::false_type {};
template <typename T, typename Deleter>
struct is_owning_pointer<std::unique_ptr<T, Deleter>> : std::true_type {};
template <typename T>
struct is_owning_pointer<std::shared_ptr<T>> : std::true_type {};

[[noreturn]] SPRUCE_EXPORT void throw_bad_cast(const std::type_info& found, const std::type_info& requested);
[[noreturn]] SPRUCE_EXPORT void throw_null_pointer(const char* function);
[[noreturn]] SPRUCE_EXPORT void throw_null_parameter(const std::type_info& type);

/// Checks that none of the pointers is null.
/// @throws NotSupported  if a pointer is null
template <typename... Pointers>
void require_pointers(const char* function, const Pointers&... pointers)
{
    if (!(static_cast<bool>(pointers) && ...)) {
        throw_null_pointer(function);
    }
}

}  // namespace detail

/// Refers to an object of type T or of a class derived from T, without owning it. A parameter of
/// this type takes a raw pointer or any smart pointer. It may be null; then * and -> throw
/// NotSupported.
template <typename T>
class ptr_param {
public:
    ptr_param(T* ptr) : ptr_{ptr} {}
    template <typename U, std::enable_if_t<std::is_convertible_v<U*, T*>>* = nullptr>
    ptr_param(const std::shared_ptr<U>& ptr) : ptr_{ptr.get()}
    {}
    template <typename U, typename Deleter, std::enable_if_t<std::is_convertible_v<U*, T*>>* = nullptr>
    ptr_param(const std::unique_ptr<U, Deleter>& ptr) : ptr_{ptr.get()}
    {}
    template <typename U, std::enable_if_t<std::is_convertible_v<U*, T*>>* = nullptr>
    ptr_param(const ptr_param<U>& ptr) : ptr_{ptr.get()}
    {}
    ptr_param(const ptr_param&) = default;
    ptr_param(ptr_param&&) = default;
    ptr_param& operator=(const ptr_param&) = delete;
    ptr_param& operator=(ptr_param&&) = delete;

    T& operator*() const { return *this->operator->(); }
    T* operator->() const
    {
        if (!ptr_) {
            detail::throw_null_parameter(typeid(T));
        }
        return ptr_;
    }
    T* get() const { return ptr_; }
    explicit operator bool() const { return ptr_ != nullptr; }

private:
    T* ptr_;
};

/// Copies the object that the pointer points to. The copy has the same dynamic type. It is on the
/// executor of the original, or on exec if an executor is given.
/// @throws NotSupported  for a null pointer
template <typename Pointer>
inline std::unique_ptr<std::remove_cv_t<detail::pointee<Pointer>>> clone(const Pointer& p)
{
    using type = std::remove_cv_t<detail::pointee<Pointer>>;
    detail::require_pointers("clone", p);
    return std::unique_ptr<type>(static_cast<type*>(p->clone().release()));
}
template <typename Pointer>
inline std::unique_ptr<std::remove_cv_t<detail::pointee<Pointer>>> clone(std::shared_ptr<const Executor> exec,
                                                                         const Pointer& p)
{
    using type = std::remove_cv_t<detail::pointee<Pointer>>;
    detail::require_pointers("clone", exec, p);
    return std::unique_ptr<type>(static_cast<type*>(p->clone(std::move(exec)).release()));
}

/// Turns an owning pointer, which the caller gives up, into a shared pointer.
template <typename OwningPointer>
inline std::shared_ptr<detail::pointee<OwningPointer>> share(OwningPointer&& p)
{
    static_assert(detail::is_owning_pointer<std::decay_t<OwningPointer>>::value, "share() takes an owning pointer");
    static_assert(std::is_rvalue_reference_v<decltype(p)>, "share() takes a temporary or std::move(pointer)");
    return std::move(p);
}

/// Returns std::move(p). Takes owning pointers only.
template <typename OwningPointer>
inline std::remove_reference_t<OwningPointer>&& give(OwningPointer&& p)
{
    static_assert(detail::is_owning_pointer<std::decay_t<OwningPointer>>::value, "give() takes an owning pointer");
    return static_cast<std::remove_reference_t<OwningPointer>&&>(p);
}

/// Returns the plain pointer. Functions of the library take smart pointers directly, so they do not
/// need it.
template <typename Pointer>
inline std::enable_if_t<detail::is_owning_pointer<std::decay_t<Pointer>>::value, detail::pointee<Pointer>*> lend(
    const Pointer& p)
{
    return p.get();
}
template <typename T>
inline T* lend(T* p)
{
    return p;
}

/// Casts to a derived class.
/// @throws NotSupported  if the object is not of that class
template <typename T, typename U>
inline std::decay_t<T>* as(U* p)
{
    if (auto result = dynamic_cast<std::decay_t<T>*>(p)) {
        return result;
    }
    detail::throw_bad_cast(p ? typeid(*p) : typeid(std::nullptr_t), typeid(T));
}
template <typename T, typename U>
inline const std::decay_t<T>* as(const U* p)
{
    if (auto result = dynamic_cast<const std::decay_t<T>*>(p)) {
        return result;
    }
    detail::throw_bad_cast(p ? typeid(*p) : typeid(std::nullptr_t), typeid(T));
}
template <typename T, typename U>
inline std::decay_t<T>* as(ptr_param<U> p)
{
    return as<T>(p.get());
}
template <typename T, typename U>
inline const std::decay_t<T>* as(ptr_param<const U> p)
{
    return as<T>(p.get());
}
template <typename T, typename U>
inline std::unique_ptr<std::decay_t<T>> as(std::unique_ptr<U>&& p)
{
    auto result = as<T>(p.get());
    p.release();
    return std::unique_ptr<std::decay_t<T>>(result);
}
template <typename T, typename U>
inline std::shared_ptr<std::decay_t<T>> as(std::shared_ptr<U> p)
{
    auto result = as<T>(p.get());
    return std::shared_ptr<std::decay_t<T>>(std::move(p), result);
}
template <typename T, typename U>
inline std::shared_ptr<const std::decay_t<T>> as(std::shared_ptr<const U> p)
{
    auto result = as<T>(p.get());
    return std::shared_ptr<const std::decay_t<T>>(std::move(p), result);
}

/// Releases nothing: the deleter of pointers that do not own their object.
template <typename T>
class null_deleter {
public:
    void operator()(T*) const noexcept {}
};
template <typename T>
class null_deleter<T[]> {
public:
    void operator()(T*) const noexcept {}
};

}  // namespace spruce
