// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/bicg_kernels.hpp"

#include "common/base/dense_entries.hpp"
#include "common/base/scalar_steps.hpp"
#include "hip/base/prelude.hpp"

namespace spruce::kernels::hip {
#include "common/unified/solver/bicg_kernels.inc.hpp"
}  // namespace spruce::kernels::hip
