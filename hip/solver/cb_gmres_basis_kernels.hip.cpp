// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/cb_gmres_kernels.hpp"

#include "common/base/compressed_basis.hpp"
#include "hip/base/prelude.hpp"

namespace spruce::kernels::hip {
#include "common/unified/solver/cb_gmres_basis_kernels.inc.hpp"
}  // namespace spruce::kernels::hip
