// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <complex>
#include <limits>
#include <mutex>

#include <spruce/matrix/dense_blas.hpp>

#include "hip/base/runtime.hpp"

#ifdef SPRUCE_HIP_ON_NVIDIA

#include <cublas_v2.h>

namespace spruce::kernels::hip::vendor_blas {

using blas_error = HipblasError;

#include "common/base/cublas.inc.hpp"

}  // namespace spruce::kernels::hip::vendor_blas

#else

namespace spruce::kernels::hip::vendor_blas {

/// The host platform has no vendor, and hipBLAS is not used on amd: Debian does not have it.
#include "common/base/no_blas.inc.hpp"

}  // namespace spruce::kernels::hip::vendor_blas

#endif
