// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <complex>
#include <limits>
#include <mutex>

#include <cublas_v2.h>

#include <spruce/matrix/dense_blas.hpp>

#include "cuda/base/runtime.hpp"

namespace spruce::kernels::cuda::vendor_blas {

using blas_error = CublasError;

#include "common/base/cublas.inc.hpp"

}  // namespace spruce::kernels::cuda::vendor_blas
