// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/cb_gmres_kernels.hpp"

#include "common/base/compressed_basis.hpp"
#include "cuda/base/prelude.hpp"

namespace spruce::kernels::cuda {
#include "common/unified/solver/cb_gmres_basis_kernels.inc.hpp"
}  // namespace spruce::kernels::cuda
