// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

#include "core/base/kernel.hpp"

/// Declares the kernels for products and sums of sparse matrices. Patterns are structural: an entry
/// is stored even if its terms cancel or a factor is zero. No row of b or d may contain a column
/// twice. Each entry is the sum of its terms in a fixed order.
namespace spruce::kernels::csr {

using matrix::Csr;
using matrix::Dense;

/// Computes counts[i] = the number of entries in row i of a b, or of alpha a b + beta d if d is not
/// null. Shapes: a: m x n, b: n x k, d: m x k.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, const Csr<V, I>& b, const Csr<V, I>* d, I* counts)> spgemm_count{
    "csr::spgemm_count"};

/// Writes the sorted column indices and the values of c = alpha a b + beta d. c has the row
/// pointers from spgemm_count. A null alpha stands for 1. d and beta are both null or both not
/// null. If alpha or beta is zero, the values of its operand are ignored, even if they are NaN.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>* alpha, const Csr<V, I>& a, const Csr<V, I>& b, const Dense<V>* beta,
                                 const Csr<V, I>* d, Csr<V, I>& c)>
    spgemm_fill{"csr::spgemm_fill"};

/// Computes only the values of c = alpha a b + beta d. c has sorted column indices already. Terms
/// outside the pattern of c are dropped. A null alpha stands for 1. d and beta are both null or
/// both not null. If alpha or beta is zero, the values of its operand are ignored, even if they are
/// NaN.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>* alpha, const Csr<V, I>& a, const Csr<V, I>& b, const Dense<V>* beta,
                                 const Csr<V, I>* d, Csr<V, I>& c)>
    spgemm_values{"csr::spgemm_values"};

/// Computes counts[i] = the number of entries in row i of alpha a + beta b. a and b are m x n with
/// sorted column indices. tmp receives intermediate results for spgeam_fill, or remains empty.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, const Csr<V, I>& b, I* counts, array<I>& tmp)> spgeam_count{
    "csr::spgeam_count"};

/// Writes the column indices and values of c = alpha a + beta b. c has the row pointers from
/// spgeam_count. If alpha or beta is zero, the values of its operand are ignored. tmp is the result
/// of spgeam_count, or empty.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const Csr<V, I>& a, const Dense<V>& beta, const Csr<V, I>& b,
                                 Csr<V, I>& c, array<I>& tmp)>
    spgeam_fill{"csr::spgeam_fill"};

}  // namespace spruce::kernels::csr
