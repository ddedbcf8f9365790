// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "cuda/base/runtime.hpp"

namespace spruce::kernels::cuda::vendor_blas {

using blas_error = CublasError;

}  // namespace spruce::kernels::cuda::vendor_blas

#include "common/gpu/base/cublas.hpp"
