// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Gives the kernels in common/unified what they build on.

#include "omp/base/register.hpp"
#include "omp/base/run_unified.hpp"
