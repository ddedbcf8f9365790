// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/coo_kernels.hpp"
#include "core/matrix/dense_kernels.hpp"

#include "cuda/base/prelude.hpp"

#include "cuda/base/register.hpp"

namespace spruce::kernels::cuda {
#include "common/matrix/spmv_tiles.inc.hpp"

#include "common/matrix/coo_kernels.inc.hpp"
}  // namespace spruce::kernels::cuda
