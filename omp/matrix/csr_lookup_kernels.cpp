// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/csr_lookup_kernels.hpp"

#include "omp/base/register.hpp"
#include "omp/base/run_unified.hpp"

namespace spruce::kernels::omp {
#include "common/unified/matrix/csr_lookup_kernels.inc.hpp"
}
