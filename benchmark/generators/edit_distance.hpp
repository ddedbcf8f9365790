// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <string>

namespace spruce::bench {

/// Insertions, deletions and replacements of letters that turn a into b (Levenshtein 1966): to find the name that was meant.
std::size_t edit_distance(const std::string& a, const std::string& b);

}  // namespace spruce::bench
