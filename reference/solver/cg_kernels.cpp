// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/cg_kernels.hpp"

#include "reference/base/register.hpp"
#include "reference/base/scaling.hpp"
#include "reference/base/sum_columns.hpp"
#include "reference/solver/scalar_steps.hpp"
#include "reference/stop/bounds.hpp"

namespace spruce::kernels::reference {
namespace cg {

using kernels::cg::solution;
using matrix::Dense;

template <typename V>
void update_direction(const ReferenceExecutor&, Dense<V>& p, const Dense<V>& z, const Dense<V>& rho,
                      const Dense<V>& prev_rho, const array<stopping_status>& status)
{
    for (size_type col = 0; col < p.get_size()[1]; ++col) {
        if (status.get_const_data()[col].has_stopped()) {
            continue;
        }
        const auto restarts = is_zero(prev_rho.at(0, col));
        for (size_type row = 0; row < p.get_size()[0]; ++row) {
            p.at(row, col) =
                restarts ? z.at(row, col) : z.at(row, col) + rho.at(0, col) / prev_rho.at(0, col) * p.at(row, col);
        }
    }
}

template <typename V>
void compute_step_length(const ReferenceExecutor& exec, const Dense<V>& p, const Dense<V>& q, const Dense<V>& rho,
                         Dense<V>& alpha, array<stopping_status>& status, const Reduction& reduction)
{
    sum_columns<V>(
        exec, p.get_size()[0], p.get_size()[1], reduction,
        [&](auto row, auto col) {
            return scaled_product(p.at(row, col), q.at(row, col), column_scale<V>(reduction, col));
        },
        [&](auto col, auto pq) { alpha.at(0, col) = conjugate_step(rho.at(0, col), pq, status.get_data()[col]); });
}

template <typename V, typename Step, typename End>
void axpy_and_norm(const ReferenceExecutor& exec, const solution<V>& with, Step step, End end, Dense<V>& rr,
                   Dense<remove_complex<V>>& norm, array<stopping_status>& status, const Reduction& reduction)
{
    sum_columns<remove_complex<V>>(
        exec, with.x.get_size()[0], with.x.get_size()[1], reduction,
        [&](auto row, auto col) {
            if (!status.get_data()[col].has_stopped() && is_nonzero(step(col))) {
                with.x.at(row, col) += step(col) * with.p.at(row, col);
                with.r.at(row, col) -= step(col) * with.q.at(row, col);
            }
            return squared_norm(column_scale<V>(reduction, col) * with.r.at(row, col));
        },
        [&](auto col, auto sum) {
            auto& column = status.get_data()[col];
            rr.at(0, col) = sum;
            norm.at(0, col) = sqrt(sum) / column_scale<V>(reduction, col);
            end(col, column);
            stop_at_norm(norm.at(0, col), column);
        });
}

template <typename V>
void update_x_and_r(const ReferenceExecutor& exec, Dense<V>& x, Dense<V>& r, const Dense<V>& p, const Dense<V>& q,
                    const Dense<V>& alpha, Dense<V>& rr, Dense<remove_complex<V>>& norm, array<stopping_status>& status,
                    const Reduction& reduction)
{
    axpy_and_norm(
        exec, solution<V>{x, r, p, q}, [&](auto col) { return alpha.at(0, col); }, [](auto, auto&) {}, rr, norm, status,
        reduction);
}

template <typename V>
void update_solution(const ReferenceExecutor& exec, const solution<V>& with, const Dense<V>& rho, const Dense<V>& pq,
                     Dense<V>& rr, Dense<remove_complex<V>>& norm, array<stopping_status>& status,
                     const kernels::stop::device_check<remove_complex<V>>& check, const Reduction& reduction)
{
    axpy_and_norm(
        exec, with, [&](auto col) { return finite_quotient(rho.at(0, col), pq.at(0, col)); },
        [&](auto col, auto& column) { conjugate_step(rho.at(0, col), pq.at(0, col), column); }, rr, norm, status,
        reduction);
    test_single_column(check, norm, status);
}

}  // namespace cg

void register_cg()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        kernels::cg::update_direction<V>.template set<ReferenceExecutor>(&cg::update_direction<V>);
        kernels::cg::update_solution<V>.template set<ReferenceExecutor>(&cg::update_solution<V>);
        kernels::cg::compute_step_length<V>.template set<ReferenceExecutor>(&cg::compute_step_length<V>);
        kernels::cg::update_x_and_r<V>.template set<ReferenceExecutor>(&cg::update_x_and_r<V>);
    });
}

}  // namespace spruce::kernels::reference
