// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Contains the common parts of the products of dense matrices. The products are compiled
// separately, since their kernels take long to compile.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/matrix/dense_chunk.hpp"
#include "core/matrix/dense_blas_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace dense {

using blas::transposition;
using kernels::dense::output_triangle;
using matrix::Dense;

namespace gemm_kernel {

template <typename T>
__device__ __forceinline__ void add_product(T& sum, const T& a, const T& b)
{
    sum += a * b;
}
/// Adds a product by four fused operations. A separate complex product would be rounded first.
template <typename T>
__device__ __forceinline__ void add_product(device_complex<T>& sum, const device_complex<T>& a,
                                            const device_complex<T>& b)
{
    sum.re += a.re * b.re;
    sum.re -= a.im * b.im;
    sum.im += a.re * b.im;
    sum.im += a.im * b.re;
}

/// Stores an entry of the result for a sum.
template <typename T>
__device__ __forceinline__ void store_result(const T* alpha, const T& sum, const T* beta, T& result)
{
    const auto factor = alpha ? *alpha : one<T>();
    const auto old_factor = beta ? *beta : T{};
    const auto product = is_zero(factor) ? T{} : factor * sum;
    result = is_zero(old_factor) ? product : product + old_factor * result;
}

template <typename T>
struct operand {
    const T* values;
    size_type stride;
    bool is_aligned;  ///< every row begins at a multiple of a chunk's bytes
    bool conjugates;
};

}  // namespace gemm_kernel

template <typename V>
gemm_kernel::operand<device_type<V>> operand_of(const Dense<V>& x, bool conjugates = false)
{
    return {as_device(x.get_const_values()), x.get_stride(), has_aligned_rows(x), conjugates};
}

/// Number of columns up to which the product is limited by reading a.
constexpr size_type max_vectors = 8;

/// Computes c = alpha a b + beta c for few columns; null stands for alpha = 1 and beta = 0.
template <typename V>
void run_gemv(const DeviceExecutor& exec, const V* alpha, const Dense<V>& a, const Dense<V>& b, const V* beta,
              Dense<V>& c);

/// Computes a part of c = alpha op_a(a) op_b(b) + beta c with either a or b transposed, not both.
template <typename V>
void run_transposed_gemm(const DeviceExecutor& exec, const V* alpha, const Dense<V>& a, transposition op_a,
                         const Dense<V>& b, transposition op_b, const V* beta, Dense<V>& c, output_triangle part);

}  // namespace dense

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
