// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Configures shared kernel files for hip.

#define SPRUCE_DEVICE_NAMESPACE hip
// clang-format off
#define SPRUCE_DEVICE_FOLDER common/gpu
// clang-format on
#define SPRUCE_BACKEND_FOLDER hip

#include "hip/base/config.hpp"
#include "hip/base/launch.hpp"

#ifdef SPRUCE_HIP_ON_NVIDIA
#include "common/gpu/components/launch_nvidia.hpp"
#include "common/gpu/components/relaxed_memory_nvidia.hpp"
#include "common/gpu/components/warp_nvidia.hpp"
#else
#include "hip/components/relaxed_memory.hpp"
#include "hip/components/warp.hpp"
#endif
