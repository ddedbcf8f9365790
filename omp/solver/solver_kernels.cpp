// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/solver_kernels.hpp"

#include "common/base/dense_entries.hpp"
#include "common/base/device_check.hpp"
#include "common/base/residual_replacement.hpp"
#include "omp/base/register.hpp"
#include "omp/base/run_unified.hpp"

namespace spruce::kernels::omp {
#include "common/unified/solver/solver_kernels.inc.hpp"
}
