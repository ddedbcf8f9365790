// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Requires the configuration of a backend, which a source that includes shared kernel files includes before them: BACKEND/base/backend.hpp.
// It defines SPRUCE_DEVICE_NAMESPACE (the namespace of the backend's kernels), DeviceExecutor, and the folders in which shared
// files find those of the device and of the backend.

#ifdef SPRUCE_TOOLS_ONLY
// Lets editors and checks read a shared file on its own, as the simulated device compiles it.
#include "hip/base/backend.hpp"
#endif

#ifndef SPRUCE_DEVICE_NAMESPACE
#error \
    "A shared kernel file needs a backend's configuration: include cuda/base/backend.hpp, hip/base/backend.hpp or omp/base/backend.hpp before it."
#endif

// clang-format off
#define SPRUCE_QUOTE(_text) #_text
#define SPRUCE_QUOTED_PATH(_path) SPRUCE_QUOTE(_path)
/// Names a header that omp and the backends for GPUs have each of their own, in omp or in common/gpu.
#define SPRUCE_DEVICE_FILE(_folder, _name) SPRUCE_QUOTED_PATH(SPRUCE_DEVICE_FOLDER/_folder/_name.hpp)
/// Names a header that each backend has of its own, in cuda, hip or omp.
#define SPRUCE_BACKEND_FILE(_folder, _name) SPRUCE_QUOTED_PATH(SPRUCE_BACKEND_FOLDER/_folder/_name.hpp)
// clang-format on
