// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/gmres_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/base/register.hpp"
#include "reference/base/sum_columns.hpp"
#include "reference/solver/arnoldi.hpp"

namespace spruce::kernels::reference {
namespace gmres {

using kernels::gmres::basis;
using kernels::gmres::coefficients;
using kernels::gmres::group_size;
using kernels::gmres::packed_begin;
using kernels::gmres::projection;
using matrix::Dense;

/// Calls finalize(col, (v, w)) for each column.
template <typename V, typename Finalize>
void conj_dot(const ReferenceExecutor& exec, const Dense<V>& v, const Dense<V>& w, const Reduction& reduction,
              Finalize finalize)
{
    sum_columns<V>(
        exec, v.get_size()[0], v.get_size()[1], reduction,
        [&](size_type row, size_type col) { return spruce::conj(v.at(row, col)) * w.at(row, col); }, finalize);
}

template <typename V>
void start_cycle(const ReferenceExecutor&, const Dense<remove_complex<V>>& residual_norm, bool is_restart,
                 const projection<V>& problem, array<stopping_status>& status)
{
    for (size_type col = 0; col < residual_norm.get_size()[1]; ++col) {
        auto& column = status.get_data()[col];
        const auto norm = residual_norm.at(0, col);
        problem.num_steps.get_data()[col] = 0;
        problem.next_norm.at(0, col) = 0;
        if (column.has_stopped()) {
            continue;
        }
        problem.norm.at(0, col) = norm;
        stop_at_norm(norm, column);
        if (is_restart && norm >= problem.start_norm.at(0, col)) {
            column.stop(stop_reason::stagnation);
        }
        problem.start_norm.at(0, col) = norm;
        if (problem.history.at(kernels::gmres::exhausted_row, col) == 0) {
            problem.history.at(kernels::gmres::first_norm_row, col) = norm;
            problem.history.at(kernels::gmres::size_row, col) = 0;
        }
        problem.history.at(kernels::gmres::exhausted_row, col) = 0;
        problem.rhs.at(0, col) = norm;
        if (!column.has_stopped()) {
            problem.next_norm.at(0, col) = norm;
        }
    }
}

template <typename V>
void normalize(const ReferenceExecutor&, const Dense<remove_complex<V>>& norm, Dense<V>& v)
{
    for (size_type row = 0; row < v.get_size()[0]; ++row) {
        for (size_type col = 0; col < v.get_size()[1]; ++col) {
            v.at(row, col) = is_zero(norm.at(0, col)) ? zero<V>() : v.at(row, col) / norm.at(0, col);
        }
    }
}

template <typename V>
void multi_dot(const ReferenceExecutor& exec, const basis<V>& vectors, const Dense<V>& w, bool add,
               const coefficients<V>& result, const Reduction& reduction)
{
    const auto step = result.step;
    auto& h = result.h;
    auto& triangle = result.triangle;
    for (size_type i = 0; i < vectors.size(); ++i) {
        conj_dot(exec, *vectors[i], w, reduction, [&](size_type col, const V& dot) {
            auto& entry = triangle.at(packed_begin(step) + i, col);
            h.at(i, col) = dot;
            entry = (add ? entry : zero<V>()) + dot;
        });
    }
}

template <typename V>
void subtract(const ReferenceExecutor&, const basis<V>& vectors, const Dense<V>& h, Dense<V>& w)
{
    for (size_type i = 0; i < vectors.size(); ++i) {
        for (size_type row = 0; row < w.get_size()[0]; ++row) {
            for (size_type col = 0; col < w.get_size()[1]; ++col) {
                w.at(row, col) -= h.at(i, col) * vectors[i]->at(row, col);
            }
        }
    }
}

template <typename V>
void subtract_and_dot(const ReferenceExecutor& exec, const basis<V>& before, const basis<V>& group, size_type first,
                      const Dense<V>& overlaps, Dense<V>& w, const coefficients<V>& result, const Reduction& reduction)
{
    const auto step = result.step;
    auto& h = result.h;
    auto& triangle = result.triangle;
    subtract(exec, before, h, w);
    for (size_type i = 0; i < group.size(); ++i) {
        conj_dot(exec, *group[i], w, reduction, [&](size_type col, V dot) {
            for (size_type j = 0; j < i; ++j) {
                dot -= overlaps.at((first + i) * group_size<V> + j, col) * h.at(j, col);
            }
            h.at(i, col) = dot;
            triangle.at(packed_begin(step) + first + i, col) = dot;
        });
    }
}

template <typename V>
void normalize_in_group(const ReferenceExecutor& exec, const Dense<remove_complex<V>>& norm, const basis<V>& group,
                        size_type index, Dense<V>& v, Dense<V>& overlaps, const Reduction& reduction)
{
    normalize(exec, norm, v);
    for (size_type j = 0; j < group.size(); ++j) {
        conj_dot(exec, v, *group[j], reduction,
                 [&](size_type col, const V& dot) { overlaps.at(index * group_size<V> + j, col) = dot; });
    }
}

template <typename V>
void finish_step(const ReferenceExecutor& exec, const basis<V>& vectors, const Dense<V>& h, size_type step, Dense<V>& w,
                 const projection<V>& problem, array<stopping_status>& status, const Reduction& reduction)
{
    using real = remove_complex<V>;
    subtract(exec, vectors, h, w);
    sum_columns<real>(
        exec, w.get_size()[0], w.get_size()[1], reduction,
        [&](size_type row, size_type col) { return squared_norm(w.at(row, col)); },
        [&](size_type col, const real& square) {
            finish_arnoldi_step(problem, std::sqrt(square), step, col, status.get_data()[col],
                                std::numeric_limits<real>::epsilon());
        });
}

template <typename V>
void solve_triangle(const ReferenceExecutor&, const projection<V>& problem, Dense<V>& weight,
                    array<stopping_status>& status)
{
    for (size_type col = 0; col < weight.get_size()[1]; ++col) {
        auto& num_steps = problem.num_steps.get_data()[col];
        auto all_finite = true;
        for (auto i = num_steps; i-- > 0;) {
            auto& y = problem.rhs.at(i, col);
            for (auto j = i + 1; j < num_steps; ++j) {
                y -= problem.triangle.at(packed_begin(j) + i, col) * problem.rhs.at(j, col);
            }
            y /= problem.triangle.at(packed_begin(i) + i, col);
            all_finite = all_finite && is_finite(y);
        }
        if (!all_finite) {
            status.get_data()[col].stop(stop_reason::not_finite);
            num_steps = 0;
        }
        weight.at(0, col) = num_steps == 0 ? zero<V>() : one<V>();
    }
}

template <typename V>
void add_combination(const ReferenceExecutor&, const basis<V>& vectors, const Dense<V>& y,
                     const array<size_type>& num_steps, Dense<V>& x)
{
    for (size_type col = 0; col < x.get_size()[1]; ++col) {
        const auto count = std::min(num_steps.get_const_data()[col], static_cast<size_type>(vectors.size()));
        for (size_type row = 0; row < x.get_size()[0]; ++row) {
            auto entry = x.at(row, col);
            for (size_type i = 0; i < count; ++i) {
                entry += y.at(i, col) * vectors[i]->at(row, col);
            }
            if (is_finite(entry)) {
                x.at(row, col) = entry;
            }
        }
    }
}

}  // namespace gmres

void register_gmres()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        kernels::gmres::start_cycle<V>.template set<ReferenceExecutor>(&gmres::start_cycle<V>);
        kernels::gmres::normalize<V>.template set<ReferenceExecutor>(&gmres::normalize<V>);
        kernels::gmres::multi_dot<V>.template set<ReferenceExecutor>(&gmres::multi_dot<V>);
        kernels::gmres::subtract<V>.template set<ReferenceExecutor>(&gmres::subtract<V>);
        kernels::gmres::subtract_and_dot<V>.template set<ReferenceExecutor>(&gmres::subtract_and_dot<V>);
        kernels::gmres::normalize_in_group<V>.template set<ReferenceExecutor>(&gmres::normalize_in_group<V>);
        kernels::gmres::finish_step<V>.template set<ReferenceExecutor>(&gmres::finish_step<V>);
        kernels::gmres::solve_triangle<V>.template set<ReferenceExecutor>(&gmres::solve_triangle<V>);
        kernels::gmres::add_combination<V>.template set<ReferenceExecutor>(&gmres::add_combination<V>);
    });
}

}  // namespace spruce::kernels::reference
