// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/hybrid_kernels.hpp"

#include "hip/base/prelude.hpp"

namespace spruce::kernels::hip {
#include "common/matrix/hybrid_kernels.inc.hpp"

#include "common/unified/matrix/hybrid_kernels.inc.hpp"
}  // namespace spruce::kernels::hip
