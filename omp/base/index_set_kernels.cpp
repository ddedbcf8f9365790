// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/base/index_set_kernels.hpp"
#include "common/base/partition_point.hpp"

#include "omp/base/register.hpp"
#include "omp/base/run_unified.hpp"

namespace spruce::kernels::omp {
#include "common/unified/base/index_set_kernels.inc.hpp"
}
