// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <typeinfo>

#include <spruce/base/types.hpp>

namespace spruce {

/// Names of types as one would write them, for messages.
namespace name_demangling {

/// The name of the type that typeid gave.
SPRUCE_EXPORT std::string get_type_name(const std::type_info& type);

/// The name of the object's type as it is declared.
template <typename T>
std::string get_static_type(const T&)
{
    return get_type_name(typeid(T));
}

/// The name of the class that the object really has.
template <typename T>
std::string get_dynamic_type(const T& object)
{
    return get_type_name(typeid(object));
}

}  // namespace name_demangling
}  // namespace spruce
