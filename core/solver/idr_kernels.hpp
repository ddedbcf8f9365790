// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include <spruce/matrix/dense.hpp>
#include <spruce/stop/stopping_status.hpp>

#include "core/base/kernel.hpp"

/// Declares the steps of IDR(s) for k right-hand sides: vectors n x k, scalars 1 x k. P is n x s,
/// the same for all right-hand sides. Columns that have stopped keep x and r.
namespace spruce::kernels::idr {

using matrix::Dense;

/// Lists vectors of equal size and stride.
template <typename V>
using vectors = std::vector<const Dense<V>*>;

/// Refers to the scalars of the recurrence. Matrices have a column for each right-hand side.
template <typename V>
struct state {
    /// s^2 rows: (p_i, g_j) in row i + s j, for i >= j; zero for i = j if there is no g_j yet.
    Dense<V>& m;
    Dense<V>& f;      ///< s rows: (p_i, r)
    Dense<V>& c;      ///< s rows: the solution of m c = f; zero if there is no g_i
    Dense<V>& alpha;  ///< s rows: components of g_k along g_0, ..., g_(k-1)
    Dense<V>& beta;
    Dense<V>& omega;
    Dense<remove_complex<V>>& norm;        ///< norm of r
    Dense<remove_complex<V>>& start_norm;  ///< norm of r at the last start
    array<size_type>& breakdown;           ///< k: the stop_reason met in this cycle; 0: none
};

/// Refers to a direction u and its image g = A u.
template <typename V>
struct direction {
    Dense<V>& g;
    Dense<V>& u;
};

/// Fills p with uniformly distributed numbers in (-1, 1). They depend only on the row in the whole
/// system and on the column. Imaginary parts are zero unless with_imaginary_part.
/// @param first_row  number of rows in the parts of a distributed system before this one
template <typename V>
SPRUCE_EXPORT inline Kernel<void(Dense<V>& p, size_type first_row, bool with_imaginary_part)> fill_random{
    "idr::fill_random"};

/// Starts the recurrence: f = P^H r, no g_i, omega = 1.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& p, const Dense<V>& r, const state<V>& state,
                                 const array<stopping_status>& status, const Reduction& reduction)>
    start{"idr::start"};

/// Computes v = r - sum_(i >= k) c_i g_i, where gs has g_k, ..., g_(s-1).
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const state<V>& state, size_type k, const vectors<V>& gs, const Dense<V>& r,
                                 Dense<V>& v)>
    compute_v{"idr::compute_v"};

/// Computes u = omega (z - sum_(i >= k) c_i g_i) + sum_(i >= k) c_i u_i, where u is u_k. gs is
/// empty if z = M^-1 v: compute_v has subtracted the g_i from v.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const state<V>& state, size_type k, const vectors<V>& gs, const vectors<V>& us,
                                 const Dense<V>& z, Dense<V>& u)>
    compute_u{"idr::compute_u"};

/// Computes column k of m, P^H g, and the alpha for which g - sum_(i < k) alpha_i g_i is orthogonal
/// to p_0, ..., p_(k-1). Column k of m becomes that of the orthogonal vector. beta = f_k / m_kk; f
/// and c become those of r - beta g. If m_kk is a rounding error, it becomes zero, and so do alpha,
/// beta and c until the cycle ends (breakdown_inner_product). Columns in which g is not finite
/// stop.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& p, const Dense<V>& g, size_type k, const state<V>& state,
                                 array<stopping_status>& status, const Reduction& reduction)>
    project_g{"idr::project_g"};

/// Computes g = g - sum_i alpha_i g_i, u = u - sum_i alpha_i u_i, r = r - beta g, x = x + beta u
/// and norm = ||r||, where gs has g_0, ..., g_(k-1).
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const vectors<V>& gs, const vectors<V>& us, const direction<V>& next,
                                 const state<V>& state, Dense<V>& x, Dense<V>& r, array<stopping_status>& status,
                                 const Reduction& reduction)>
    update_x_and_r{"idr::update_x_and_r"};

/// Computes omega = (t, r) / (t, t). Enlarges it to the absolute value kappa ||r|| / ||t|| if it is
/// smaller, unless the cycle has broken down. If omega is zero, the cycle breaks down
/// (breakdown_stabilization).
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& t, const Dense<V>& r, remove_complex<V> kappa, const state<V>& state,
                                 array<stopping_status>& status, const Reduction& reduction)>
    compute_omega{"idr::compute_omega"};

/// Computes r = r - omega t, x = x + omega z, norm = ||r||, f = P^H r, and c. z may be r. Columns
/// whose cycle has broken down restart if the norm is smaller than at their last start, and stop
/// otherwise.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& p, const Dense<V>& z, const Dense<V>& t, const state<V>& state,
                                 Dense<V>& x, Dense<V>& r, array<stopping_status>& status, const Reduction& reduction)>
    finish_cycle{"idr::finish_cycle"};

}  // namespace spruce::kernels::idr
