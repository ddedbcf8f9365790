// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/types.hpp>

namespace spruce::detail {

/// Represents rows that CPUs process in parallel or, if there are few of them, in sequence.
struct level_stage {
    size_type end;  ///< in the order of levels
    bool is_parallel;
};

}  // namespace spruce::detail
