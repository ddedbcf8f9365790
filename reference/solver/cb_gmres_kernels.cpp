// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/cb_gmres_kernels.hpp"

#include "common/base/compressed_basis.hpp"
#include "reference/base/register.hpp"
#include "reference/base/sum_columns.hpp"

namespace spruce::kernels::reference {
namespace cb_gmres {

using kernels::cb_gmres::basis;
using kernels::cb_gmres::remainder;
using kernels::gmres::packed_begin;
using kernels::gmres::projection;
using matrix::Dense;

/// Returns a number of kernels as a number of the standard library.
template <typename V>
V to_standard(const device_type<V>& value)
{
    if constexpr (is_complex<V>()) {
        return V(real_of(value), imag_of(value));
    } else {
        return value;
    }
}

/// Calls function(i, row, col, entry (row, col) of vector i) for all of the basis.
template <typename V, typename Function>
void for_each_entry(const basis<V>& basis, size_type num_rows, Function function)
{
    with_storage_type<V>(basis.precision, [&](auto tag) {
        for (const auto& block : blocks_of<typename decltype(tag)::type>(basis)) {
            for (int i = 0; i < block.size; ++i) {
                for (size_type row = 0; row < num_rows; ++row) {
                    for (size_type col = 0; col < block.num_cols; ++col) {
                        function(block.first + i, row, col, to_standard<V>(block(i, row, col)) * block.scale(i, col));
                    }
                }
            }
        }
    });
}

/// Calls finalize(col, sum) for every column of v.
template <typename V, typename Finalize>
void sum_squares(const ReferenceExecutor& exec, const Dense<V>& v, const Reduction& reduction, Finalize finalize)
{
    using sum_type = square_and_largest<remove_complex<V>>;
    sum_columns<sum_type>(
        exec, v.get_size()[0], v.get_size()[1], reduction,
        [&](size_type row, size_type col) {
            return sum_type{squared_norm(v.at(row, col)), largest_part(to_device(v.at(row, col)))};
        },
        finalize);
}

template <typename V>
void find_largest(const ReferenceExecutor& exec, const Dense<V>& v, Dense<remove_complex<V>>& largest,
                  const Reduction& reduction)
{
    sum_squares(exec, v, reduction, [&](size_type col, const square_and_largest<remove_complex<V>>& sum) {
        largest.at(0, col) = sum.largest;
    });
}

template <typename V>
void compress(const ReferenceExecutor&, const Dense<remove_complex<V>>& norm, const Dense<remove_complex<V>>& largest,
              size_type index, const basis<V>& basis, Dense<V>& v)
{
    with_storage_type<V>(basis.precision, [&](auto tag) {
        using S = typename decltype(tag)::type;
        const auto num_cols = v.get_size()[1];
        const auto values = static_cast<S*>(basis.vectors[index]);
        for (size_type col = 0; col < num_cols; ++col) {
            auto& scale = basis.scales.at(index, col);
            scale = scale_for(norm.at(0, col), largest.at(0, col), storage_traits<S, remove_complex<V>>::largest);
            for (size_type row = 0; row < v.get_size()[0]; ++row) {
                const auto entry = is_zero(norm.at(0, col)) ? zero<V>() : v.at(row, col) / norm.at(0, col);
                v.at(row, col) = to_standard<V>(store(to_device(entry), scale, values, row * num_cols + col));
            }
        }
    });
}

template <typename V>
void multi_dot(const ReferenceExecutor& exec, const basis<V>& basis, const Dense<V>& w, bool is_second,
               const remainder<V>& left, Dense<V>& h, Dense<V>& triangle, const Reduction& reduction)
{
    const auto num_vectors = basis.vectors.size();
    const auto num_cols = w.get_size()[1];
    std::vector<V> entries(num_vectors * w.get_size()[0] * num_cols);
    const auto position = [&](size_type i, size_type row, size_type col) {
        return (i * w.get_size()[0] + row) * num_cols + col;
    };
    for_each_entry(basis, w.get_size()[0], [&](size_type i, size_type row, size_type col, const V& entry) {
        entries[position(i, row, col)] = entry;
    });
    for (size_type i = 0; i < num_vectors; ++i) {
        sum_columns<V>(
            exec, w.get_size()[0], num_cols, reduction,
            [&](size_type row, size_type col) {
                const auto is_wanted = !is_second || left.again.at(0, col) != 0;
                return is_wanted ? spruce::conj(entries[position(i, row, col)]) * w.at(row, col) : zero<V>();
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
              const remainder<V>& left, const Reduction& reduction)
{
    for_each_entry(basis, w.get_size()[0], [&](size_type i, size_type row, size_type col, const V& entry) {
        w.at(row, col) -= h.at(i, col) * entry;
    });
    sum_squares(exec, w, reduction, [&](size_type col, const square_and_largest<remove_complex<V>>& sum) {
        keep_remainder(sum, entries_of(h), basis.vectors.size(), entries_of(left), col);
    });
}

template <typename V>
void finish_step(const ReferenceExecutor& exec, const basis<V>& basis, const Dense<V>& h, Dense<V>& w,
                 const remainder<V>& left, const projection<V>& problem, array<stopping_status>& status,
                 const Reduction& reduction)
{
    for_each_entry(basis, w.get_size()[0], [&](size_type i, size_type row, size_type col, const V& entry) {
        if (left.again.at(0, col) != 0) {
            w.at(row, col) -= h.at(i, col) * entry;
        }
    });
    sum_squares(exec, w, reduction, [&](size_type col, const square_and_largest<remove_complex<V>>& sum) {
        finish_compressed_step(sum, entries_of(left), basis.vectors.size() - 1, entries_of(problem), col,
                               status.get_data()[col], rounding_of<V>(basis.precision));
    });
}

template <typename V>
void add_combination(const ReferenceExecutor&, const basis<V>& basis, const Dense<V>& y,
                     const array<size_type>& num_steps, Dense<V>& x)
{
    for_each_entry(basis, x.get_size()[0], [&](size_type i, size_type row, size_type col, const V& entry) {
        if (i < num_steps.get_const_data()[col]) {
            add_if_finite(x.at(row, col), y.at(i, col) * entry);
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
            stop_if_zero_or_nonfinite(norm.at(0, col), column);
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
