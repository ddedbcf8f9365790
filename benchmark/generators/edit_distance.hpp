// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <string>

namespace spruce::bench {

/// Returns the number of insertions, deletions and replacements of letters that turn a into b
/// (Levenshtein 1966). It finds the accepted name that is nearest to a wrong one.
std::size_t edit_distance(const std::string& a, const std::string& b);

}  // namespace spruce::bench
