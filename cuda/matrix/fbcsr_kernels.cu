// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "common/base/merge_rows.hpp"
#include "core/matrix/fbcsr_kernels.hpp"

#include "cuda/base/prelude.hpp"

namespace spruce::kernels::cuda {
#include "common/components/bit_map.inc.hpp"

#include "common/matrix/spmv_tiles.inc.hpp"

#include "common/matrix/fbcsr_spmv_kernels.inc.hpp"

#include "common/matrix/fbcsr_kernels.inc.hpp"
#include "common/unified/matrix/fbcsr_kernels.inc.hpp"
}  // namespace spruce::kernels::cuda
