// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdlib>

namespace spruce::detail {

/// Returns the value of an environment variable, or null if it is not set or empty. The result is
/// always null in secure execution (set-user-ID and set-group-ID programs, file capabilities):
/// there the caller of the program must not choose the code that runs. All variables that name code
/// or files are read by this function.
inline const char* get_environment(const char* name) noexcept
{
    const auto value = secure_getenv(name);
    return value && *value != '\0' ? value : nullptr;
}

}  // namespace spruce::detail
