// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Includes what the kernels in common/unified build on: run_for_each() and the related functions.
// The kernels are shared by omp and the GPU backends.

#include "common/backend.hpp"
#include "common/numeric/complex.hpp"
#include "common/numeric/dense_entries.hpp"
#include "common/numeric/per_column.hpp"
#include "core/base/kernel.hpp"

#include SPRUCE_DEVICE_FILE(base, prelude)
