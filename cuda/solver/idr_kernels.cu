// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/idr_kernels.hpp"

#include "common/base/idr.hpp"
#include "cuda/base/prelude.hpp"

namespace spruce::kernels::cuda {
#include "common/unified/solver/idr_kernels.inc.hpp"
}  // namespace spruce::kernels::cuda
