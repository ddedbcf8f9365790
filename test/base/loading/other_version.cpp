// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Contains a backend of another version, whose functions must not be called.

#include <cstdlib>

#include "core/base/backends.hpp"

namespace {

constexpr auto get_interface()
{
    auto result = spruce::detail::own_interface;
    result.version[0] = '9';
    ++result.num_runtime_functions;
    return result;
}

}  // namespace

spruce_backend_entry spruce_hip_entry{
    get_interface(), [](const void*) -> spruce::detail::DeviceRuntime* { std::abort(); }, [] { std::abort(); }};
