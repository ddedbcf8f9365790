// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/pipe_cg_kernels.hpp"

#include "common/base/dense_entries.hpp"
#include "common/base/pipe_cg.hpp"
#include "cuda/base/prelude.hpp"

namespace spruce::kernels::cuda {
#include "common/unified/solver/pipe_cg_kernels.inc.hpp"
}  // namespace spruce::kernels::cuda
