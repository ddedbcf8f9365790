// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/solver_kernels.hpp"

#include <limits>

#include "reference/base/norms.hpp"
#include "reference/base/register.hpp"
#include "reference/base/scaling.hpp"
#include "reference/solver/scalar_steps.hpp"

namespace spruce::kernels::reference {
namespace solver {

template <typename V>
void start(const ReferenceExecutor& exec, const matrix::Dense<V>& r, const matrix::Dense<remove_complex<V>>& norm,
           array<stopping_status>& status, const Reduction& reduction)
{
    using real = remove_complex<V>;
    sum_columns<real>(
        exec, r.get_size()[0], r.get_size()[1], reduction,
        [&](auto row, auto col) {
            return real(is_nonzero(squared_norm(column_scale<V>(reduction, col) * r.at(row, col))));
        },
        [&](auto col, auto num_squares) {
            auto& column = status.get_data()[col];
            column.reset();
            if (norm.at(0, col) > 0 && num_squares == 0) {
                column.stop(stop_reason::breakdown_inner_product);
            }
            stop_at_norm(norm.at(0, col), column);
        });
}

template <typename V>
void residual(const ReferenceExecutor& exec, const matrix::Dense<V>& b, const matrix::Dense<V>& q, matrix::Dense<V>& r,
              matrix::Dense<remove_complex<V>>& norm, array<stopping_status>& status, const Reduction& reduction)
{
    norm_columns<remove_complex<V>>(
        exec, r.get_size()[0], r.get_size()[1], reduction,
        [&](auto row, auto col) { return r.at(row, col) = b.at(row, col) - q.at(row, col); },
        [&](auto col, auto column_norm) {
            norm.at(0, col) = column_norm;
            stop_at_norm(column_norm, status.get_data()[col]);
        });
}

template <typename V>
void check_direction(const ReferenceExecutor& exec, const matrix::Dense<V>& z, array<stopping_status>& status,
                     const Reduction& reduction)
{
    using real = remove_complex<V>;
    sum_columns<real>(
        exec, z.get_size()[0], z.get_size()[1], reduction,
        [&](auto row, auto col) { return real(!is_finite(z.at(row, col))); },
        [&](auto col, auto num_nonfinite) {
            if (num_nonfinite > 0) {
                status.get_data()[col].stop(stop_reason::not_finite);
            }
        });
}

template <typename V>
void next_direction(const ReferenceExecutor& exec, matrix::Dense<V>& p, const matrix::Dense<V>& z, V beta, V step,
                    matrix::Dense<V>& alpha, array<stopping_status>& status, const Reduction& reduction)
{
    for (size_type row = 0; row < p.get_size()[0]; ++row) {
        for (size_type col = 0; col < p.get_size()[1]; ++col) {
            if (!status.get_const_data()[col].has_stopped()) {
                p.at(row, col) = z.at(row, col) + beta * p.at(row, col);
            }
        }
    }
    check_direction(exec, p, status, reduction);
    for (size_type col = 0; col < p.get_size()[1]; ++col) {
        alpha.at(0, col) = status.get_const_data()[col].has_stopped() ? zero<V>() : step;
    }
}

template <typename V>
void add_direction(const ReferenceExecutor&, matrix::Dense<V>& x, const matrix::Dense<V>& z, V factor,
                   const array<stopping_status>& status)
{
    for (size_type row = 0; row < x.get_size()[0]; ++row) {
        for (size_type col = 0; col < x.get_size()[1]; ++col) {
            if (!status.get_const_data()[col].has_stopped()) {
                add_unless_overflow(x.at(row, col), factor * z.at(row, col));
            }
        }
    }
}

template <typename V>
void resume_unconfirmed(const ReferenceExecutor&, const matrix::Dense<V>& true_norm, const matrix::Dense<V>& norm,
                        const matrix::Dense<V>& start_norm, array<stopping_status>& status)
{
    for (size_type col = 0; col < status.get_size(); ++col) {
        auto& column = status.get_data()[col];
        const auto reason = column.get_reason();
        const auto is_confirmed = true_norm.at(0, col) <= V(1.01) * norm.at(0, col);
        const auto has_progressed = true_norm.at(0, col) < start_norm.at(0, col) / 2;
        const auto is_refuted = reason == stop_reason::converged && !is_confirmed;
        const auto may_restart = (is_breakdown(reason) || reason == stop_reason::stagnation) && has_progressed;
        if (is_refuted || may_restart) {
            column.reset();
        }
    }
}

template <typename V>
void stop_if_not_halved(const ReferenceExecutor&, const matrix::Dense<V>& norm, matrix::Dense<V>& start_norm,
                        array<stopping_status>& status)
{
    for (size_type col = 0; col < status.get_size(); ++col) {
        stop_unless_halved(norm.at(0, col), start_norm.at(0, col), status.get_data()[col]);
    }
}

template <typename V>
void stop_if_stagnated(const ReferenceExecutor&, const matrix::Dense<V>& norm, V factor, matrix::Dense<V>& earlier_norm,
                       array<stopping_status>& status)
{
    for (size_type col = 0; col < status.get_size(); ++col) {
        if (!(norm.at(0, col) < factor * earlier_norm.at(0, col))) {
            status.get_data()[col].stop(stop_reason::stagnation);
        }
        earlier_norm.at(0, col) = norm.at(0, col);
    }
}

template <typename V>
void update_best(const ReferenceExecutor&, const matrix::Dense<V>& x, const matrix::Dense<remove_complex<V>>& norm,
                 matrix::Dense<V>& best, matrix::Dense<remove_complex<V>>& best_norm, array<stopping_status>& status)
{
    constexpr auto epsilon = std::numeric_limits<remove_complex<V>>::epsilon();
    for (size_type col = 0; col < x.get_size()[1]; ++col) {
        auto& column = status.get_data()[col];
        if (column.has_stopped()) {
            continue;
        }
        if (norm.at(0, col) < best_norm.at(0, col)) {
            for (size_type row = 0; row < x.get_size()[0]; ++row) {
                best.at(row, col) = x.at(row, col);
            }
            best_norm.at(0, col) = norm.at(0, col);
        } else if (epsilon * norm.at(0, col) > best_norm.at(0, col)) {
            column.stop(stop_reason::stagnation);
        }
    }
}

template <typename V>
void copy_unstopped_columns(const ReferenceExecutor&, const matrix::Dense<V>& from, matrix::Dense<V>& to,
                            const array<stopping_status>& status)
{
    for (size_type col = 0; col < status.get_size(); ++col) {
        if (!status.get_const_data()[col].has_stopped()) {
            to.at(0, col) = from.at(0, col);
        }
    }
}

template <typename V>
void replace_if_better(const ReferenceExecutor&, const matrix::Dense<V>& other,
                       const matrix::Dense<remove_complex<V>>& other_norm, matrix::Dense<V>& x,
                       matrix::Dense<remove_complex<V>>& norm, const array<stopping_status>& status)
{
    for (size_type col = 0; col < x.get_size()[1]; ++col) {
        const auto& column = status.get_const_data()[col];
        const auto has_failed = column.has_stopped() && !column.has_converged();
        if (has_failed && is_finite(other_norm.at(0, col)) && !(norm.at(0, col) < other_norm.at(0, col))) {
            for (size_type row = 0; row < x.get_size()[0]; ++row) {
                x.at(row, col) = other.at(row, col);
            }
            norm.at(0, col) = other_norm.at(0, col);
        }
    }
}

template <typename V>
void compute_scale(const ReferenceExecutor&, const matrix::Dense<V>& norm, matrix::Dense<V>& scale)
{
    for (size_type col = 0; col < norm.get_size()[1]; ++col) {
        scale.at(0, col) = power_of_two_scale(norm.at(0, col));
    }
}

template <typename V>
void unscale_sq_norm(const ReferenceExecutor&, const matrix::Dense<V>& scaled,
                     const matrix::Dense<remove_complex<V>>& scale, const matrix::Dense<remove_complex<V>>& norm,
                     matrix::Dense<V>& sq_norm, matrix::Dense<remove_complex<V>>& implicit_norm)
{
    for (size_type col = 0; col < scaled.get_size()[1]; ++col) {
        const auto s = scale.at(0, col);
        sq_norm.at(0, col) = scaled.at(0, col) / s / s;
        implicit_norm.at(0, col) = norm_of_square(scaled.at(0, col), s * norm.at(0, col)) / s;
    }
}

}  // namespace solver

void register_solver()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        using real = remove_complex<V>;
        kernels::solver::start<V>.template set<ReferenceExecutor>(&solver::start<V>);
        kernels::solver::residual<V>.template set<ReferenceExecutor>(&solver::residual<V>);
        kernels::solver::next_direction<V>.template set<ReferenceExecutor>(&solver::next_direction<V>);
        kernels::solver::check_direction<V>.template set<ReferenceExecutor>(&solver::check_direction<V>);
        kernels::solver::add_direction<V>.template set<ReferenceExecutor>(&solver::add_direction<V>);
        kernels::solver::resume_unconfirmed<real>.template set<ReferenceExecutor>(&solver::resume_unconfirmed<real>);
        kernels::solver::stop_if_not_halved<real>.template set<ReferenceExecutor>(&solver::stop_if_not_halved<real>);
        kernels::solver::stop_if_stagnated<real>.template set<ReferenceExecutor>(&solver::stop_if_stagnated<real>);
        kernels::solver::update_best<V>.template set<ReferenceExecutor>(&solver::update_best<V>);
        kernels::solver::replace_if_better<V>.template set<ReferenceExecutor>(&solver::replace_if_better<V>);
        kernels::solver::compute_scale<real>.template set<ReferenceExecutor>(&solver::compute_scale<real>);
        kernels::solver::copy_unstopped_columns<real>.template set<ReferenceExecutor>(
            &solver::copy_unstopped_columns<real>);
        kernels::solver::unscale_sq_norm<V>.template set<ReferenceExecutor>(&solver::unscale_sq_norm<V>);
    });
}

}  // namespace spruce::kernels::reference
