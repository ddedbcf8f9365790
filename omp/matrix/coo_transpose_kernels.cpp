// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/components/sort_kernels.hpp"
#include "core/matrix/coo_kernels.hpp"

#include "omp/base/register.hpp"
#include "omp/base/run_unified.hpp"

namespace spruce::kernels::omp {
#include "common/unified/components/gather_entries.inc.hpp"

#include "common/unified/matrix/coo_transpose_kernels.inc.hpp"
}  // namespace spruce::kernels::omp
