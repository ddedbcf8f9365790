// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/dense_kernels.hpp"
#include "core/matrix/ell_kernels.hpp"
#include "core/matrix/padded_rows.hpp"

#include "cuda/base/prelude.hpp"

namespace spruce::kernels::cuda {
#include "common/matrix/spmv_tiles.inc.hpp"

#include "common/unified/matrix/padded_rows.inc.hpp"

#include "common/matrix/padded_rows.inc.hpp"

#include "common/unified/matrix/ell_kernels.inc.hpp"
}  // namespace spruce::kernels::cuda
