// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>

#include "core/base/kernel.hpp"

/// Declares the kernels of Dense. The sizes of the operands match. A scalar operand is 1 x 1 or 1 x
/// columns. Results of reductions are 1 x columns. Reductions sum over the rows of all parts of a
/// distributed vector.
namespace spruce::kernels::dense {

using matrix::Dense;

/// Sets x_ij = value.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(Dense<V>& x, const V& value)> fill{"dense::fill"};

/// Computes y = x, converted to the type of y.
template <typename From, typename To>
SPRUCE_EXPORT inline Kernel<void(const Dense<From>& x, Dense<To>& y)> copy{"dense::copy"};

/// Computes x = alpha x. If alpha is zero, the result is zero.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, Dense<V>& x)> scale{"dense::scale"};

/// Computes x = x / alpha.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, Dense<V>& x)> inv_scale{"dense::inv_scale"};

/// Computes y = y + alpha x. If alpha is zero, x is ignored, even if it contains NaN.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const Dense<V>& x, Dense<V>& y)> add_scaled{
    "dense::add_scaled"};

/// Computes y = y - alpha x. If alpha is zero, x is ignored, even if it contains NaN.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const Dense<V>& x, Dense<V>& y)> sub_scaled{
    "dense::sub_scaled"};

/// Computes the scaled inner products result_j = sum_i x_ij y_ij (see Reduction::set_scale()).
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& x, const Dense<V>& y, Dense<V>& result, const Reduction& reduction)>
    dot{"dense::dot"};

/// Computes the scaled inner products result_j = sum_i conj(x_ij) y_ij (see
/// Reduction::set_scale()).
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& x, const Dense<V>& y, Dense<V>& result, const Reduction& reduction)>
    conj_dot{"dense::conj_dot"};

/// Computes result_j = sqrt(sum_i |x_ij|^2). Squares of entries may overflow or underflow, whatever
/// the scales of reduction are. The result is infinite if an entry is infinite, and NaN if an entry
/// is NaN.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& x, Dense<remove_complex<V>>& result, const Reduction& reduction)>
    norm2{"dense::norm2"};

/// Computes result_j = sum_i |x_ij|.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& x, Dense<remove_complex<V>>& result, const Reduction& reduction)>
    norm1{"dense::norm1"};

/// Computes result_j = sum_i |x_ij|^2.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& x, Dense<remove_complex<V>>& result, const Reduction& reduction)>
    squared_norm2{"dense::squared_norm2"};

/// Computes result_j = (sum_i x_ij) / rows. The result is NaN if there are no rows.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& x, Dense<V>& result, const Reduction& reduction)> mean{"dense::mean"};

/// Computes x = alpha I + beta x with 1 x 1 alpha and beta. If beta is zero, x is not read.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const Dense<V>& beta, Dense<V>& x)> add_scaled_identity{
    "dense::add_scaled_identity"};

/// Computes x_ij = |x_ij|.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(Dense<V>& x)> inplace_absolute{"dense::inplace_absolute"};

/// Computes y_ij = |x_ij|.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& x, Dense<remove_complex<V>>& y)> outplace_absolute{
    "dense::outplace_absolute"};

/// Computes y_ij = x_ij, with imaginary part zero if x is real.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& x, Dense<to_complex<V>>& y)> make_complex{"dense::make_complex"};

/// Computes y_ij = Re x_ij.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& x, Dense<remove_complex<V>>& y)> get_real{"dense::get_real"};

/// Computes y_ij = Im x_ij, which is zero if x is real.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& x, Dense<remove_complex<V>>& y)> get_imag{"dense::get_imag"};

/// Computes c = a b. Shapes: a: m x n, b: n x k, c: m x k. c is overwritten.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& a, const Dense<V>& b, Dense<V>& c)> simple_apply{
    "dense::simple_apply"};

/// Computes c = alpha a b + beta c with 1 x 1 alpha and beta. If alpha or beta is zero, its operand
/// is not read.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const Dense<V>& a, const Dense<V>& b, const Dense<V>& beta,
                                 Dense<V>& c)>
    apply{"dense::apply"};

/// Computes y_ji = x_ij.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& x, Dense<V>& y)> transpose{"dense::transpose"};

/// Computes y_ji = conj(x_ij).
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& x, Dense<V>& y)> conj_transpose{"dense::conj_transpose"};

/// Computes counts[i] = the number of entries of row i that are not exactly zero.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& x, I* counts)> count_nonzeros_per_row{"dense::count_nonzeros_per_row"};

/// Writes the nonzeros of row i, in the order of columns, to col_idxs and values from row_ptrs[i]
/// on.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& x, const I* row_ptrs, I* col_idxs, V* values)> collect_nonzeros{
    "dense::collect_nonzeros"};

}  // namespace spruce::kernels::dense
