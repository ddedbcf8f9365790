// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/sparsity_csr_kernels.hpp"

#include "hip/base/prelude.hpp"

namespace spruce::kernels::hip {
#include "common/matrix/sparsity_csr_kernels.inc.hpp"
#include "common/unified/matrix/sparsity_csr_kernels.inc.hpp"
}  // namespace spruce::kernels::hip
