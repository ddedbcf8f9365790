// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Configures shared kernel files for omp.

#include <spruce/base/executor.hpp>

#define SPRUCE_DEVICE_NAMESPACE omp
#define SPRUCE_DEVICE_FOLDER omp
#define SPRUCE_BACKEND_FOLDER omp

namespace spruce::kernels::omp {

using DeviceExecutor = OmpExecutor;

}  // namespace spruce::kernels::omp
