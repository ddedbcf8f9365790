// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/gcr_kernels.hpp"

#include <limits>

#include "common/base/scalar_steps.hpp"
#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace gcr {

using kernels::gcr::basis;
using matrix::Dense;

template <typename V>
void orthogonalize(const ReferenceExecutor&, const basis<V>& ps, const basis<V>& qs, const Dense<V>& dots,
                   const Dense<V>& z, const Dense<V>& r, Dense<V>& p, Dense<V>& q, Dense<remove_complex<V>>& inv_qq,
                   Dense<V>& alpha, array<stopping_status>& status, const Reduction&)
{
    using real = remove_complex<V>;
    constexpr auto rounding = 10 * std::numeric_limits<real>::epsilon();
    for (size_type col = 0; col < p.get_size()[1]; ++col) {
        auto qq = zero<real>();
        auto qr = zero<V>();
        for (size_type row = 0; row < p.get_size()[0]; ++row) {
            p.at(row, col) = z.at(row, col);
            for (size_type i = 0; i < ps.size(); ++i) {
                const auto factor = dots.at(i, col) * inv_qq.at(i, col);
                p.at(row, col) -= factor * ps[i]->at(row, col);
                q.at(row, col) -= factor * qs[i]->at(row, col);
            }
            qq += squared_norm(q.at(row, col));
            qr += spruce::conj(q.at(row, col)) * r.at(row, col);
        }
        auto square = qq;
        for (size_type i = 0; i < ps.size(); ++i) {
            square += squared_norm(dots.at(i, col)) * inv_qq.at(i, col);
        }
        auto& column = status.get_data()[col];
        if (!is_finite(square)) {
            column.stop(stop_reason::not_finite);
        } else if (qq <= rounding * rounding * square) {
            column.stop(stop_reason::breakdown_subspace);
        }
        inv_qq.at(ps.size(), col) = divide_or_stop(one<real>(), qq, stop_reason::breakdown_subspace, column);
        alpha.at(0, col) = divide_or_stop(qr, V(qq), stop_reason::breakdown_subspace, column);
    }
}

}  // namespace gcr

void register_gcr()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        kernels::gcr::orthogonalize<V>.template set<ReferenceExecutor>(&gcr::orthogonalize<V>);
    });
}

}  // namespace spruce::kernels::reference
