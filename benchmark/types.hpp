// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <complex>
#include <string>
#include <vector>

#include <spruce/base/types.hpp>
#include <spruce/config.hpp>

#include "benchmark/errors.hpp"

namespace spruce::bench {

template <typename ValueType, typename IndexType>
struct type_pair {
    using value_type = ValueType;
    using index_type = IndexType;
};

inline const std::vector<std::string>& value_type_names()
{
    static const std::vector<std::string> names{"float", "double", "cfloat", "cdouble"};
    return names;
}

inline const std::vector<std::string>& index_type_names()
{
    static const std::vector<std::string> names{"int32", "int64"};
    return names;
}

/// Returns the reason why the library has no kernels for these types, or an empty text if it has.
inline std::string missing_types(const std::string& value_type, const std::string& index_type)
{
    if (!SPRUCE_TYPES_MINIMAL || (value_type == "double" && index_type == "int32")) {
        return "";
    }
    return value_type + "/" + index_type + " is not in this build: SPRUCE_TYPES=minimal has double/int32 only";
}

/// Checks that a command line names types for which the library has kernels.
/// @throws usage_error  if it does not
inline void check_types(const std::string& value_type, const std::string& index_type)
{
    check_name("value type", value_type, value_type_names());
    check_name("index type", index_type, index_type_names());
    const auto missing = missing_types(value_type, index_type);
    if (!missing.empty()) {
        throw usage_error(missing);
    }
}

/// Returns the name of the complex type of the same precision.
inline std::string complex_type_name(const std::string& value_type)
{
    return value_type[0] == 'c' ? value_type : "c" + value_type;
}

/// Returns function(type_pair<ValueType, IndexType>{}) for the types of these names.
/// @throws usage_error  for unknown names
template <typename Function>
auto with_types(const std::string& value_type, const std::string& index_type, Function function)
{
    check_name("value type", value_type, value_type_names());
    check_name("index type", index_type, index_type_names());
    const auto with_index_type = [&](auto value) {
        using V = decltype(value);
        return index_type == "int32" ? function(type_pair<V, int32>{}) : function(type_pair<V, int64>{});
    };
    if (value_type == "float") {
        return with_index_type(float{});
    }
    if (value_type == "double") {
        return with_index_type(double{});
    }
    if (value_type == "cfloat") {
        return with_index_type(std::complex<float>{});
    }
    return with_index_type(std::complex<double>{});
}

}  // namespace spruce::bench
