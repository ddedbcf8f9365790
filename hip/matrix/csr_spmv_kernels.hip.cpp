// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/csr_kernels.hpp"
#include "core/matrix/csr_tiles.hpp"

#include "hip/base/binding.hpp"
#include "hip/base/prelude.hpp"

namespace spruce::kernels::hip {
#include "common/matrix/spmv_tiles.inc.hpp"

#include "common/matrix/csr_spmv_kernels.inc.hpp"
}  // namespace spruce::kernels::hip
