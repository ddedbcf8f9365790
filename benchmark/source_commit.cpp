// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// A new commit compiles only this file again, so it includes as little as possible.
#include "benchmark/source_commit.hpp"

#include "spruce_commit.hpp"

namespace spruce::bench {

std::string source_commit() { return SPRUCE_COMMIT; }

}  // namespace spruce::bench
