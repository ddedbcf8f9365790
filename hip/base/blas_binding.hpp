// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense_blas.hpp>

#include "hip/base/runtime.hpp"

#ifdef SPRUCE_HIP_ON_NVIDIA

namespace spruce::kernels::hip::vendor_blas {

using blas_error = HipblasError;

}  // namespace spruce::kernels::hip::vendor_blas

#include "common/gpu/base/cublas.hpp"

#else

/// Replaces a vendor's products of dense matrices. The host platform has none. The amd platform
/// does not use hipBLAS, because Debian does not package it.
namespace spruce::kernels::hip::vendor_blas {

constexpr bool is_present = false;

[[noreturn]] inline void throw_absent()
{
    throw NotSupported(__FILE__, __LINE__, "the vendor's product of dense matrices", "a backend without cuBLAS");
}
inline void* create_handle(void*) { throw_absent(); }
inline void destroy_handle(void*) {}

template <typename V>
bool can_multiply(const matrix::Dense<V>&, const matrix::Dense<V>&, const matrix::Dense<V>&)
{
    return false;
}
template <typename V>
void gemm(const DeviceExecutor&, blas::transposition, blas::transposition, const V*, const matrix::Dense<V>&,
          const matrix::Dense<V>&, const V*, matrix::Dense<V>&)
{
    throw_absent();
}

}  // namespace spruce::kernels::hip::vendor_blas

#endif
