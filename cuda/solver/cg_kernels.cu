// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/cg_kernels.hpp"

#include "common/base/scalar_steps.hpp"
#include "cuda/base/prelude.hpp"

namespace spruce::kernels::cuda {
#include "common/unified/solver/cg_kernels.inc.hpp"
}  // namespace spruce::kernels::cuda
