// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/lin_op.hpp>
#include <spruce/matrix/dense.hpp>

/// Contains products of dense and of structured dense matrices, on the executor of the result.
///
/// Operands on other executors are copied there. All matrices of a call are Dense of one value type
/// V, with any stride. alpha and beta are 1 x 1 in V or its other precision. If alpha is zero, the
/// matrices that it multiplies are not read. If beta is zero, the result is not read. Of a
/// symmetric, Hermitian or triangular matrix only the named triangle is read or written. Of the
/// diagonal of a Hermitian matrix only the real part is used. An operand may occupy exactly the
/// memory of the result, see LinOp.
///
/// Results are bitwise repeatable on every executor if the products of the vendor's library are.
/// `implementation::own` does not use that library.
///
/// Every function throws before anything is changed: NotSupported for matrices of other types;
/// DimensionMismatch or BadDimension for sizes that do not match.
namespace spruce::blas {

/// Lists the forms of a matrix a that a product uses: a, a^T or a^H.
enum class transposition { none, transpose, conj_transpose };

/// Names the stored part of a matrix, the diagonal included.
enum class triangle { lower, upper };

/// Names the position of the symmetric or triangular matrix in a product.
enum class side { left, right };

/// Determines if the diagonal is read or assumed to be one.
enum class diagonal { stored, unit };

/// Lists implementations of a product: chosen by its size, kernels of Spruce, or the vendor's
/// library. The library is cuBLAS on cuda, and on hip for the nvidia platform.
enum class implementation { automatic, own, vendor };

/// Computes c = alpha op_a(a) op_b(b) + beta c.
///
/// Before a product of the vendor's library the host waits for the device and reads alpha, because
/// the library would read the matrices even if alpha is zero. `implementation::own` does not
/// synchronize.
/// @throws NotSupported  if the vendor's product is requested but not available
SPRUCE_EXPORT void gemm(transposition op_a, transposition op_b, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a,
                        ptr_param<const LinOp> b, ptr_param<const LinOp> beta, ptr_param<LinOp> c,
                        implementation which = implementation::automatic);

/// Computes y = alpha a x + beta y for a symmetric matrix and vectors of one column. Each stored
/// entry is read once, so about half of the full matrix is read (doc/tuning/constants.md).
/// Workspace: up to n^2 / 32 values on GPUs, n for each thread on omp.
SPRUCE_EXPORT void symv(triangle stored, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a,
                        ptr_param<const LinOp> x, ptr_param<const LinOp> beta, ptr_param<LinOp> y);
/// Computes y = alpha a x + beta y for a Hermitian matrix and vectors of one column. Each stored
/// entry is read once. Workspace: up to n^2 / 32 values on GPUs, n for each thread on omp.
SPRUCE_EXPORT void hemv(triangle stored, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a,
                        ptr_param<const LinOp> x, ptr_param<const LinOp> beta, ptr_param<LinOp> y);

/// Computes c = alpha a b + beta c, or with side::right c = alpha b a + beta c, for symmetric a.
/// Workspace: a panel of some rows of a.
SPRUCE_EXPORT void symm(side where, triangle stored, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a,
                        ptr_param<const LinOp> b, ptr_param<const LinOp> beta, ptr_param<LinOp> c);
/// Computes c = alpha a b + beta c, or with side::right c = alpha b a + beta c, for Hermitian a.
/// Workspace: a panel of some rows of a.
SPRUCE_EXPORT void hemm(side where, triangle stored, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a,
                        ptr_param<const LinOp> b, ptr_param<const LinOp> beta, ptr_param<LinOp> c);

/// Computes one triangle of c = alpha a a^T + beta c, or with transposed a of c = alpha a^T a +
/// beta c. This is half the work of the full product.
/// @throws NotSupported  for transposition::conj_transpose of complex matrices
SPRUCE_EXPORT void syrk(triangle written, transposition op, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a,
                        ptr_param<const LinOp> beta, ptr_param<LinOp> c);
/// Computes one triangle of c = alpha a a^H + beta c, or with conj_transpose of c = alpha a^H a +
/// beta c. alpha and beta are real 1 x 1 matrices. The diagonal of c becomes real.
/// @throws NotSupported  for transposition::transpose of complex matrices
SPRUCE_EXPORT void herk(triangle written, transposition op, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a,
                        ptr_param<const LinOp> beta, ptr_param<LinOp> c);

/// Computes one triangle of c = alpha (a b^T + b a^T) + beta c, or with transpose of c = alpha (a^T
/// b + b^T a) + beta c.
/// @throws NotSupported  for transposition::conj_transpose of complex matrices
SPRUCE_EXPORT void syr2k(triangle written, transposition op, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a,
                         ptr_param<const LinOp> b, ptr_param<const LinOp> beta, ptr_param<LinOp> c);
/// Computes one triangle of c = alpha a b^H + conj(alpha) b a^H + beta c, or with conj_transpose of
/// c = alpha a^H b + conj(alpha) b^H a + beta c. beta is real. The diagonal of c becomes real.
/// @throws NotSupported  for transposition::transpose of complex matrices
SPRUCE_EXPORT void her2k(triangle written, transposition op, ptr_param<const LinOp> alpha, ptr_param<const LinOp> a,
                         ptr_param<const LinOp> b, ptr_param<const LinOp> beta, ptr_param<LinOp> c);

/// Computes b = alpha op(a) b, or with side::right b = alpha b op(a), for triangular a. This is
/// half the work of the product with a full matrix. The blocks of a are processed by recursion.
/// Workspace: a block of a and a panel of b.
SPRUCE_EXPORT void trmm(side where, triangle stored, transposition op, diagonal ones, ptr_param<const LinOp> alpha,
                        ptr_param<const LinOp> a, ptr_param<LinOp> b);

}  // namespace spruce::blas
