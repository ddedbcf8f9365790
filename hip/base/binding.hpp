// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

#include "hip/base/runtime.hpp"

#ifdef SPRUCE_HIP_PLATFORM_HOST

/// Replaces a vendor's sparse library, which the host platform does not have.
namespace spruce::kernels::hip::sparselib {

inline void* create_handle(void*)
{
    throw NotSupported(__FILE__, __LINE__, "the vendor's sparse library", "the host platform of HIP");
}
inline void destroy_handle(void*) {}
template <typename V, typename I>
bool spmv(const DeviceExecutor&, const matrix::Csr<V, I>&, const matrix::Dense<V>&, matrix::Dense<V>&, const V*,
          const V*)
{
    throw NotSupported(__FILE__, __LINE__, "csr::spmv with strategy sparselib", "the host platform of HIP");
}

}  // namespace spruce::kernels::hip::sparselib

#else

#ifdef SPRUCE_HIP_ON_NVIDIA
#define SPRUCE_SPARSE(_name) cusparse##_name
#define SPRUCE_SPARSE_CONSTANT(_name) CUSPARSE_##_name
#include "common/gpu/base/cusparse_types.hpp"
#else
#include <hipsparse/hipsparse.h>
#define SPRUCE_SPARSE(_name) hipsparse##_name
#define SPRUCE_SPARSE_CONSTANT(_name) HIPSPARSE_##_name
#endif

namespace spruce::kernels::hip::sparselib {

using sparselib_error = HipsparseError;

#ifndef SPRUCE_HIP_ON_NVIDIA
constexpr auto spmv_default = HIPSPARSE_SPMV_ALG_DEFAULT;
constexpr auto spmm_default = HIPSPARSE_SPMM_ALG_DEFAULT;
using matrix_descriptor = hipsparseSpMatDescr_t;
using vector_descriptor = hipsparseDnVecDescr_t;
using dense_descriptor = hipsparseDnMatDescr_t;
constexpr auto destroy_matrix = hipsparseDestroySpMat;
constexpr auto destroy_vector = hipsparseDestroyDnVec;
constexpr auto destroy_dense = hipsparseDestroyDnMat;
/// HIP's constant for a value type.
template <typename T>
inline constexpr auto data_type = HIP_R_32F;
template <>
inline constexpr auto data_type<double> = HIP_R_64F;
template <>
inline constexpr auto data_type<std::complex<float>> = HIP_C_32F;
template <>
inline constexpr auto data_type<std::complex<double>> = HIP_C_64F;
#endif

}  // namespace spruce::kernels::hip::sparselib

#include "common/gpu/base/sparselib.hpp"

#endif
