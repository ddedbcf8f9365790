// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

#include "core/base/kernel.hpp"

/// Products and sums of sparse matrices. Patterns are structural: an entry whose terms cancel, or whose factor is zero, is
/// stored. No row of b or d may have a column twice. Each entry is the sum of its terms in a fixed order.
namespace spruce::kernels::csr {

using matrix::Csr;
using matrix::Dense;

/// counts[i] = number of columns in row i of a b, or, where d is not null, of alpha a b + beta d.
/// a: m x n, b: n x k, d: m x k.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, const Csr<V, I>& b, const Csr<V, I>* d, I* counts)> spgemm_count{
    "csr::spgemm_count"};

/// The columns, in order, and values of c = alpha a b + beta d; c has the row pointers that spgemm_count gave. Null alpha is
/// 1; d and beta are both null or both there. Where alpha or beta is zero its operand's values do not count, NaN or not.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>* alpha, const Csr<V, I>& a, const Csr<V, I>& b, const Dense<V>* beta,
                                 const Csr<V, I>* d, Csr<V, I>& c)>
    spgemm_fill{"csr::spgemm_fill"};

/// The values only, where c has columns in order already; terms outside of c's pattern are dropped.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>* alpha, const Csr<V, I>& a, const Csr<V, I>& b, const Dense<V>* beta,
                                 const Csr<V, I>* d, Csr<V, I>& c)>
    spgemm_values{"csr::spgemm_values"};

/// counts[i] = number of columns in row i of alpha a + beta b. a, b: m x n with sorted columns.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, const Csr<V, I>& b, I* counts)> spgeam_count{"csr::spgeam_count"};

/// Columns and values of c = alpha a + beta b; c has the row pointers that spgeam_count gave. Where alpha or beta is zero
/// its operand's values do not count.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const Csr<V, I>& a, const Dense<V>& beta, const Csr<V, I>& b,
                                 Csr<V, I>& c)>
    spgeam_fill{"csr::spgeam_fill"};

}  // namespace spruce::kernels::csr
