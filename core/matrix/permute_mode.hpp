// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/permutation.hpp>

namespace spruce::matrix {

/// Returns true if the mode includes the flag.
constexpr bool has(permute_mode mode, permute_mode flag) { return (mode & flag) == flag; }

}  // namespace spruce::matrix
