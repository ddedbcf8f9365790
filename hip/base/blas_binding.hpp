// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <complex>
#include <limits>
#include <mutex>

#include <spruce/matrix/dense_blas.hpp>

#include "hip/base/runtime.hpp"

#if SPRUCE_HIP_ON_NVIDIA

#include <cublas_v2.h>

namespace spruce::kernels::hip::vendor_blas {

using blas_error = HipblasError;

#include "common/base/cublas.inc.hpp"

}  // namespace spruce::kernels::hip::vendor_blas

#else

namespace spruce::kernels::hip::vendor_blas {

/// The host platform has no vendor, and hipBLAS is not used on amd: Debian does not have it.
constexpr bool is_present = false;

[[noreturn]] inline void throw_absent()
{
    throw NotSupported(__FILE__, __LINE__, "the vendor's product of dense matrices", "HIP without cuBLAS");
}
inline void* create_handle(void*) { throw_absent(); }
inline void destroy_handle(void*) {}

template <typename V>
bool can_multiply(const matrix::Dense<V>&, const matrix::Dense<V>&, const matrix::Dense<V>&)
{
    return false;
}
template <typename V>
void gemm(const HipExecutor&, blas::transposition, blas::transposition, const V*, const matrix::Dense<V>&,
          const matrix::Dense<V>&, const V*, matrix::Dense<V>&)
{
    throw_absent();
}

}  // namespace spruce::kernels::hip::vendor_blas

#endif
