// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/csr_kernels.hpp"
#include "core/matrix/csr_tiles.hpp"

#include "cuda/base/binding.hpp"
#include "cuda/base/prelude.hpp"

namespace spruce::kernels::cuda {
#include "common/matrix/spmv_tiles.inc.hpp"

#include "common/matrix/csr_spmv_kernels.inc.hpp"
}  // namespace spruce::kernels::cuda
