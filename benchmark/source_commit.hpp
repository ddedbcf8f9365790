// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

namespace spruce::bench {

/// Returns the commit of the sources from which the program was built, with "-dirty" if tracked
/// files differed from it, or "unknown".
std::string source_commit();

}  // namespace spruce::bench
