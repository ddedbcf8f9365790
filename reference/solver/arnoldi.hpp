// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/solver/gmres_kernels.hpp"
#include "reference/solver/scalar_steps.hpp"

/// Computes the scalars of GMRES.
namespace spruce::kernels::reference {

/// Applies the previous rotations to column number step of H. Returns the norm of the column before
/// the rotations, including its last entry next_norm.
template <typename V>
remove_complex<V> rotate_column(const kernels::gmres::projection<V>& problem, remove_complex<V> next_norm,
                                size_type step, size_type col)
{
    const auto column = [&](size_type i) -> V& {
        return problem.triangle.at(kernels::gmres::packed_begin(step) + i, col);
    };
    auto square = next_norm * next_norm + squared_norm(column(0));
    for (size_type i = 0; i < step; ++i) {
        square += squared_norm(column(i + 1));
        const auto upper = column(i);
        const auto lower = column(i + 1);
        const auto cos = problem.cos.at(i, col);
        const auto sin = problem.sin.at(i, col);
        column(i) = cos * upper + sin * lower;
        column(i + 1) = cos * lower - spruce::conj(sin) * upper;
    }
    return std::sqrt(square);
}

/// Applies the previous rotations to the new column of H. Computes and applies the rotation that
/// eliminates its last entry next_norm.
/// @param epsilon  rounding error of the basis
template <typename V>
void add_column(const kernels::gmres::projection<V>& problem, remove_complex<V> next_norm, size_type step,
                size_type col, stopping_status& status, remove_complex<V> epsilon)
{
    using real = remove_complex<V>;
    const auto column_norm = rotate_column(problem, next_norm, step, col);
    auto& last = problem.triangle.at(kernels::gmres::packed_begin(step) + step, col);
    if (!is_finite(column_norm) || !is_finite(last)) {
        status.stop(stop_reason::not_finite);
        return;
    }
    const auto rounding = 10 * epsilon * column_norm;
    const auto is_subspace_exhausted = next_norm <= rounding;
    auto& size = problem.history.at(kernels::gmres::size_row, col);
    size = std::max(size, column_norm);
    // The vectors of the basis have rounding errors of the first residual, divided by the present
    // residual norm.
    const auto is_rounding_of_residual = [&](real norm) {
        const auto reduction = problem.norm.at(0, col) / problem.history.at(kernels::gmres::first_norm_row, col);
        constexpr auto working_epsilon = std::numeric_limits<real>::epsilon();
        return norm * reduction <= 10 * working_epsilon * size && norm <= std::sqrt(working_epsilon) * size;
    };
    if ((is_subspace_exhausted && abs(last) <= rounding) ||
        (is_rounding_of_residual(next_norm) && is_rounding_of_residual(abs(last)))) {
        problem.history.at(kernels::gmres::exhausted_row, col) = 1;
        status.stop(stop_reason::breakdown_subspace);
        return;
    }
    const auto length = std::hypot(abs(last), next_norm);
    const auto phase = is_zero(last) ? one<V>() : last / abs(last);
    const auto cos = abs(last) / length;
    const auto sin = phase * (next_norm / length);
    last = phase * length;
    problem.cos.at(step, col) = cos;
    problem.sin.at(step, col) = sin;
    problem.rhs.at(step + 1, col) = -spruce::conj(sin) * problem.rhs.at(step, col);
    problem.rhs.at(step, col) *= cos;
    problem.norm.at(0, col) = abs(problem.rhs.at(step + 1, col));
    problem.num_steps.get_data()[col] = step + 1;
    problem.next_norm.at(0, col) = is_subspace_exhausted ? real{} : next_norm;
    stop_at_norm(problem.norm.at(0, col), status);
}

/// Completes column number step of H if this right-hand side takes part in the step.
/// @param w_norm  norm of the next vector
/// @param epsilon  rounding error of the basis
template <typename V>
void finish_arnoldi_step(const kernels::gmres::projection<V>& problem, remove_complex<V> w_norm, size_type step,
                         size_type col, stopping_status& status, remove_complex<V> epsilon)
{
    const auto takes_part = !status.has_stopped() && is_nonzero(problem.next_norm.at(0, col));
    problem.next_norm.at(0, col) = 0;
    if (takes_part) {
        add_column(problem, w_norm, step, col, status, epsilon);
    }
}

}  // namespace spruce::kernels::reference
