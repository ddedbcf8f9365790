// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/lin_op.hpp>
#include <spruce/matrix/dense.hpp>

/// Products of dense matrices with structure, on the executor of the result; operands that live elsewhere are copied there.
/// All matrices of a call are Dense of one value type V, of any strides; alpha and beta are 1 x 1 in V or its other
/// precision. Where alpha is zero, the matrices that it multiplies are not read, and where beta is zero, the result is not.
/// Of a symmetric, Hermitian or triangular matrix only the triangle named is read or written, and of the diagonal of a
/// Hermitian matrix only the real part counts. Operands may lie in exactly the memory of the
/// result, see LinOp.
/// Bitwise repeatable on every executor, if the vendor's products are, which `implementation::own` does without.
/// Every function throws, before anything is changed: NotSupported for matrices of other types; DimensionMismatch or
/// BadDimension for sizes that do not fit.
namespace spruce::blas {

/// What is multiplied in place of a matrix.
enum class transposition { none, transpose, conj_transpose };

/// The stored part of a matrix, the diagonal included.
enum class triangle { lower, upper };

/// Where the symmetric or triangular matrix stands in a product.
enum class side { left, right };

/// Whether the entries of the diagonal are read or taken as one.
enum class diagonal { stored, unit };

/// Who computes a product: chosen by its size, Spruce's kernels, or the vendor's library (cuBLAS on cuda, and on hip for
/// the nvidia platform).
enum class implementation { automatic, own, vendor };

/// c = alpha op_a(a) op_b(b) + beta c
/// Before a product goes to the vendor's library the host waits for the device and reads alpha, since the library would read the
/// matrices even where that is zero; `implementation::own` never waits.
/// @throws NotSupported  if the vendor's product is asked for where there is none
SPRUCE_EXPORT void gemm(transposition op_a, transposition op_b, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a,
                        ptr_param<const LinOp> b, ptr_param<const LinOp> beta, ptr_param<LinOp> c,
                        implementation which = implementation::automatic);

/// y = alpha a x + beta y for a symmetric matrix and vectors of one column. Each stored entry is read once: about half the
/// time of a product with the full matrix. Workspace: up to n^2 / 32 values on GPUs, n for each thread on omp.
SPRUCE_EXPORT void symv(triangle stored, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a,
                        ptr_param<const LinOp> x, ptr_param<const LinOp> beta, ptr_param<LinOp> y);
/// The same for a Hermitian matrix.
SPRUCE_EXPORT void hemv(triangle stored, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a,
                        ptr_param<const LinOp> x, ptr_param<const LinOp> beta, ptr_param<LinOp> y);

/// c = alpha a b + beta c, or with side::right c = alpha b a + beta c, for symmetric a. Workspace: a panel of some rows of a.
SPRUCE_EXPORT void symm(side where, triangle stored, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a,
                        ptr_param<const LinOp> b, ptr_param<const LinOp> beta, ptr_param<LinOp> c);
/// The same for Hermitian a.
SPRUCE_EXPORT void hemm(side where, triangle stored, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a,
                        ptr_param<const LinOp> b, ptr_param<const LinOp> beta, ptr_param<LinOp> c);

/// One triangle of c = alpha a a^T + beta c, or with transposed a of c = alpha a^T a + beta c: half the work of the product.
/// @throws NotSupported  for transposition::conj_transpose of complex matrices
SPRUCE_EXPORT void syrk(triangle written, transposition op, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a,
                        ptr_param<const LinOp> beta, ptr_param<LinOp> c);
/// One triangle of c = alpha a a^H + beta c, or with conj_transpose of c = alpha a^H a + beta c; alpha and beta are real
/// matrices of one entry. The diagonal of c becomes real.
/// @throws NotSupported  for transposition::transpose of complex matrices
SPRUCE_EXPORT void herk(triangle written, transposition op, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a,
                        ptr_param<const LinOp> beta, ptr_param<LinOp> c);

/// One triangle of c = alpha (a b^T + b a^T) + beta c, or with transpose of c = alpha (a^T b + b^T a) + beta c.
/// @throws NotSupported  for transposition::conj_transpose of complex matrices
SPRUCE_EXPORT void syr2k(triangle written, transposition op, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a,
                         ptr_param<const LinOp> b, ptr_param<const LinOp> beta, ptr_param<LinOp> c);
/// One triangle of c = alpha a b^H + conj(alpha) b a^H + beta c, or with conj_transpose of
/// c = alpha a^H b + conj(alpha) b^H a + beta c; beta is real. The diagonal of c becomes real.
/// @throws NotSupported  for transposition::transpose of complex matrices
SPRUCE_EXPORT void her2k(triangle written, transposition op, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a,
                         ptr_param<const LinOp> b, ptr_param<const LinOp> beta, ptr_param<LinOp> c);

/// b = alpha op(a) b, or with side::right b = alpha b op(a), for triangular a: half the work of the product.
/// By recursion on the blocks of a; workspace: a block of a and a panel of b.
SPRUCE_EXPORT void trmm(side where, triangle stored, transposition op, diagonal ones, ptr_param<const LinOp> alpha,
                        ptr_param<const LinOp> a, ptr_param<LinOp> b);

}  // namespace spruce::blas
