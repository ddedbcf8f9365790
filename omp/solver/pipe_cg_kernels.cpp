// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/pipe_cg_kernels.hpp"

#include "common/base/dense_entries.hpp"
#include "common/base/pipe_cg.hpp"
#include "omp/base/register.hpp"
#include "omp/base/run_unified.hpp"

namespace spruce::kernels::omp {
#include "common/unified/solver/pipe_cg_kernels.inc.hpp"
}
