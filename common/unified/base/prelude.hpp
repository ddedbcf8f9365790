// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Gives the kernels in common/unified, which omp and the backends for GPUs share, what they build on: run_for_each() and its relatives.

#include "common/backend.hpp"
#include "common/numeric/complex.hpp"
#include "common/numeric/dense_entries.hpp"
#include "common/numeric/per_column.hpp"
#include "core/base/kernel.hpp"

#include SPRUCE_DEVICE_FILE(base, prelude)
