// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/idr_kernels.hpp"

#include "common/base/idr.hpp"
#include "hip/base/prelude.hpp"

namespace spruce::kernels::hip {
#include "common/unified/solver/idr_kernels.inc.hpp"
}  // namespace spruce::kernels::hip
