// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <typeinfo>

#include <spruce/base/types.hpp>

namespace spruce {

/// Provides names of types for messages, in the form in which they stand in source code.
namespace name_demangling {

/// Returns the name of a type described by typeid.
SPRUCE_EXPORT std::string get_type_name(const std::type_info& type);

/// Returns the name of the declared type of the object.
template <typename T>
std::string get_static_type(const T&)
{
    return get_type_name(typeid(T));
}

/// Returns the name of the dynamic type of the object.
template <typename T>
std::string get_dynamic_type(const T& object)
{
    return get_type_name(typeid(object));
}

}  // namespace name_demangling
}  // namespace spruce
