// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/solver/gcr_kernels.hpp"

#include "common/unified/base/prelude.hpp"
#include "common/unified/solver/arnoldi.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace gcr {

using kernels::gcr::basis;
using kernels::gcr::directions;
using matrix::Dense;

/// Makes one row of p and q orthogonal to the vectors of a block.
template <typename Block, typename T, typename R>
SPRUCE_HOST_DEVICE_INLINE void orthogonalize_row(const Block& ps, const Block& qs, const dense_entries<const T>& dots,
                                                 const dense_entries<R>& inv_qq, size_type row, size_type col, T& p,
                                                 T& q)
{
    for (int i = 0; i < Block::max_size; ++i) {
        if (i < ps.size) {
            const auto factor = dots(ps.first + i, col) * T(inv_qq(ps.first + i, col));
            p -= factor * ps(i, row, col);
            q -= factor * qs(i, row, col);
        }
    }
}

/// Computes the new row of inv_qq, and size.
/// @param products  scale^2 (q, q), scale^2 (q, r) and scale^2 (p, p)
/// @return  alpha
template <typename T, typename R>
SPRUCE_HOST_DEVICE_INLINE T finish_direction(const sums<T, 3>& products, const dense_entries<const T>& dots,
                                             const dense_entries<R>& inv_qq, size_type step, R& size, size_type col,
                                             stopping_status& status)
{
    const auto qq = real_of(products[0]);
    const auto pp = real_of(products[2]);
    const auto ratio = pp > R{} && is_finite_value(pp) ? sqrt_of(qq) / sqrt_of(pp) : R{};
    if (!status.has_stopped() && ratio > size) {
        size = ratio;
    }
    auto square = qq;  // of the norm of q before the subtraction
    for (size_type i = 0; i < step; ++i) {
        // Products of two dots would be fourth powers of entries.
        square += abs_of(dots(i, col) * T(inv_qq(i, col))) * abs_of(dots(i, col));
    }
    constexpr auto rounding = 10 * std::numeric_limits<R>::epsilon();
    inv_qq(step, col) = R{};
    if (!is_finite_value(square)) {
        status.stop(stop_reason::not_finite);
    } else if (sqrt_of(qq) <= rounding * sqrt_of(square) || (ratio > R{} && ratio <= rounding * size)) {
        status.stop(stop_reason::breakdown_subspace);
    }
    const auto inverse = divide_or_stop(R{1}, qq, stop_reason::breakdown_subspace, status);
    const auto alpha = divide_or_stop(products[1], T(qq), stop_reason::breakdown_subspace, status);
    inv_qq(step, col) = inverse;
    return alpha;
}

template <typename V>
void multi_dot(const DeviceExecutor& exec, const basis<V>& qs, const Dense<V>& q, Dense<V>& dots,
               const Reduction& reduction)
{
    using T = device_type<V>;
    using sum_type = sums<T, vectors_per_pass<T>>;
    const auto scale = reduction.get_scale<remove_complex<V>>();
    for (const auto& block : blocks_of(qs)) {
        run_sum_columns<sum_type>(exec, q.get_size()[0], q.get_size()[1], reduction,
                                  per_column{[block, scale, q = entries_of(q)] SPRUCE_KERNEL_LAMBDA(size_type col) {
                                      return [=, factor = T(scale_of(scale, col))](size_type row) {
                                          auto vectors = row_of(block, row, col);
                                          for (int i = 0; i < vectors_per_pass<T>; ++i) {
                                              vectors[i] = factor * vectors[i];
                                          }
                                          return products(vectors, factor * q(row, col));
                                      };
                                  }},
                                  [dots = entries_of(dots), first = block.first,
                                   size = block.size] SPRUCE_KERNEL_LAMBDA(size_type col, const sum_type& sum) {
                                      for (int i = 0; i < vectors_per_pass<T>; ++i) {
                                          if (i < size) {
                                              dots(first + i, col) = sum[i];
                                          }
                                      }
                                  });
    }
}

template <typename V>
void orthogonalize(const DeviceExecutor& exec, const directions<V>& before, const Dense<V>& z, const Dense<V>& r,
                   Dense<V>& p, Dense<V>& q, Dense<V>& alpha, array<stopping_status>& status,
                   const Reduction& reduction)
{
    const auto& ps = before.ps;
    const auto& qs = before.qs;
    const auto& dots = before.dots;
    auto& inv_qq = before.inv_qq;
    using T = device_type<V>;
    const auto scale = reduction.get_scale<remove_complex<V>>();
    auto p_blocks = blocks_of(ps);
    auto q_blocks = blocks_of(qs);
    if (ps.empty()) {
        p_blocks.emplace_back();
        q_blocks.emplace_back();
    }
    for (size_type i = 0; i < p_blocks.size(); ++i) {
        const auto p_block = p_blocks[i];
        const auto q_block = q_blocks[i];
        const auto source = entries_of(i == 0 ? z : p);
        if (i + 1 < p_blocks.size()) {
            run_for_each_entry(
                exec, p.get_size()[0], p.get_size()[1],
                [p_block, q_block, source, dots = entries_of(dots), inv_qq = entries_of(inv_qq), p = entries_of(p),
                 q = entries_of(q)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                    auto p_entry = source(row, col);
                    auto q_entry = q(row, col);
                    orthogonalize_row(p_block, q_block, dots, inv_qq, row, col, p_entry, q_entry);
                    p(row, col) = p_entry;
                    q(row, col) = q_entry;
                });
            continue;
        }
        run_sum_columns<sums<T, 3>>(
            exec, p.get_size()[0], p.get_size()[1], reduction,
            [p_block, q_block, source, dots = entries_of(dots), inv_qq = entries_of(inv_qq), p = entries_of(p),
             q = entries_of(q), r = entries_of(r), scale] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                auto p_entry = source(row, col);
                auto q_entry = q(row, col);
                orthogonalize_row(p_block, q_block, dots, inv_qq, row, col, p_entry, q_entry);
                p(row, col) = p_entry;
                q(row, col) = q_entry;
                const auto factor = T(scale_of(scale, col));
                const auto scaled = factor * q_entry;
                return sums<T, 3>{{T(squared_abs(scaled)), conj_of(scaled) * (factor * r(row, col)),
                                   T(squared_abs(factor * p_entry))}};
            },
            [dots = entries_of(dots), inv_qq = entries_of(inv_qq), step = size_type{ps.size()},
             size = before.size.get_values(), alpha = as_device(alpha.get_values()),
             status = status.get_data()] SPRUCE_KERNEL_LAMBDA(size_type col, const sums<T, 3>& products) {
                alpha[col] = finish_direction(products, dots, inv_qq, step, size[col], col, status[col]);
            });
    }
}

}  // namespace gcr

void register_gcr()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        kernels::gcr::multi_dot<V>.template set<DeviceExecutor>(&gcr::multi_dot<V>);
        kernels::gcr::orthogonalize<V>.template set<DeviceExecutor>(&gcr::orthogonalize<V>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
