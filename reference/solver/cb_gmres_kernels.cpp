// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/cb_gmres_kernels.hpp"

#include <cmath>
#include <vector>

#include "reference/base/norms.hpp"
#include "reference/base/register.hpp"
#include "reference/base/sum_columns.hpp"
#include "reference/solver/arnoldi.hpp"
#include "reference/solver/compressed_storage.hpp"

namespace spruce::kernels::reference {
namespace cb_gmres {

using kernels::cb_gmres::basis;
using kernels::cb_gmres::remainder;
using kernels::gmres::packed_begin;
using kernels::gmres::projection;
using matrix::Dense;

/// Calls function(i, row, col, value) for all entries of all vectors of the basis, where value is
/// entry (row, col) of vector i.
template <typename V, typename Function>
void for_each_entry(const basis<V>& basis, dim<2> size, Function function)
{
    const storage_format<remove_complex<V>> format{basis.precision};
    for (size_type i = 0; i < basis.vectors.size(); ++i) {
        for (size_type row = 0; row < size[0]; ++row) {
            for (size_type col = 0; col < size[1]; ++col) {
                V entry;
                format.read(entry, basis.vectors[i], row * size[1] + col);
                function(i, row, col, format.has_scale() ? entry * basis.scales.at(i, col) : entry);
            }
        }
    }
}

/// Calls finalize(col, square, largest) for each column of v. square is the sum of squares, and
/// largest is the largest part.
template <typename V, typename Finalize>
void sum_squares_of(const ReferenceExecutor& exec, const Dense<V>& v, const Reduction& reduction, Finalize finalize)
{
    sum_squares<remove_complex<V>>(
        exec, v.get_size()[0], v.get_size()[1], reduction, [&](size_type row, size_type col) { return v.at(row, col); },
        finalize);
}

template <typename V>
void find_largest(const ReferenceExecutor& exec, const Dense<V>& v, Dense<remove_complex<V>>& largest,
                  const Reduction& reduction)
{
    sum_squares_of(exec, v, reduction,
                   [&](size_type col, auto, auto largest_part) { largest.at(0, col) = largest_part; });
}

/// Returns the scale of a vector with this largest entry, or 1 if the entry is not a positive
/// number.
template <typename Real>
Real scale_of_vector(const storage_format<Real>& format, Real largest_entry)
{
    const auto scale = largest_entry / format.get_largest();
    return format.has_scale() && scale > 0 && is_finite(scale) ? scale : 1;
}

template <typename V>
void compress(const ReferenceExecutor&, const Dense<remove_complex<V>>& norm, const Dense<remove_complex<V>>& largest,
              size_type index, const basis<V>& basis, Dense<V>& v)
{
    const storage_format<remove_complex<V>> format{basis.precision};
    for (size_type col = 0; col < v.get_size()[1]; ++col) {
        const auto v_norm = norm.at(0, col);
        const auto scale = scale_of_vector(format, largest.at(0, col) / v_norm);
        basis.scales.at(index, col) = scale;
        for (size_type row = 0; row < v.get_size()[0]; ++row) {
            const auto offset = row * v.get_size()[1] + col;
            auto& entry = v.at(row, col);
            format.write(is_zero(v_norm) ? zero<V>() : entry / v_norm / scale, basis.vectors[index], offset);
            format.read(entry, basis.vectors[index], offset);
            entry *= scale;
        }
    }
}

template <typename V>
void multi_dot(const ReferenceExecutor& exec, const basis<V>& basis, const Dense<V>& w, bool is_second,
               const remainder<V>& rest, Dense<V>& h, Dense<V>& triangle, const Reduction& reduction)
{
    const auto num_vectors = basis.vectors.size();
    const auto num_rows = w.get_size()[0];
    const auto num_cols = w.get_size()[1];
    std::vector<V> entries(num_vectors * num_rows * num_cols);
    const auto position = [&](size_type i, size_type row, size_type col) {
        return (i * num_rows + row) * num_cols + col;
    };
    for_each_entry(basis, w.get_size(), [&](size_type i, size_type row, size_type col, const V& entry) {
        entries[position(i, row, col)] = entry;
    });
    for (size_type i = 0; i < num_vectors; ++i) {
        sum_columns<V>(
            exec, num_rows, num_cols, reduction,
            [&](size_type row, size_type col) {
                const auto is_active = !is_second || rest.reorthogonalize.at(0, col) != 0;
                return is_active ? spruce::conj(entries[position(i, row, col)]) * w.at(row, col) : zero<V>();
            },
            [&](size_type col, const V& dot) {
                auto& entry = triangle.at(packed_begin(num_vectors - 1) + i, col);
                h.at(i, col) = dot;
                entry = (is_second ? entry : zero<V>()) + dot;
            });
    }
}

template <typename V>
void subtract(const ReferenceExecutor& exec, const basis<V>& basis, const Dense<V>& h, Dense<V>& w,
              const remainder<V>& rest, const Reduction& reduction)
{
    for_each_entry(basis, w.get_size(), [&](size_type i, size_type row, size_type col, const V& entry) {
        w.at(row, col) -= h.at(i, col) * entry;
    });
    sum_squares_of(exec, w, reduction, [&](size_type col, auto square, auto largest) {
        // By the Pythagorean theorem, the squared norm was square + subtracted.
        remove_complex<V> subtracted{};
        for (size_type i = 0; i < basis.vectors.size(); ++i) {
            subtracted += squared_norm(h.at(i, col));
        }
        rest.norm.at(0, col) = std::sqrt(square);
        rest.largest.at(0, col) = largest;
        rest.reorthogonalize.at(0, col) = square < subtracted ? 1 : 0;
    });
}

template <typename V>
void finish_step(const ReferenceExecutor& exec, const basis<V>& basis, const Dense<V>& h, Dense<V>& w,
                 const remainder<V>& rest, const projection<V>& problem, array<stopping_status>& status,
                 const Reduction& reduction)
{
    const auto step = basis.vectors.size() - 1;
    const auto epsilon = storage_format<remove_complex<V>>{basis.precision}.get_epsilon();
    const auto is_repeated = [&](size_type col) { return rest.reorthogonalize.at(0, col) != 0; };
    for_each_entry(basis, w.get_size(), [&](size_type i, size_type row, size_type col, const V& entry) {
        if (is_repeated(col)) {
            w.at(row, col) -= h.at(i, col) * entry;
        }
    });
    sum_squares_of(exec, w, reduction, [&](size_type col, auto square, auto largest) {
        auto& column = status.get_data()[col];
        if (is_repeated(col)) {
            rest.norm.at(0, col) = std::sqrt(square);
            rest.largest.at(0, col) = largest;
        }
        const auto had_stopped = column.has_stopped();
        finish_arnoldi_step(problem, rest.norm.at(0, col), step, col, column, epsilon);
        // Rounding errors of the storage may be the cause, except in the first step.
        if (!had_stopped && step > 0 && column.get_reason() == stop_reason::breakdown_subspace) {
            column.reset();
        }
        if (is_zero(problem.next_norm.at(0, col))) {
            column.stop(stop_reason::converged);
        }
    });
}

template <typename V>
void add_combination(const ReferenceExecutor&, const basis<V>& basis, const Dense<V>& y,
                     const array<size_type>& num_steps, Dense<V>& x)
{
    const auto num_cols = x.get_size()[1];
    std::vector<V> sums(x.get_size()[0] * num_cols);
    for_each_entry(basis, x.get_size(), [&](size_type i, size_type row, size_type col, const V& entry) {
        auto& sum = sums[row * num_cols + col];
        sum = i == 0 ? x.at(row, col) : sum;
        if (i < num_steps.get_const_data()[col]) {
            sum += y.at(i, col) * entry;
        }
        if (i + 1 == basis.vectors.size() && is_finite(sum)) {
            x.at(row, col) = sum;
        }
    });
}

template <typename V>
void resume_unconfirmed(const ReferenceExecutor&, const Dense<V>& residual_norm, Dense<V>& norm,
                        array<stopping_status>& status)
{
    for (size_type col = 0; col < norm.get_size()[1]; ++col) {
        auto& column = status.get_data()[col];
        norm.at(0, col) = residual_norm.at(0, col);
        if (column.has_converged()) {
            column.reset();
            stop_at_norm(norm.at(0, col), column);
        }
    }
}

}  // namespace cb_gmres

void register_cb_gmres()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        using real = remove_complex<V>;
        kernels::cb_gmres::find_largest<V>.template set<ReferenceExecutor>(&cb_gmres::find_largest<V>);
        kernels::cb_gmres::compress<V>.template set<ReferenceExecutor>(&cb_gmres::compress<V>);
        kernels::cb_gmres::multi_dot<V>.template set<ReferenceExecutor>(&cb_gmres::multi_dot<V>);
        kernels::cb_gmres::subtract<V>.template set<ReferenceExecutor>(&cb_gmres::subtract<V>);
        kernels::cb_gmres::finish_step<V>.template set<ReferenceExecutor>(&cb_gmres::finish_step<V>);
        kernels::cb_gmres::add_combination<V>.template set<ReferenceExecutor>(&cb_gmres::add_combination<V>);
        kernels::cb_gmres::resume_unconfirmed<real>.template set<ReferenceExecutor>(
            &cb_gmres::resume_unconfirmed<real>);
    });
}

}  // namespace spruce::kernels::reference
