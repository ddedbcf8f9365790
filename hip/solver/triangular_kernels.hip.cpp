// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/triangular_kernels.hpp"

#include "hip/base/prelude.hpp"

namespace spruce::kernels::hip {
#include "common/solver/dependency_levels.inc.hpp"
#include "common/unified/solver/triangular_kernels.inc.hpp"
}  // namespace spruce::kernels::hip
