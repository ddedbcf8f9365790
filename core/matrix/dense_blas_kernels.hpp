// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense_blas.hpp>

#include "core/base/kernel.hpp"

/// Declares the kernels for products of structured dense matrices. The sizes of the operands match;
/// alpha and beta are 1 x 1. If alpha or beta is zero, its operand is not read. Results do not
/// overlap operands.
namespace spruce::kernels::dense {

using blas::diagonal;
using blas::implementation;
using blas::transposition;
using blas::triangle;
using matrix::Dense;

/// Selects the entries of a result that are read and written.
enum class output_triangle { all, lower, upper };

/// Defines the entries outside the stored triangle.
enum class mirroring { none, symmetric, hermitian };

/// Computes c = alpha op_a(a) op_b(b) + beta c for a part of c. implementation::vendor supports
/// only output_triangle::all.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const Dense<V>& a, transposition op_a, const Dense<V>& b,
                                 transposition op_b, const Dense<V>& beta, Dense<V>& c, output_triangle part,
                                 implementation which)>
    gemm{"dense::gemm"};

/// Computes y = alpha a x + beta y for a square a. Only the stored triangle of a is read. x and y
/// have one column.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const Dense<V>& a, triangle stored, mirroring kind,
                                 const Dense<V>& x, const Dense<V>& beta, Dense<V>& y)>
    symv{"dense::symv"};

/// Expands rows of a matrix of which one triangle is stored. b = rows first_row, ... of a. Entries
/// outside the stored triangle are mirrored, or zero if kind is mirroring::none. The diagonal
/// consists of ones if it is not stored.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& a, triangle stored, mirroring kind, diagonal ones, size_type first_row,
                                 Dense<V>& b)>
    expand_rows{"dense::expand_rows"};

/// Computes x_ii = Re x_ii.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(Dense<V>& x)> make_diagonal_real{"dense::make_diagonal_real"};

}  // namespace spruce::kernels::dense
