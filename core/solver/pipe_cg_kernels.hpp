// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>
#include <spruce/stop/stopping_status.hpp>

#include "core/base/kernel.hpp"

/// Declares the steps of pipelined conjugate gradients for k right-hand sides: vectors n x k,
/// scalars 1 x k. Columns that have stopped do not change, except for rho, alpha and beta. Inner
/// products are scaled (see Reduction::set_scale()), norms are not.
namespace spruce::kernels::pipe_cg {

using matrix::Dense;

/// Refers to vectors: u = M^-1 r, w = A u; p: direction, s = A p, q = M^-1 s, z = A q; m = M^-1 w,
/// n = A m. Without a preconditioner u is r, q is s, m is w.
template <typename V>
struct vectors {
    Dense<V>& x;
    Dense<V>& r;
    Dense<V>& u;
    Dense<V>& w;
    Dense<V>& p;
    Dense<V>& s;
    Dense<V>& q;
    Dense<V>& z;
    const Dense<V>& m;
    const Dense<V>& n;

    bool is_preconditioned() const { return u.get_const_values() != r.get_const_values(); }
};

/// Refers to scalars. The prefix prev marks values of the previous step.
template <typename V>
struct scalars {
    const Dense<V>& prev_rho;
    const Dense<V>& prev_alpha;
    Dense<V>& rho;
    Dense<V>& alpha;
    Dense<V>& beta;
    Dense<remove_complex<V>>& norm;
    Dense<remove_complex<V>>& largest_norm;  ///< largest since the last computation from x
    Dense<remove_complex<V>>& start_norm;    ///< norm of the true residual at the last start
};

/// Computes rho = (r, u), norm = ||r||, beta = -(s, u) / (s, p), alpha = rho / ((w, u) + beta (u,
/// s)), or beta = alpha = 0 if one is not finite. If prev_rho is zero, there is no direction p yet:
/// beta = 0 and alpha = rho / (w, u). Columns whose norm is zero (converged) or not finite stop. If
/// the new norm is more than twice the one before, a column stops (stagnation) unless the norm is
/// less than half of start_norm; start_norm becomes the smaller one.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const vectors<V>& with, const scalars<V>& coefficients, array<stopping_status>& status,
                                 const Reduction& reduction)>
    start{"pipe_cg::start"};

/// Computes z = n + beta z, q = m + beta q, s = w + beta s, p = u + beta p; x = x + prev_alpha p,
/// r = r - prev_alpha s, u = u - prev_alpha q, w = w - prev_alpha z. In the same pass computes the
/// scalars that start computes. Columns stop if their norm is zero (converged) or not finite, if
/// prev_alpha is zero (a breakdown), or if norm is at most 10 epsilon largest_norm (stagnation).
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const vectors<V>& with, const scalars<V>& coefficients, array<stopping_status>& status,
                                 const Reduction& reduction)>
    step{"pipe_cg::step"};

}  // namespace spruce::kernels::pipe_cg
