// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/diagonal_kernels.hpp"

#include "cuda/base/prelude.hpp"

namespace spruce::kernels::cuda {
#include "common/unified/matrix/diagonal_kernels.inc.hpp"
}  // namespace spruce::kernels::cuda
