// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <spruce/base/polymorphic_object.hpp>

namespace spruce {

/// Creates objects from components on one executor.
template <typename AbstractProduct, typename Components>
class AbstractFactory : public EnableAbstractPolymorphicObject<AbstractFactory<AbstractProduct, Components>> {
public:
    using abstract_product_type = AbstractProduct;
    using components_type = Components;

    explicit AbstractFactory(std::shared_ptr<const Executor> exec)
        : EnableAbstractPolymorphicObject<AbstractFactory>(std::move(exec))
    {}

    template <typename... Args>
    std::unique_ptr<AbstractProduct> generate(Args&&... args) const
    {
        auto product = this->generate_impl(Components{std::forward<Args>(args)...});
        for (const auto& logger : this->loggers_) {
            product->add_logger(logger);
        }
        return product;
    }

protected:
    virtual std::unique_ptr<AbstractProduct> generate_impl(Components components) const = 0;
};

/// Implements a factory of ConcreteProduct, with its parameters.
template <typename ConcreteFactory, typename ConcreteProduct, typename Parameters, typename Base>
class EnableDefaultFactory : public EnablePolymorphicObject<ConcreteFactory, Base>,
                             public EnablePolymorphicAssignment<ConcreteFactory> {
public:
    using product_type = ConcreteProduct;
    using parameters_type = Parameters;
    using components_type = typename Base::components_type;

    template <typename... Args>
    std::unique_ptr<ConcreteProduct> generate(Args&&... args) const
    {
        auto product = Base::generate(std::forward<Args>(args)...);
        return std::unique_ptr<ConcreteProduct>(static_cast<ConcreteProduct*>(product.release()));
    }

    const parameters_type& get_parameters() const noexcept { return parameters_; }
    static parameters_type create() { return {}; }

protected:
    explicit EnableDefaultFactory(std::shared_ptr<const Executor> exec, const parameters_type& parameters = {})
        : EnablePolymorphicObject<ConcreteFactory, Base>(std::move(exec)), parameters_{parameters}
    {}

    std::unique_ptr<typename Base::abstract_product_type> generate_impl(components_type components) const override
    {
        return std::unique_ptr<typename Base::abstract_product_type>(
            new ConcreteProduct(static_cast<const ConcreteFactory*>(this), std::move(components)));
    }

private:
    parameters_type parameters_;
};

/// Holds a factory that is not bound to an executor yet. It is given as a finished factory, or as
/// parameters with a member function on(exec).
template <typename FactoryType>
class deferred_factory_parameter {
public:
    deferred_factory_parameter() = default;
    deferred_factory_parameter(std::nullptr_t) : generator_{[](std::shared_ptr<const Executor>) { return nullptr; }} {}

    template <typename Derived, std::enable_if_t<std::is_base_of_v<FactoryType, Derived>>* = nullptr>
    deferred_factory_parameter(std::shared_ptr<Derived> factory)
        : deferred_factory_parameter(finished{}, std::move(factory))
    {}
    template <typename Derived, typename Deleter, std::enable_if_t<std::is_base_of_v<FactoryType, Derived>>* = nullptr>
    deferred_factory_parameter(std::unique_ptr<Derived, Deleter> factory)
        : deferred_factory_parameter(finished{}, std::move(factory))
    {}
    template <typename Parameters,
              typename = decltype(std::declval<const Parameters&>().on(std::shared_ptr<const Executor>{}))>
    deferred_factory_parameter(Parameters parameters)
        : generator_{[parameters](std::shared_ptr<const Executor> exec) -> std::shared_ptr<const FactoryType> {
              return parameters.on(exec);
          }}
    {}

    std::shared_ptr<const FactoryType> on(std::shared_ptr<const Executor> exec) const
    {
        if (this->is_empty()) {
            throw NotSupported(__FILE__, __LINE__, "deferred_factory_parameter::on", "an empty parameter");
        }
        return generator_(std::move(exec));
    }
    bool is_empty() const { return !generator_; }

private:
    struct finished {};
    deferred_factory_parameter(finished, std::shared_ptr<const FactoryType> factory)
        : generator_{[factory](std::shared_ptr<const Executor>) { return factory; }}
    {}

    std::function<std::shared_ptr<const FactoryType>(std::shared_ptr<const Executor>)> generator_;
};

namespace detail {

/// Holds those parameters of a factory that are factories, until the executor is known.
class SPRUCE_EXPORT deferred_parameters {
protected:
    /// Creates one factory, and stores it in the concrete parameters at this address.
    using resolver = std::function<void(const std::shared_ptr<const Executor>& exec, void* parameters)>;

    /// Stores how a parameter is created. A later call for this name replaces an earlier one.
    void defer(const char* name, resolver resolve);
    /// Stores a factory and a function that returns the member for it, given the address of the
    /// concrete parameters. That function is not deduced, so that it can be a lambda.
    template <typename FactoryType>
    void defer(const char* name, deferred_factory_parameter<FactoryType> value,
               std::add_pointer_t<std::shared_ptr<const FactoryType>&(void*)> member)
    {
        this->defer(name, resolver{[value, member](const std::shared_ptr<const Executor>& exec, void* parameters) {
                        member(parameters) = value.on(exec);
                    }});
    }
    /// Stores a list of factories and a function that returns the member for it.
    template <typename FactoryType>
    void defer(const char* name, std::vector<deferred_factory_parameter<FactoryType>> values,
               std::add_pointer_t<std::vector<std::shared_ptr<const FactoryType>>&(void*)> member)
    {
        this->defer(name, resolver{[values, member](const std::shared_ptr<const Executor>& exec, void* parameters) {
                        auto& result = member(parameters);
                        result.clear();
                        for (const auto& value : values) {
                            result.push_back(value.on(exec));
                        }
                    }});
    }

    /// Creates all of them, and stores them in the concrete parameters at this address.
    void resolve(const std::shared_ptr<const Executor>& exec, void* parameters) const;

private:
    std::vector<std::pair<std::string, resolver>> deferred_;
};

}  // namespace detail

/// Provides the base of the parameters of a factory. with_<name>() sets a parameter, and on(exec)
/// creates the factory.
template <typename ConcreteParameters, typename Factory>
class enable_parameters_type : protected detail::deferred_parameters {
public:
    using factory = Factory;
    std::vector<std::shared_ptr<const log::Logger>> loggers{};

    template <typename... Loggers>
    ConcreteParameters& with_loggers(Loggers&&... values)
    {
        loggers = {std::forward<Loggers>(values)...};
        return *this->self();
    }

    std::unique_ptr<Factory> on(std::shared_ptr<const Executor> exec) const
    {
        auto parameters = *this->self();
        this->resolve(exec, &parameters);
        auto result = std::unique_ptr<Factory>(new Factory(exec, parameters));
        for (const auto& logger : loggers) {
            result->add_logger(logger);
        }
        return result;
    }

protected:
    ConcreteParameters* self() { return static_cast<ConcreteParameters*>(this); }
    const ConcreteParameters* self() const { return static_cast<const ConcreteParameters*>(this); }
};

namespace detail {

template <typename T>
struct is_vector : std::false_type {};
template <typename T>
struct is_vector<std::vector<T>> : std::true_type {};

/// Converts one vector, or a list of factories and parameters, to a vector of deferred parameters.
template <typename FactoryType, typename First, typename... Rest>
std::vector<deferred_factory_parameter<FactoryType>> to_deferred_list(First&& first, Rest&&... rest)
{
    if constexpr (is_vector<std::decay_t<First>>::value) {
        static_assert(sizeof...(Rest) == 0, "either one vector or a list");
        return {first.begin(), first.end()};
    } else {
        return {deferred_factory_parameter<FactoryType>(std::forward<First>(first)),
                deferred_factory_parameter<FactoryType>(std::forward<Rest>(rest))...};
    }
}

template <typename Member>
struct factory_of;
template <typename FactoryType>
struct factory_of<std::shared_ptr<const FactoryType>> {
    using type = FactoryType;
};
template <typename FactoryType>
struct factory_of<std::vector<std::shared_ptr<const FactoryType>>> {
    using type = FactoryType;
};

}  // namespace detail

/// Begins the parameters of a class: a struct whose name has the suffix _type. The members follow
/// in braces.
#define SPRUCE_CREATE_FACTORY_PARAMETERS(_parameters_name, _factory_name) \
public:                                                                   \
    class _factory_name;                                                  \
    struct _parameters_name##_type : public ::spruce::enable_parameters_type<_parameters_name##_type, _factory_name>

/// Declares a parameter and a function with_name(values...). Usage:
/// T SPRUCE_FACTORY_PARAMETER(name, defaults...);
#define SPRUCE_FACTORY_PARAMETER(_name, ...)                     \
    _name{__VA_ARGS__};                                          \
    template <typename... Args>                                  \
    auto with_##_name(Args&&... values)->decltype(*this->self()) \
    {                                                            \
        this->_name = {std::forward<Args>(values)...};           \
        return *this->self();                                    \
    }
#define SPRUCE_FACTORY_PARAMETER_SCALAR(_name, _default)                            \
    _name{_default};                                                                \
    template <typename Arg>                                                         \
    auto with_##_name(Arg&& value)->decltype(*this->self())                         \
    {                                                                               \
        this->_name = static_cast<decltype(this->_name)>(std::forward<Arg>(value)); \
        return *this->self();                                                       \
    }
#define SPRUCE_FACTORY_PARAMETER_VECTOR(_name, ...) SPRUCE_FACTORY_PARAMETER(_name, __VA_ARGS__)

/// Declares a parameter that is a factory. with_name() takes a factory or the parameters of one.
/// Usage: std::shared_ptr<const F> SPRUCE_DEFERRED_FACTORY_PARAMETER(name);
#define SPRUCE_DEFERRED_FACTORY_PARAMETER(_name)                                                                   \
    _name{};                                                                                                       \
    template <typename Arg>                                                                                        \
    auto with_##_name(Arg&& value)->decltype(*this->self())                                                        \
    {                                                                                                              \
        using concrete = std::remove_reference_t<decltype(*this->self())>;                                         \
        using declaring = std::remove_reference_t<decltype(*this)>;                                                \
        using factory_type = typename ::spruce::detail::factory_of<decltype(this->_name)>::type;                   \
        this->defer(                                                                                               \
            #_name, ::spruce::deferred_factory_parameter<factory_type>(std::forward<Arg>(value)),                  \
            [](void* result) -> auto& { return static_cast<declaring*>(static_cast<concrete*>(result))->_name; }); \
        return *this->self();                                                                                      \
    }

/// Declares a parameter that is a vector of factories. with_name() takes factories and parameters
/// of factories. A later call replaces the values of an earlier one. Usage:
/// std::vector<std::shared_ptr<const F>> SPRUCE_DEFERRED_FACTORY_VECTOR_PARAMETER(name);
#define SPRUCE_DEFERRED_FACTORY_VECTOR_PARAMETER(_name)                                                            \
    _name{};                                                                                                       \
    template <typename... Args>                                                                                    \
    auto with_##_name(Args&&... values)->decltype(*this->self())                                                   \
    {                                                                                                              \
        using concrete = std::remove_reference_t<decltype(*this->self())>;                                         \
        using declaring = std::remove_reference_t<decltype(*this)>;                                                \
        using factory_type = typename ::spruce::detail::factory_of<decltype(this->_name)>::type;                   \
        this->defer(                                                                                               \
            #_name, ::spruce::detail::to_deferred_list<factory_type>(std::forward<Args>(values)...),               \
            [](void* result) -> auto& { return static_cast<declaring*>(static_cast<concrete*>(result))->_name; }); \
        return *this->self();                                                                                      \
    }

/// Declares the factory of a class. _without and _with follow the parameter lists of its
/// constructors without and with parameters of the factory: a semicolon, or initializers and body.
#define SPRUCE_FACTORY_CLASS(_product, _parameters_name, _factory_name, _base, _without, _with)            \
public:                                                                                                    \
    const _parameters_name##_type& get_##_parameters_name() const { return _parameters_name##_; }          \
    class _factory_name                                                                                    \
        : public ::spruce::EnableDefaultFactory<_factory_name, _product, _parameters_name##_type, _base> { \
        friend class ::spruce::EnablePolymorphicObject<_factory_name, _base>;                              \
        friend class ::spruce::enable_parameters_type<_parameters_name##_type, _factory_name>;             \
        using enabled_factory_ =                                                                           \
            ::spruce::EnableDefaultFactory<_factory_name, _product, _parameters_name##_type, _base>;       \
        explicit _factory_name(std::shared_ptr<const ::spruce::Executor> exec) _without                    \
            _factory_name(std::shared_ptr<const ::spruce::Executor> exec,                                  \
                          const _parameters_name##_type& parameters) _with                                 \
    };                                                                                                     \
    friend ::spruce::EnableDefaultFactory<_factory_name, _product, _parameters_name##_type, _base>;        \
                                                                                                           \
private:                                                                                                   \
    _parameters_name##_type _parameters_name##_;                                                           \
                                                                                                           \
public:                                                                                                    \
    static_assert(true, "ends with a semicolon")

/// Adds a factory to a class that applications compile: their own, or a template that this library
/// does not instantiate.
#define SPRUCE_ENABLE_FACTORY(_product, _parameters_name, _factory_name, _base) \
    SPRUCE_FACTORY_CLASS(_product, _parameters_name, _factory_name, _base,      \
                         : enabled_factory_(std::move(exec)){},                 \
                         : enabled_factory_(std::move(exec), parameters){})

/// Adds a factory to a class that this library instantiates. Its source has SPRUCE_DEFINE_FACTORY
/// (core/base/define_factory.hpp). Applications compile neither the constructors of the factory
/// nor, therefore, its virtual functions.
#define SPRUCE_DECLARE_FACTORY(_product, _parameters_name, _factory_name, _base) \
    SPRUCE_FACTORY_CLASS(_product, _parameters_name, _factory_name, _base, ;, ;)

#define SPRUCE_ENABLE_LIN_OP_FACTORY(_lin_op, _parameters_name, _factory_name) \
    SPRUCE_ENABLE_FACTORY(_lin_op, _parameters_name, _factory_name, ::spruce::LinOpFactory)
#define SPRUCE_DECLARE_LIN_OP_FACTORY(_lin_op, _parameters_name, _factory_name) \
    SPRUCE_DECLARE_FACTORY(_lin_op, _parameters_name, _factory_name, ::spruce::LinOpFactory)

#define SPRUCE_ENABLE_BUILD_METHOD(_factory_name)                                              \
    static auto build()->decltype(_factory_name::create()) { return _factory_name::create(); } \
    static_assert(true, "ends with a semicolon")

}  // namespace spruce
