// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/dense_blas_kernels.hpp"
#include "core/matrix/dense_kernels.hpp"

#include "cuda/base/blas_binding.hpp"
#include "cuda/base/prelude.hpp"

namespace spruce::kernels::cuda {
#include "common/matrix/dense_gemm_kernels.inc.hpp"
}  // namespace spruce::kernels::cuda
