// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/sellp_kernels.hpp"

#include "omp/base/register.hpp"
#include "omp/matrix/padded_rows.hpp"

namespace spruce::kernels::omp {
#include "common/unified/matrix/sellp_kernels.inc.hpp"
}
