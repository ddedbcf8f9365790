// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <limits>

#include "common/backend.hpp"
#include "common/numeric/dense_entries.hpp"
#include "common/numeric/scalar_steps.hpp"
#include "common/numeric/scale.hpp"
#include "common/unified/solver/arnoldi.hpp"
#include "core/solver/idr_kernels.hpp"

/// Contains the computations of the steps of IDR(s), except those of vectors.
namespace spruce::kernels {

/// Refers to an idr::state in kernels.
template <typename T>
struct idr_entries {
    using real = remove_complex<T>;

    SPRUCE_HOST_DEVICE_INLINE T& m(size_type i, size_type j, size_type col) const
    {
        return triangle(i + size * j, col);
    }

    size_type size;  ///< s
    dense_entries<T> triangle;
    dense_entries<T> f;
    dense_entries<T> c;
    dense_entries<T> alpha;
    dense_entries<T> beta;
    dense_entries<T> omega;
    dense_entries<real> norm;
    dense_entries<real> start_norm;
    size_type* breakdown;
};
template <typename V>
idr_entries<device_type<V>> entries_of(const idr::state<V>& state)
{
    return {state.f.get_size()[0],        entries_of(state.m),       entries_of(state.f),     entries_of(state.c),
            entries_of(state.alpha),      entries_of(state.beta),    entries_of(state.omega), entries_of(state.norm),
            entries_of(state.start_norm), state.breakdown.get_data()};
}

/// Returns number index of a fixed sequence in (-1, 1), computed by splitmix64. Source: Steele, Lea
/// and Flood, Fast splittable pseudorandom number generators, 2014.
SPRUCE_HOST_DEVICE_INLINE double random_number(size_type index)
{
    auto bits = (static_cast<uint64>(index) + 1) * 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    bits ^= bits >> 31;
    constexpr double scale = 1.0 / 4503599627370496.0;  // 2^-52
    return (static_cast<double>(bits >> 11) + 0.5) * scale - 1.0;
}

template <typename T>
SPRUCE_HOST_DEVICE_INLINE T random_entry(size_type index, bool with_imaginary_part)
{
    using real = remove_complex<T>;
    const auto re = static_cast<real>(random_number(2 * index));
    if constexpr (is_complex<T>()) {
        return T(re, with_imaginary_part ? static_cast<real>(random_number(2 * index + 1)) : real{});
    } else {
        return re;
    }
}

/// Computes c for g_first, g_(first+1), ...: the solution of M c = f, restricted to the existing
/// vectors.
template <typename T>
SPRUCE_HOST_DEVICE_INLINE void solve_for_coefficients(const idr_entries<T>& state, size_type first, size_type col)
{
    for (auto i = first; i < state.size; ++i) {
        const auto pivot = state.m(i, i, col);
        auto sum = state.f(i, col);
        for (auto j = first; j < i; ++j) {
            sum -= state.m(i, j, col) * state.c(j, col);
        }
        state.c(i, col) = is_zero(pivot) ? T{} : sum / pivot;
    }
}

/// Starts a column without any vector g.
template <typename T>
SPRUCE_HOST_DEVICE_INLINE void start_idr(const idr_entries<T>& state, size_type col)
{
    state.start_norm(0, col) = state.norm(0, col);
    state.breakdown[col] = 0;
    state.omega(0, col) = T(remove_complex<T>{1});
    for (size_type i = 0; i < state.size; ++i) {
        state.m(i, i, col) = T{};
        state.c(i, col) = T{};
    }
}

/// Performs idr::project_g for one column, after P^H g has been stored in column k of M.
template <typename T, typename R>
SPRUCE_HOST_DEVICE_INLINE void finish_projection(const R& g_norm, size_type k, const idr_entries<T>& state,
                                                 size_type col, stopping_status& status)
{
    auto& beta = state.beta(0, col);
    beta = T{};
    if (status.has_stopped()) {
        return;
    }
    if (!is_finite_value(g_norm)) {
        status.stop(stop_reason::not_finite);
        return;
    }
    auto scale = g_norm;
    for (size_type j = 0; j < k; ++j) {
        const auto pivot = state.m(j, j, col);
        const auto alpha = is_zero(pivot) ? T{} : state.m(j, k, col) / pivot;
        scale += abs_of(alpha * state.m(k, j, col));
        state.alpha(j, col) = alpha;
        for (auto i = j + 1; i < state.size; ++i) {
            state.m(i, k, col) -= alpha * state.m(i, j, col);
        }
    }
    constexpr auto rounding = 4 * std::numeric_limits<R>::epsilon();
    const auto pivot = state.m(k, k, col);
    const auto quotient = state.f(k, col) / pivot;
    const auto is_noise = !(abs_of(pivot) > rounding * scale) || !is_finite_value(quotient);
    if (is_noise || state.breakdown[col] != 0) {
        if (state.breakdown[col] == 0) {
            state.breakdown[col] = static_cast<size_type>(stop_reason::breakdown_inner_product);
        }
        state.m(k, k, col) = T{};
        for (size_type i = 0; i < state.size; ++i) {
            state.alpha(i, col) = T{};
            state.c(i, col) = T{};
        }
        return;
    }
    beta = quotient;
    for (auto i = k + 1; i < state.size; ++i) {
        state.f(i, col) -= quotient * state.m(i, k, col);
    }
    solve_for_coefficients(state, k + 1, col);
}

/// Performs idr::update_x_and_r for one column.
/// @param square  scale^2 (r, r)
template <typename T, typename R>
SPRUCE_HOST_DEVICE_INLINE void finish_update(const R& square, const R& scale, const idr_entries<T>& state,
                                             size_type col, stopping_status& status)
{
    if (!status.has_stopped()) {
        state.norm(0, col) = sqrt_of(square) / scale;
        stop_if_zero_or_nonfinite(state.norm(0, col), status);
    }
}

/// Performs idr::compute_omega for one column.
/// @param products  scale^2 (t, r) and scale^2 (t, t)
template <typename T, typename R>
SPRUCE_HOST_DEVICE_INLINE void finish_omega(const sums<T, 2>& products, const R& kappa, const R& scale,
                                            const idr_entries<T>& state, size_type col, stopping_status& status)
{
    auto& omega = state.omega(0, col);
    omega = T{};
    if (status.has_stopped()) {
        return;
    }
    if (!is_finite_value(products[0]) || !is_finite_value(products[1])) {
        status.stop(stop_reason::not_finite);
        return;
    }
    auto& breakdown = state.breakdown[col];
    const auto t_norm = sqrt_of(real_of(products[1]));
    if (t_norm > R{}) {
        const auto length = abs_of(products[0]);
        const auto least = kappa * (scale * state.norm(0, col));
        const auto phase = length == R{} ? T(R{1}) : products[0] / T(length);
        const auto is_enlarged = breakdown == 0 && length < least * t_norm;
        const auto next = is_enlarged ? phase * T(least / t_norm) : products[0] / products[1];
        omega = is_finite_value(next) ? next : T{};
    }
    if (is_zero(omega) && breakdown == 0) {
        breakdown = static_cast<size_type>(stop_reason::breakdown_stabilization);
    }
}

/// Performs idr::finish_cycle for one column, after norm and f have been computed.
template <typename T>
SPRUCE_HOST_DEVICE_INLINE void finish_idr_cycle(const idr_entries<T>& state, size_type col, stopping_status& status)
{
    if (status.has_stopped()) {
        return;
    }
    stop_if_zero_or_nonfinite(state.norm(0, col), status);
    if (status.has_stopped()) {
        return;
    }
    if (state.breakdown[col] == 0) {
        solve_for_coefficients(state, 0, col);
    } else if (state.norm(0, col) < state.start_norm(0, col)) {
        start_idr(state, col);
    } else {
        status.stop(static_cast<stop_reason>(state.breakdown[col]));
    }
}

}  // namespace spruce::kernels
