// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/matrix/dense_gemm.hpp"
#include "core/base/instantiate.hpp"
#include "core/matrix/dense_blas_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace dense {

template <typename V>
void run_transposed_gemm(const DeviceExecutor& exec, const V* alpha, const Dense<V>& a, transposition op_a,
                         const Dense<V>& b, transposition op_b, const V* beta, Dense<V>& c, output_triangle part)
{
    if (op_a != transposition::none) {
        run_gemm<true, false>(exec, alpha, a, op_a == transposition::conj_transpose, b, false, beta, c, part);
    } else {
        run_gemm<false, true>(exec, alpha, a, false, b, op_b == transposition::conj_transpose, beta, c, part);
    }
}

#define SPRUCE_RUN_TRANSPOSED_GEMM(_value)                                                                       \
    void run_transposed_gemm(const DeviceExecutor& exec, const _value* alpha, const Dense<_value>& a,            \
                             transposition op_a, const Dense<_value>& b, transposition op_b, const _value* beta, \
                             Dense<_value>& c, output_triangle part)
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_TYPE(SPRUCE_RUN_TRANSPOSED_GEMM);

}  // namespace dense

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
