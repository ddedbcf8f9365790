// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/base/kernel_groups.hpp"

namespace spruce::kernels::reference {
SPRUCE_REFERENCE_KERNEL_GROUPS(SPRUCE_DECLARE_KERNEL_GROUP)
}
