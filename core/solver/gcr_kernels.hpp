// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/solver/gmres_kernels.hpp"

/// The steps of generalized conjugate residuals for k right-hand sides: vectors n x k, scalars 1 x k.
namespace spruce::kernels::gcr {

using gmres::basis;
using matrix::Dense;

/// Computes row i of dots = scale^2 (q_i, q), with the reduction's scale.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& qs, const Dense<V>& q, Dense<V>& dots, const Reduction& reduction)>
    multi_dot{"gcr::multi_dot"};

/// p = z - sum_i c_i p_i, q = q - sum_i c_i q_i with c_i = dots_i / (q_i, q_i), where row i of dots is scale^2 (q_i, q) and that
/// of inv_qq 1 / (scale^2 (q_i, q_i)), also for the new q in the row after; alpha = (q, r) / (q, q). z may be p. A column stops if less than 10 epsilon
/// of q is left (breakdown_subspace), or if anything is not finite; alpha and the row of inv_qq are zero then, and where it has
/// stopped.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& ps, const basis<V>& qs, const Dense<V>& dots, const Dense<V>& z,
                                 const Dense<V>& r, Dense<V>& p, Dense<V>& q, Dense<remove_complex<V>>& inv_qq,
                                 Dense<V>& alpha, array<stopping_status>& status, const Reduction& reduction)>
    orthogonalize{"gcr::orthogonalize"};

}  // namespace spruce::kernels::gcr
