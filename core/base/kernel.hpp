// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <typeinfo>

#include <spruce/base/executor.hpp>

namespace spruce {
namespace detail {

constexpr int num_backends = 4;

template <typename ExecutorType>
constexpr backend backend_of();
template <>
constexpr backend backend_of<ReferenceExecutor>()
{
    return backend::reference;
}
template <>
constexpr backend backend_of<OmpExecutor>()
{
    return backend::omp;
}
template <>
constexpr backend backend_of<CudaExecutor>()
{
    return backend::cuda;
}
template <>
constexpr backend backend_of<HipExecutor>()
{
    return backend::hip;
}

[[noreturn]] SPRUCE_EXPORT void throw_not_implemented(backend which, const char* kernel,
                                                      const std::type_info& signature);

/// Describes a kernel of the kernel table to loggers.
class SPRUCE_EXPORT KernelOperation final : public Operation {
public:
    explicit KernelOperation(const char* name) : name_{name} {}
    ~KernelOperation() override;
    const char* get_name() const noexcept override { return name_; }

private:
    const char* name_;
};

/// Holds the part of a kernel's entry that does not depend on its signature: its name and the list
/// of all entries that some backend has set. Tests use the list to find kernels that a backend
/// lacks.
class SPRUCE_EXPORT KernelBase {
public:
    const char* get_name() const noexcept { return name_; }
    bool is_set(backend which) const noexcept { return functions_[static_cast<int>(which)] != nullptr; }
    virtual const std::type_info& get_signature() const noexcept = 0;
    const KernelBase* get_next() const noexcept { return next_; }
    static const KernelBase* get_first() noexcept;

protected:
    using erased_function = void (*)();

    constexpr explicit KernelBase(const char* name) : name_{name} {}
    ~KernelBase() = default;
    void set_erased(backend which, erased_function function) noexcept;

    const char* name_;
    std::array<erased_function, num_backends> functions_{};

private:
    const KernelBase* next_{};
    bool listed_{};
};

}  // namespace detail

template <typename Signature>
class Kernel;

/// Holds one kernel with a function for each backend. Kernels are declared as inline variable
/// templates in core/*/..._kernels.hpp, set when a backend is loaded, and called by the core. They
/// are constant-initialized and therefore usable during dynamic initialization.
template <typename... Args>
class SPRUCE_EXPORT Kernel<void(Args...)> final : public detail::KernelBase {
public:
    constexpr explicit Kernel(const char* name) : KernelBase{name} {}

    /// Calls the function of the executor's backend; sets the device and notifies the loggers.
    /// @throws NotImplemented  if the backend has no function for these types
    void operator()(const Executor& exec, Args... args) const
    {
        const auto index = static_cast<int>(exec.get_backend());
        if (!functions_[index]) {
            detail::throw_not_implemented(exec.get_backend(), name_, this->get_signature());
        }
        const detail::KernelOperation operation{name_};
        const Executor::operation_scope scope{exec, operation};
        adapters_[index](functions_[index], exec, args...);
    }

    template <typename ExecutorType>
    void set(void (*function)(const ExecutorType&, Args...)) noexcept
    {
        constexpr auto which = detail::backend_of<ExecutorType>();
        adapters_[static_cast<int>(which)] = [](erased_function erased, const Executor& exec, Args... args) {
            reinterpret_cast<void (*)(const ExecutorType&, Args...)>(erased)(static_cast<const ExecutorType&>(exec),
                                                                             args...);
        };
        this->set_erased(which, reinterpret_cast<erased_function>(function));
    }

    const std::type_info& get_signature() const noexcept override { return typeid(void(Args...)); }

private:
    std::array<void (*)(erased_function, const Executor&, Args...), detail::num_backends> adapters_{};
};

namespace detail {

template <typename... T>
struct type_list {};
template <typename T>
struct type_tag {
    using type = T;
};
template <typename V, typename I>
struct value_and_index_type {
    using value_type = V;
    using index_type = I;
};

#if SPRUCE_TYPES_MINIMAL
using value_types = type_list<double>;
using index_types = type_list<int32>;
#else
using value_types = type_list<float, double, std::complex<float>, std::complex<double>>;
using index_types = type_list<int32, int64>;
#endif

template <typename Function, typename... T>
void for_each_type(type_list<T...>, Function&& function)
{
    (function(type_tag<T>{}), ...);
}

}  // namespace detail

/// Calls function(tag) for each value type of the library, which is decltype(tag)::type.
template <typename Function>
void for_each_value_type(Function&& function)
{
    detail::for_each_type(detail::value_types{}, function);
}
template <typename Function>
void for_each_index_type(Function&& function)
{
    detail::for_each_type(detail::index_types{}, function);
}
/// Calls function(tag) for each pair of decltype(tag)::value_type and decltype(tag)::index_type.
template <typename Function>
void for_each_value_and_index_type(Function&& function)
{
    for_each_value_type([&](auto value) {
        for_each_index_type([&](auto index) {
            function(detail::value_and_index_type<typename decltype(value)::type, typename decltype(index)::type>{});
        });
    });
}

}  // namespace spruce
