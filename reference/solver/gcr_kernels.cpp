// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/gcr_kernels.hpp"

#include <cmath>
#include <limits>

#include "reference/base/register.hpp"
#include "reference/base/scaling.hpp"
#include "reference/base/sum_columns.hpp"
#include "reference/solver/scalar_steps.hpp"

namespace spruce::kernels::reference {
namespace gcr {

using kernels::gcr::basis;
using kernels::gcr::directions;
using matrix::Dense;

template <typename V>
void multi_dot(const ReferenceExecutor& exec, const basis<V>& qs, const Dense<V>& q, Dense<V>& dots,
               const Reduction& reduction)
{
    for (size_type i = 0; i < qs.size(); ++i) {
        sum_columns<V>(
            exec, q.get_size()[0], q.get_size()[1], reduction,
            [&](size_type row, size_type col) {
                return scaled_product(qs[i]->at(row, col), q.at(row, col), column_scale<V>(reduction, col));
            },
            [&](size_type col, const V& dot) { dots.at(i, col) = dot; });
    }
}

template <typename V>
void orthogonalize(const ReferenceExecutor& exec, const directions<V>& before, const Dense<V>& z, const Dense<V>& r,
                   Dense<V>& p, Dense<V>& q, Dense<V>& alpha, array<stopping_status>& status,
                   const Reduction& reduction)
{
    const auto& ps = before.ps;
    const auto& qs = before.qs;
    const auto& dots = before.dots;
    auto& inv_qq = before.inv_qq;
    using real = remove_complex<V>;
    constexpr auto rounding = 10 * std::numeric_limits<real>::epsilon();
    sum_columns<std::array<V, 3>>(
        exec, p.get_size()[0], p.get_size()[1], reduction,
        [&](size_type row, size_type col) {
            p.at(row, col) = z.at(row, col);
            for (size_type i = 0; i < ps.size(); ++i) {
                const auto factor = dots.at(i, col) * inv_qq.at(i, col);
                p.at(row, col) -= factor * ps[i]->at(row, col);
                q.at(row, col) -= factor * qs[i]->at(row, col);
            }
            const auto scale = column_scale<V>(reduction, col);
            return std::array<V, 3>{{squared_norm(scale * q.at(row, col)),
                                     scaled_product(q.at(row, col), r.at(row, col), scale),
                                     squared_norm(scale * p.at(row, col))}};
        },
        [&](size_type col, const std::array<V, 3>& products) {
            const auto qq = spruce::real(products[0]);
            auto square = qq;
            for (size_type i = 0; i < ps.size(); ++i) {
                square += abs(dots.at(i, col) * inv_qq.at(i, col)) * abs(dots.at(i, col));
            }
            auto& column = status.get_data()[col];
            const auto pp = spruce::real(products[2]);
            const auto ratio = pp > zero<real>() && is_finite(pp) ? std::sqrt(qq) / std::sqrt(pp) : zero<real>();
            auto& size = before.size.at(0, col);
            if (!column.has_stopped() && ratio > size) {
                size = ratio;
            }
            if (!is_finite(square)) {
                column.stop(stop_reason::not_finite);
            } else if (std::sqrt(qq) <= rounding * std::sqrt(square) || (ratio > 0 && ratio <= rounding * size)) {
                column.stop(stop_reason::breakdown_subspace);
            }
            inv_qq.at(ps.size(), col) = quotient_or_stop(one<real>(), qq, stop_reason::breakdown_subspace, column);
            alpha.at(0, col) = quotient_or_stop(products[1], V(qq), stop_reason::breakdown_subspace, column);
        });
}

}  // namespace gcr

void register_gcr()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        kernels::gcr::multi_dot<V>.template set<ReferenceExecutor>(&gcr::multi_dot<V>);
        kernels::gcr::orthogonalize<V>.template set<ReferenceExecutor>(&gcr::orthogonalize<V>);
    });
}

}  // namespace spruce::kernels::reference
