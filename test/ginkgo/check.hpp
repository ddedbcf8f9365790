// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

/// Provides checks and output for the programs in this folder, which are built outside of the
/// repository as well and so need no test framework.

#include <exception>
#include <iostream>
#include <string>

#include <ginkgo/core/base/name_demangling.hpp>

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

/// Returns the class of the exception that the call throws, without its namespace, or "nothing".
template <typename Call>
std::string thrown_by(Call call)
{
    try {
        call();
    } catch (const std::exception& error) {
        const auto type = gko::name_demangling::get_dynamic_type(error);
        return type.substr(type.rfind(':') + 1);
    }
    return "nothing";
}

/// Prints the line "name: value, value, ...". The output of a program is compared with
/// expected/PROGRAM.txt.
template <typename Value, typename... Values>
void print(const std::string& name, const Value& value, const Values&... values)
{
    std::cout << std::boolalpha << name << ": " << value;
    ((std::cout << ", " << values), ...);
    std::cout << "\n";
}

/// Returns the exit status of the program.
inline int exit_status() { return num_failed_checks == 0 ? 0 : 1; }
