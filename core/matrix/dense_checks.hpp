// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/dim.hpp>
#include <spruce/base/exception.hpp>

namespace spruce::detail {

inline void require_equal_size(const char* function, const dim<2>& a, const dim<2>& b, const char* name = "b")
{
    if (a != b) {
        throw DimensionMismatch(__FILE__, __LINE__, function, "this", a[0], a[1], name, b[0], b[1],
                                "equal sizes are needed");
    }
}

}  // namespace spruce::detail
