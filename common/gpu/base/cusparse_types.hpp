// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <complex>

#include <cusparse.h>

#include "common/backend.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::sparselib {

// The types and constants of cuSPARSE, for CUDA and for HIP on NVIDIA devices.
constexpr auto spmv_default = CUSPARSE_SPMV_ALG_DEFAULT;
constexpr auto spmm_default = CUSPARSE_SPMM_ALG_DEFAULT;
// The functions of cuSPARSE that destroy descriptors take pointers to const. These functions have
// the types that owners of descriptors use.
using matrix_descriptor = cusparseSpMatDescr_t;
using vector_descriptor = cusparseDnVecDescr_t;
using dense_descriptor = cusparseDnMatDescr_t;
inline cusparseStatus_t destroy_matrix(matrix_descriptor matrix) { return cusparseDestroySpMat(matrix); }
inline cusparseStatus_t destroy_vector(vector_descriptor vector) { return cusparseDestroyDnVec(vector); }
inline cusparseStatus_t destroy_dense(dense_descriptor dense) { return cusparseDestroyDnMat(dense); }

/// CUDA's constant for a value type.
template <typename T>
inline constexpr auto data_type = CUDA_R_32F;
template <>
inline constexpr auto data_type<double> = CUDA_R_64F;
template <>
inline constexpr auto data_type<std::complex<float>> = CUDA_C_32F;
template <>
inline constexpr auto data_type<std::complex<double>> = CUDA_C_64F;

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::sparselib
