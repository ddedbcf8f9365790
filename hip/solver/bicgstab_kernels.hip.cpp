// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/bicgstab_kernels.hpp"

#include "common/base/dense_entries.hpp"
#include "common/base/shadow_residual.hpp"
#include "hip/base/prelude.hpp"

namespace spruce::kernels::hip {
#include "common/unified/solver/bicgstab_kernels.inc.hpp"
}  // namespace spruce::kernels::hip
