// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include <spruce/base/executor.hpp>

namespace spruce {

/// Contains the kernels of the library, and those of applications that use
/// SPRUCE_REGISTER_OPERATION.
namespace kernels {
namespace reference {}
namespace omp {}
namespace cuda {}
namespace hip {}
}  // namespace kernels

namespace detail {

/// Calls function(executor, args...) on every kind of executor. Lvalue arguments are stored as
/// references, others as values. The operation may be stored and run again while the referenced
/// objects exist.
template <typename Function, typename... Args>
class registered_operation final : public Operation {
public:
    template <typename... Given>
    registered_operation(const char* name, Function function, Given&&... args)
        : name_{name}, function_{std::move(function)}, args_{std::forward<Given>(args)...}
    {}

    void run(std::shared_ptr<const ReferenceExecutor> exec) const override { this->call(exec); }
    void run(std::shared_ptr<const OmpExecutor> exec) const override { this->call(exec); }
    void run(std::shared_ptr<const CudaExecutor> exec) const override { this->call(exec); }
    void run(std::shared_ptr<const HipExecutor> exec) const override { this->call(exec); }
    const char* get_name() const noexcept override { return name_; }

private:
    template <typename ExecutorType>
    void call(const std::shared_ptr<const ExecutorType>& exec) const
    {
        std::apply([&](auto&... args) { function_(exec, args...); }, args_);
    }

    const char* name_;
    Function function_;
    std::tuple<Args...> args_;
};

template <typename... Args, typename Function>
registered_operation<Function, Args...> make_registered_operation(const char* name, Function function, Args&&... args)
{
    return {name, std::move(function), std::forward<Args>(args)...};
}

template <typename Pointer, typename ExecutorType>
inline constexpr bool points_to = std::is_same_v<typename std::decay_t<Pointer>::element_type, const ExecutorType>;

}  // namespace detail
}  // namespace spruce

/// Defines a function template make_name(args...) that returns an Operation for Executor::run(). On
/// a ReferenceExecutor the operation calls spruce::kernels::reference::kernel(exec, args...). On
/// other executors it calls the kernel in the namespace omp, cuda or hip. exec is a shared pointer
/// to the constant executor. All four kernels have to be declared before. _kernel may be qualified
/// (csr::spmv) and is also the name that loggers receive. Lvalue arguments are stored as
/// references, others as constant values.
#define SPRUCE_REGISTER_OPERATION(...) SPRUCE_REGISTER_OPERATION_IN(::spruce::kernels, __VA_ARGS__)

/// Defines make_name(args...) like SPRUCE_REGISTER_OPERATION. The namespaces reference, omp, cuda
/// and hip are in _namespace instead of spruce::kernels.
#define SPRUCE_REGISTER_OPERATION_IN(_namespace, _name, _kernel)                                     \
    template <typename... Args>                                                                      \
    auto make_##_name(Args&&... args)                                                                \
    {                                                                                                \
        return ::spruce::detail::make_registered_operation<Args...>(                                 \
            #_kernel,                                                                                \
            [](const auto& exec, auto&... arg) {                                                     \
                using pointer = decltype(exec);                                                      \
                if constexpr (::spruce::detail::points_to<pointer, ::spruce::ReferenceExecutor>) {   \
                    _namespace::reference::_kernel(exec, arg...);                                    \
                } else if constexpr (::spruce::detail::points_to<pointer, ::spruce::OmpExecutor>) {  \
                    _namespace::omp::_kernel(exec, arg...);                                          \
                } else if constexpr (::spruce::detail::points_to<pointer, ::spruce::CudaExecutor>) { \
                    _namespace::cuda::_kernel(exec, arg...);                                         \
                } else {                                                                             \
                    _namespace::hip::_kernel(exec, arg...);                                          \
                }                                                                                    \
            },                                                                                       \
            std::forward<Args>(args)...);                                                            \
    }                                                                                                \
    static_assert(true, "ends with a semicolon")

/// Defines make_name(args...) for work that the host does for every kind of executor. The operation
/// calls function(args...). The name of the function is also the name that loggers receive.
#define SPRUCE_REGISTER_HOST_OPERATION(_name, _function)                                                    \
    template <typename... Args>                                                                             \
    auto make_##_name(Args&&... args)                                                                       \
    {                                                                                                       \
        return ::spruce::detail::make_registered_operation<Args...>(                                        \
            #_function, [](const auto&, auto&... arg) { _function(arg...); }, std::forward<Args>(args)...); \
    }                                                                                                       \
    static_assert(true, "ends with a semicolon")
