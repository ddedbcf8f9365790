// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense_blas.hpp>

#include "core/base/kernel.hpp"

/// Products of dense matrices with structure. Operands of one call have fitting sizes; alpha and beta are 1 x 1, and where one
/// is zero its operand is not read. Results do not overlap operands.
namespace spruce::kernels::dense {

using blas::diagonal;
using blas::implementation;
using blas::transposition;
using blas::triangle;
using matrix::Dense;

/// Which entries of a result are read and written.
enum class written_part { all, lower, upper };

/// How the entries beyond the stored triangle follow from it.
enum class mirroring { none, symmetric, hermitian };

/// c = alpha op_a(a) op_b(b) + beta c for a part of c; implementation::vendor computes all of c only
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const Dense<V>& a, transposition op_a, const Dense<V>& b,
                                 transposition op_b, const Dense<V>& beta, Dense<V>& c, written_part part,
                                 implementation which)>
    gemm{"dense::gemm"};

/// y = alpha a x + beta y for square a, of which only the stored triangle is read; x and y have one column
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const Dense<V>& a, triangle stored, mirroring kind,
                                 const Dense<V>& x, const Dense<V>& beta, Dense<V>& y)>
    symv{"dense::symv"};

/// b = rows first_row, ... of a, with what the stored triangle says of the rest: mirrored, or zero where kind is none; with
/// ones on the diagonal if it is not stored
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& a, triangle stored, mirroring kind, diagonal ones, size_type first_row,
                                 Dense<V>& b)>
    expand_rows{"dense::expand_rows"};

/// x_ii = real part of x_ii
template <typename V>
SPRUCE_EXPORT inline Kernel<void(Dense<V>& x)> make_diagonal_real{"dense::make_diagonal_real"};

}  // namespace spruce::kernels::dense
