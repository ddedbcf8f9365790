// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <utility>

#include <spruce/base/abstract_factory.hpp>

/// Defines the constructors of the factory of a class whose header has
/// SPRUCE_DECLARE_LIN_OP_FACTORY(CLASS, parameters, Factory) or the same for a criterion. It stands
/// before the explicit instantiation of the class. The first argument is the head of the template
/// in parentheses, or () if the class is not a template. Usage:
/// SPRUCE_DEFINE_FACTORY((template <typename V>), Cg<V>);
/// SPRUCE_DEFINE_FACTORY((), Iteration);
#define SPRUCE_DEFINE_FACTORY(_template, ...)                                                                \
    SPRUCE_WITHOUT_PARENTHESES _template __VA_ARGS__::Factory::Factory(std::shared_ptr<const Executor> exec) \
        : enabled_factory_(std::move(exec))                                                                  \
    {}                                                                                                       \
    SPRUCE_WITHOUT_PARENTHESES _template __VA_ARGS__::Factory::Factory(std::shared_ptr<const Executor> exec, \
                                                                       const parameters_type& parameters)    \
        : enabled_factory_(std::move(exec), parameters)                                                      \
    {}                                                                                                       \
    static_assert(true, "ends with a semicolon")
#define SPRUCE_WITHOUT_PARENTHESES(...) __VA_ARGS__
