// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/solver/gmres_kernels.hpp"

/// Declares the steps of generalized conjugate residuals for k right-hand sides: vectors n x k,
/// scalars 1 x k.
namespace spruce::kernels::gcr {

using gmres::basis;
using matrix::Dense;

/// Refers to the directions p_i since the last restart and their images q_i = A p_i. dots and
/// inv_qq have a row for each of them.
template <typename V>
struct directions {
    const basis<V>& ps;
    const basis<V>& qs;
    const Dense<V>& dots;              ///< scale^2 (q_i, q) for the new q
    Dense<remove_complex<V>>& inv_qq;  ///< 1 / (scale^2 (q_i, q_i)); one more row for the new q
    Dense<remove_complex<V>>& size;    ///< the largest ||q|| / ||p|| so far, 1 x k
};

/// Computes dots = scale^2 (q_i, q) in row i, with the scale of reduction.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& qs, const Dense<V>& q, Dense<V>& dots, const Reduction& reduction)>
    multi_dot{"gcr::multi_dot"};

/// Computes the new direction p = z - sum_i c_i p_i and its image q = q - sum_i c_i q_i, where
/// c_i = (q_i, q) / (q_i, q_i), and alpha = (q, r) / (q, q). z may be p. A column stops
/// (breakdown_subspace) if ||q|| is at most 10 epsilon times its value before the subtraction, or
/// 10 epsilon size ||p||: q then consists of rounding errors. It also stops if anything is not
/// finite. alpha and the new row of inv_qq are zero in columns that have stopped.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const directions<V>& before, const Dense<V>& z, const Dense<V>& r, Dense<V>& p,
                                 Dense<V>& q, Dense<V>& alpha, array<stopping_status>& status,
                                 const Reduction& reduction)>
    orthogonalize{"gcr::orthogonalize"};

}  // namespace spruce::kernels::gcr
