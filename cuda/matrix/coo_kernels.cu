// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/components/sort_kernels.hpp"
#include "core/matrix/coo_kernels.hpp"
#include "core/matrix/dense_kernels.hpp"

#include "cuda/base/prelude.hpp"

namespace spruce::kernels::cuda {
#include "common/matrix/spmv_tiles.inc.hpp"

#include "common/matrix/coo_kernels.inc.hpp"

#include "common/unified/components/gather_entries.inc.hpp"

#include "common/unified/matrix/coo_transpose_kernels.inc.hpp"
}  // namespace spruce::kernels::cuda
