// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

/// Checks of the programs in this folder, which are built outside of the repository as well and so need no test framework.

#include <iostream>

inline int num_failed_checks = 0;

/// Reports the claim if the condition is false.
inline void check(bool condition, const char* claim)
{
    if (!condition) {
        std::cerr << "FAILED: " << claim << "\n";
        ++num_failed_checks;
    }
}

/// Reports the claim unless the call throws an Exception.
template <typename Exception, typename Call>
void check_throws(Call call, const char* claim)
{
    try {
        call();
    } catch (const Exception&) {
        return;
    }
    check(false, claim);
}

/// Returns the exit status of the program.
inline int exit_status() { return num_failed_checks == 0 ? 0 : 1; }
