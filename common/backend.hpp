// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Requires the configuration of a backend. A source that includes shared kernel files includes
// BACKEND/base/backend.hpp before them. That header defines SPRUCE_DEVICE_NAMESPACE (the namespace
// of the backend's kernels), DeviceExecutor, and the folders in which shared files find the headers
// of the device and of the backend.

#ifdef SPRUCE_TOOLS_ONLY
// Lets editors and checks read a shared file on its own. It is read as for the simulated device.
#include "hip/base/backend.hpp"
#endif

#ifndef SPRUCE_DEVICE_NAMESPACE
#error \
    "A shared kernel file needs a backend's configuration: include cuda/base/backend.hpp, hip/base/backend.hpp or omp/base/backend.hpp before it."
#endif

// clang-format off
#define SPRUCE_QUOTE(_text) #_text
#define SPRUCE_QUOTED_PATH(_path) SPRUCE_QUOTE(_path)
/// Names a header of which omp and the GPU backends have different versions, in omp and common/gpu.
#define SPRUCE_DEVICE_FILE(_folder, _name) SPRUCE_QUOTED_PATH(SPRUCE_DEVICE_FOLDER/_folder/_name.hpp)
/// Names a header of which each backend has its own version, in cuda, hip or omp.
#define SPRUCE_BACKEND_FILE(_folder, _name) SPRUCE_QUOTED_PATH(SPRUCE_BACKEND_FOLDER/_folder/_name.hpp)
// clang-format on
