// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Configures shared kernel files for cuda.

#define SPRUCE_DEVICE_NAMESPACE cuda
// clang-format off
#define SPRUCE_DEVICE_FOLDER common/gpu
// clang-format on
#define SPRUCE_BACKEND_FOLDER cuda

#include "cuda/base/config.hpp"
#include "cuda/base/launch.hpp"

#include "common/gpu/components/launch_nvidia.hpp"
#include "common/gpu/components/relaxed_memory_nvidia.hpp"
#include "common/gpu/components/warp_nvidia.hpp"
