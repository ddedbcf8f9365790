// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/solver_kernels.hpp"

#include "common/base/device_check.hpp"
#include "common/base/residual_replacement.hpp"
#include "hip/base/prelude.hpp"

namespace spruce::kernels::hip {
#include "common/unified/solver/solver_kernels.inc.hpp"
}  // namespace spruce::kernels::hip
