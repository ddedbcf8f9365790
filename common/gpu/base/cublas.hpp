// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Multiplies dense matrices with cuBLAS, for CUDA and for HIP's nvidia platform. The failures are
// thrown as blas_error, which the including header defines in namespace vendor_blas.

#include <algorithm>
#include <complex>
#include <limits>
#include <mutex>

#include <cublas_v2.h>

#include <spruce/matrix/dense_blas.hpp>

#include "common/backend.hpp"
#include "common/gpu/base/runtime.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::vendor_blas {

constexpr bool is_present = true;

inline void throw_on_blas_error(cublasStatus_t status, const char* what)
{
    if (status != CUBLAS_STATUS_SUCCESS) {
        throw blas_error(__FILE__, __LINE__, what, static_cast<int64>(status), cublasGetStatusName(status));
    }
}

inline void* create_handle(void* stream)
{
    cublasHandle_t handle{};
    throw_on_blas_error(cublasCreate(&handle), "a handle of the library for dense matrices");
    throw_on_blas_error(cublasSetStream(handle, static_cast<cudaStream_t>(stream)), "the handle's stream");
    return handle;
}

inline void destroy_handle(void* handle) { static_cast<void>(cublasDestroy(static_cast<cublasHandle_t>(handle))); }

/// Maps a value type to the type and the routine of the library.
template <typename V>
struct routines {
    using type = V;
    static constexpr auto gemm = cublasSgemm;
};
template <>
struct routines<double> {
    using type = double;
    static constexpr auto gemm = cublasDgemm;
};
template <>
struct routines<std::complex<float>> {
    using type = cuComplex;
    static constexpr auto gemm = cublasCgemm;
};
template <>
struct routines<std::complex<double>> {
    using type = cuDoubleComplex;
    static constexpr auto gemm = cublasZgemm;
};

inline cublasOperation_t operation_of(blas::transposition op)
{
    switch (op) {
    case blas::transposition::none:
        return CUBLAS_OP_N;
    case blas::transposition::transpose:
        return CUBLAS_OP_T;
    default:
        return CUBLAS_OP_C;
    }
}

/// Returns true if all sizes are within the library's limits.
template <typename V>
bool can_multiply(const matrix::Dense<V>& a, const matrix::Dense<V>& b, const matrix::Dense<V>& c)
{
    constexpr size_type limit = std::numeric_limits<int>::max();
    const auto fits = [](const matrix::Dense<V>& x) {
        return x.get_size()[0] <= limit && x.get_size()[1] <= limit && x.get_stride() <= limit;
    };
    return fits(a) && fits(b) && fits(c);
}

/// Computes c = alpha op_a(a) op_b(b) + beta c with scalars on the device.
///
/// Null pointers stand for alpha = 1 and beta = 0; either both scalars are null or none is. The
/// library stores matrices by columns and Dense stores them by rows. Therefore the transposed
/// product c^T = op_b(b)^T op_a(a)^T is computed.
template <typename V>
void gemm(const DeviceExecutor& exec, blas::transposition op_a, blas::transposition op_b, const V* alpha,
          const matrix::Dense<V>& a, const matrix::Dense<V>& b, const V* beta, matrix::Dense<V>& c)
{
    using T = typename routines<V>::type;
    const auto as_type = [](const V* values) { return reinterpret_cast<const T*>(values); };
    const auto to_int = [](size_type size) { return static_cast<int>(size); };
    const auto depth = a.get_size()[op_a == blas::transposition::none ? 1 : 0];
    if (c.get_size()[0] == 0 || c.get_size()[1] == 0) {
        return;
    }
    // The library requires a leading dimension of at least 1, even for an empty matrix.
    const auto stride_of = [&](const matrix::Dense<V>& x) { return to_int(std::max<size_type>(x.get_stride(), 1)); };
    const V constants[]{one<V>(), zero<V>()};
    const auto handle = static_cast<cublasHandle_t>(exec.get_raw_blas_handle());
    static std::mutex mutex;  // the mode belongs to the handle, which threads may share
    const std::lock_guard<std::mutex> lock{mutex};
    throw_on_blas_error(cublasSetPointerMode(handle, alpha ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST),
                        "where the scalars of a product are");
    exec.count_launch();
    throw_on_blas_error(
        routines<V>::gemm(handle, operation_of(op_b), operation_of(op_a), to_int(c.get_size()[1]),
                          to_int(c.get_size()[0]), to_int(depth), as_type(alpha ? alpha : constants),
                          as_type(b.get_const_values()), stride_of(b), as_type(a.get_const_values()), stride_of(a),
                          as_type(beta ? beta : constants + 1), reinterpret_cast<T*>(c.get_values()), stride_of(c)),
        "a product of dense matrices");
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::vendor_blas
