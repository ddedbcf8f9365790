// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Declares and registers the kernel groups of a GPU backend.

#include "common/backend.hpp"
#include "core/base/kernel_groups.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

SPRUCE_GPU_KERNEL_GROUPS(SPRUCE_DECLARE_KERNEL_GROUP)

inline void register_kernels() { SPRUCE_GPU_KERNEL_GROUPS(SPRUCE_REGISTER_KERNEL_GROUP) }

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
