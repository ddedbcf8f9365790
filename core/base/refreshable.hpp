// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/refreshable.hpp>

namespace spruce::detail {

/// Returns true if the operator is Refreshable and can be refreshed at present.
inline bool is_refreshable(const LinOp* op)
{
    const auto refreshable = dynamic_cast<const Refreshable*>(op);
    return refreshable && refreshable->can_be_refreshed();
}

}  // namespace spruce::detail
