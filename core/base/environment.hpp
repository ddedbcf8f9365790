// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdlib>

namespace spruce::detail {

/// Returns the value of an environment variable; null if it is not set or empty, and always in secure execution (set-user-ID and
/// set-group-ID programs, file capabilities), where the caller of the program must not decide what code runs. Every variable that
/// names code or files is read through this function.
inline const char* get_environment(const char* name) noexcept
{
    const auto value = secure_getenv(name);
    return value && *value != '\0' ? value : nullptr;
}

}  // namespace spruce::detail
