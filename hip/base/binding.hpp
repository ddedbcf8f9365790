// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

#include "hip/base/runtime.hpp"

#ifdef SPRUCE_HIP_PLATFORM_HOST

namespace spruce::kernels::hip::sparselib {

#include "common/base/no_sparselib.inc.hpp"

}  // namespace spruce::kernels::hip::sparselib

#else

#ifdef SPRUCE_HIP_ON_NVIDIA
#include <cusparse.h>
#define SPRUCE_SPARSE(_name) cusparse##_name
#define SPRUCE_SPARSE_CONSTANT(_name) CUSPARSE_##_name
#else
#include <hipsparse/hipsparse.h>
#define SPRUCE_SPARSE(_name) hipsparse##_name
#define SPRUCE_SPARSE_CONSTANT(_name) HIPSPARSE_##_name
#endif

namespace spruce::kernels::hip::sparselib {

using sparselib_error = HipsparseError;

#ifdef SPRUCE_HIP_ON_NVIDIA
#include "common/base/cusparse_types.inc.hpp"
#else
constexpr auto spmv_default = HIPSPARSE_SPMV_ALG_DEFAULT;
constexpr auto spmm_default = HIPSPARSE_SPMM_ALG_DEFAULT;
using matrix_descriptor = hipsparseSpMatDescr_t;
using vector_descriptor = hipsparseDnVecDescr_t;
using dense_descriptor = hipsparseDnMatDescr_t;
constexpr auto destroy_matrix = hipsparseDestroySpMat;
constexpr auto destroy_vector = hipsparseDestroyDnVec;
constexpr auto destroy_dense = hipsparseDestroyDnMat;
/// HIP's number for a value type.
template <typename T>
inline constexpr auto data_type = HIP_R_32F;
template <>
inline constexpr auto data_type<double> = HIP_R_64F;
template <>
inline constexpr auto data_type<std::complex<float>> = HIP_C_32F;
template <>
inline constexpr auto data_type<std::complex<double>> = HIP_C_64F;
#endif

#include "common/base/sparselib.inc.hpp"

}  // namespace spruce::kernels::hip::sparselib

#endif
