// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include <spruce/base/executor.hpp>

namespace spruce {

/// Holds the library's kernels, and those of an application that SPRUCE_REGISTER_OPERATION calls.
namespace kernels {
namespace reference {}
namespace omp {}
namespace cuda {}
namespace hip {}
}  // namespace kernels

namespace detail {

/// Calls function(executor, args...) on every kind of executor. Arguments that were lvalues are referred to, others kept:
/// the operation may be stored and run again as long as what it refers to lives.
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

/// Defines a function template make_name(args...), which gives an Operation to pass to Executor::run(). It calls
/// spruce::kernels::reference::kernel(exec, args...) on a ReferenceExecutor, and the same in omp, cuda and hip; exec is a
/// shared pointer to the constant executor. All four have to be declared before. _kernel, which may be qualified
/// (csr::spmv), is also the name that loggers see. Lvalues are referred to, other arguments are kept as constants.
#define SPRUCE_REGISTER_OPERATION(...) SPRUCE_REGISTER_OPERATION_IN(::spruce::kernels, __VA_ARGS__)

/// As SPRUCE_REGISTER_OPERATION, with the namespaces reference, omp, cuda and hip in another one than spruce::kernels.
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

/// Defines make_name(args...) as SPRUCE_REGISTER_OPERATION does, for work that the host does whatever the executor: it calls
/// function(args...), which is also the name that loggers see.
#define SPRUCE_REGISTER_HOST_OPERATION(_name, _function)                                                    \
    template <typename... Args>                                                                             \
    auto make_##_name(Args&&... args)                                                                       \
    {                                                                                                       \
        return ::spruce::detail::make_registered_operation<Args...>(                                        \
            #_function, [](const auto&, auto&... arg) { _function(arg...); }, std::forward<Args>(args)...); \
    }                                                                                                       \
    static_assert(true, "ends with a semicolon")
