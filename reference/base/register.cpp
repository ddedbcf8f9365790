// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "reference/base/register.hpp"

#include "core/base/backends.hpp"

namespace spruce::kernels::reference {

void register_kernels() { SPRUCE_REFERENCE_KERNEL_GROUPS(SPRUCE_REGISTER_KERNEL_GROUP) }

}  // namespace spruce::kernels::reference
