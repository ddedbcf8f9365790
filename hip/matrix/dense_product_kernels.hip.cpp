// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/dense_kernels.hpp"

#include "hip/base/prelude.hpp"

namespace spruce::kernels::hip {
#include "common/matrix/dense_product_kernels.inc.hpp"
}  // namespace spruce::kernels::hip
