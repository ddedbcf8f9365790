// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Includes the functions that the kernels in common/unified call.

#include "omp/base/register.hpp"
#include "omp/base/run_unified.hpp"
