// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/triangular_kernels.hpp"

#include "cuda/base/prelude.hpp"

namespace spruce::kernels::cuda {
#include "common/solver/dependency_levels.inc.hpp"
#include "common/unified/solver/triangular_kernels.inc.hpp"
}  // namespace spruce::kernels::cuda
