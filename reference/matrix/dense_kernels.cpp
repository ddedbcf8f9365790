// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/dense_kernels.hpp"

#include "reference/base/norms.hpp"
#include "reference/base/register.hpp"
#include "reference/base/scaling.hpp"
#include "reference/base/sum_columns.hpp"
#include "reference/matrix/products.hpp"

namespace spruce::kernels::reference {
namespace dense {

/// Calls function(row, col) for each entry.
template <typename V, typename Function>
void for_each_entry(const matrix::Dense<V>& x, Function function)
{
    for (size_type row = 0; row < x.get_size()[0]; ++row) {
        for (size_type col = 0; col < x.get_size()[1]; ++col) {
            function(row, col);
        }
    }
}

/// Returns the factor of a column. The operand is 1 x 1 or 1 x columns.
template <typename V>
V factor(const matrix::Dense<V>& alpha, size_type col)
{
    return alpha.at(0, alpha.get_size()[1] == 1 ? 0 : col);
}

template <typename V>
void fill(const ReferenceExecutor&, matrix::Dense<V>& x, const V& value)
{
    for_each_entry(x, [&](auto row, auto col) { x.at(row, col) = value; });
}

template <typename From, typename To>
void copy(const ReferenceExecutor&, const matrix::Dense<From>& x, matrix::Dense<To>& y)
{
    for_each_entry(x, [&](auto row, auto col) { y.at(row, col) = static_cast<To>(x.at(row, col)); });
}

template <typename V>
void scale(const ReferenceExecutor&, const matrix::Dense<V>& alpha, matrix::Dense<V>& x)
{
    for_each_entry(x, [&](auto row, auto col) {
        x.at(row, col) = is_zero(factor(alpha, col)) ? zero<V>() : factor(alpha, col) * x.at(row, col);
    });
}

template <typename V>
void inv_scale(const ReferenceExecutor&, const matrix::Dense<V>& alpha, matrix::Dense<V>& x)
{
    for_each_entry(x, [&](auto row, auto col) { x.at(row, col) /= factor(alpha, col); });
}

template <typename V>
void add_scaled(const ReferenceExecutor&, const matrix::Dense<V>& alpha, const matrix::Dense<V>& x, matrix::Dense<V>& y)
{
    for_each_entry(x, [&](auto row, auto col) {
        if (is_nonzero(factor(alpha, col))) {
            y.at(row, col) += factor(alpha, col) * x.at(row, col);
        }
    });
}

template <typename V>
void sub_scaled(const ReferenceExecutor&, const matrix::Dense<V>& alpha, const matrix::Dense<V>& x, matrix::Dense<V>& y)
{
    for_each_entry(x, [&](auto row, auto col) {
        if (is_nonzero(factor(alpha, col))) {
            y.at(row, col) -= factor(alpha, col) * x.at(row, col);
        }
    });
}

/// Computes result_j = sum_i term(i, j).
template <typename R, typename Term>
void reduce_columns(const ReferenceExecutor& exec, size_type num_rows, matrix::Dense<R>& result,
                    const Reduction& reduction, Term term)
{
    sum_columns<R>(exec, num_rows, result.get_size()[1], reduction, term,
                   [&](auto col, auto sum) { result.at(0, col) = sum; });
}

template <typename V>
void dot(const ReferenceExecutor& exec, const matrix::Dense<V>& x, const matrix::Dense<V>& y, matrix::Dense<V>& result,
         const Reduction& reduction)
{
    reduce_columns(exec, x.get_size()[0], result, reduction, [&](auto row, auto col) {
        const auto scale = column_scale<V>(reduction, col);
        return (scale * x.at(row, col)) * (scale * y.at(row, col));
    });
}

template <typename V>
void conj_dot(const ReferenceExecutor& exec, const matrix::Dense<V>& x, const matrix::Dense<V>& y,
              matrix::Dense<V>& result, const Reduction& reduction)
{
    reduce_columns(exec, x.get_size()[0], result, reduction, [&](auto row, auto col) {
        return scaled_product(x.at(row, col), y.at(row, col), column_scale<V>(reduction, col));
    });
}

template <typename V>
void norm2(const ReferenceExecutor& exec, const matrix::Dense<V>& x, matrix::Dense<remove_complex<V>>& result,
           const Reduction& reduction)
{
    norm_columns<remove_complex<V>>(
        exec, x.get_size()[0], x.get_size()[1], reduction, [&](auto row, auto col) { return x.at(row, col); },
        [&](auto col, auto norm) { result.at(0, col) = norm; });
}

template <typename V>
void norm1(const ReferenceExecutor& exec, const matrix::Dense<V>& x, matrix::Dense<remove_complex<V>>& result,
           const Reduction& reduction)
{
    reduce_columns(exec, x.get_size()[0], result, reduction, [&](auto row, auto col) { return abs(x.at(row, col)); });
}

template <typename V>
void squared_norm2(const ReferenceExecutor& exec, const matrix::Dense<V>& x, matrix::Dense<remove_complex<V>>& result,
                   const Reduction& reduction)
{
    reduce_columns(exec, x.get_size()[0], result, reduction,
                   [&](auto row, auto col) { return squared_norm(x.at(row, col)); });
}

template <typename V>
void mean(const ReferenceExecutor& exec, const matrix::Dense<V>& x, matrix::Dense<V>& result,
          const Reduction& reduction)
{
    const auto num_rows = static_cast<remove_complex<V>>(x.get_size()[0]);
    sum_columns<V>(
        exec, x.get_size()[0], x.get_size()[1], reduction, [&](auto row, auto col) { return x.at(row, col); },
        [&](auto col, auto sum) { result.at(0, col) = sum / num_rows; });
}

template <typename V>
void add_scaled_identity(const ReferenceExecutor&, const matrix::Dense<V>& alpha, const matrix::Dense<V>& beta,
                         matrix::Dense<V>& x)
{
    for_each_entry(x, [&](auto row, auto col) {
        const auto scaled = is_zero(beta.at(0, 0)) ? zero<V>() : beta.at(0, 0) * x.at(row, col);
        x.at(row, col) = row == col ? alpha.at(0, 0) + scaled : scaled;
    });
}

template <typename V>
void inplace_absolute(const ReferenceExecutor&, matrix::Dense<V>& x)
{
    for_each_entry(x, [&](auto row, auto col) { x.at(row, col) = abs(x.at(row, col)); });
}

template <typename V>
void outplace_absolute(const ReferenceExecutor&, const matrix::Dense<V>& x, matrix::Dense<remove_complex<V>>& y)
{
    for_each_entry(x, [&](auto row, auto col) { y.at(row, col) = abs(x.at(row, col)); });
}

template <typename V>
void make_complex(const ReferenceExecutor&, const matrix::Dense<V>& x, matrix::Dense<to_complex<V>>& y)
{
    for_each_entry(x, [&](auto row, auto col) { y.at(row, col) = x.at(row, col); });
}

template <typename V>
void get_real(const ReferenceExecutor&, const matrix::Dense<V>& x, matrix::Dense<remove_complex<V>>& y)
{
    for_each_entry(x, [&](auto row, auto col) { y.at(row, col) = spruce::real(x.at(row, col)); });
}

template <typename V>
void get_imag(const ReferenceExecutor&, const matrix::Dense<V>& x, matrix::Dense<remove_complex<V>>& y)
{
    for_each_entry(x, [&](auto row, auto col) { y.at(row, col) = spruce::imag(x.at(row, col)); });
}

/// Returns entry (row, col) of a b.
template <typename V>
V row_times_column(const matrix::Dense<V>& a, size_type row, const matrix::Dense<V>& b, size_type col)
{
    auto sum = zero<V>();
    for (size_type i = 0; i < a.get_size()[1]; ++i) {
        sum += a.at(row, i) * b.at(i, col);
    }
    return sum;
}

template <typename V>
void simple_apply(const ReferenceExecutor&, const matrix::Dense<V>& a, const matrix::Dense<V>& b, matrix::Dense<V>& c)
{
    multiply([&](auto row, auto col) { return row_times_column(a, row, b, col); }, c);
}

template <typename V>
void apply(const ReferenceExecutor&, const matrix::Dense<V>& alpha, const matrix::Dense<V>& a,
           const matrix::Dense<V>& b, const matrix::Dense<V>& beta, matrix::Dense<V>& c)
{
    multiply_add(
        alpha, [&](auto row, auto col) { return row_times_column(a, row, b, col); }, beta, c);
}

template <typename V>
void transpose(const ReferenceExecutor&, const matrix::Dense<V>& x, matrix::Dense<V>& y)
{
    for_each_entry(x, [&](auto row, auto col) { y.at(col, row) = x.at(row, col); });
}

template <typename V>
void conj_transpose(const ReferenceExecutor&, const matrix::Dense<V>& x, matrix::Dense<V>& y)
{
    for_each_entry(x, [&](auto row, auto col) { y.at(col, row) = spruce::conj(x.at(row, col)); });
}

template <typename V, typename I>
void count_nonzeros_per_row(const ReferenceExecutor&, const matrix::Dense<V>& x, I* counts)
{
    for (size_type row = 0; row < x.get_size()[0]; ++row) {
        counts[row] = 0;
        for (size_type col = 0; col < x.get_size()[1]; ++col) {
            counts[row] += is_nonzero(x.at(row, col)) ? 1 : 0;
        }
    }
}

template <typename V, typename I>
void collect_nonzeros(const ReferenceExecutor&, const matrix::Dense<V>& x, const I* row_ptrs, I* col_idxs, V* values)
{
    for (size_type row = 0; row < x.get_size()[0]; ++row) {
        auto nz = row_ptrs[row];
        for (size_type col = 0; col < x.get_size()[1]; ++col) {
            if (is_nonzero(x.at(row, col))) {
                col_idxs[nz] = static_cast<I>(col);
                values[nz] = x.at(row, col);
                ++nz;
            }
        }
    }
}

}  // namespace dense

void register_dense()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        using N = next_precision<V>;
        using E = ReferenceExecutor;
        kernels::dense::fill<V>.template set<E>(&dense::fill<V>);
        kernels::dense::copy<V, V>.template set<E>(&dense::copy<V, V>);
        kernels::dense::copy<V, N>.template set<E>(&dense::copy<V, N>);
        kernels::dense::copy<N, V>.template set<E>(&dense::copy<N, V>);
        kernels::dense::scale<V>.template set<E>(&dense::scale<V>);
        kernels::dense::inv_scale<V>.template set<E>(&dense::inv_scale<V>);
        kernels::dense::add_scaled<V>.template set<E>(&dense::add_scaled<V>);
        kernels::dense::sub_scaled<V>.template set<E>(&dense::sub_scaled<V>);
        kernels::dense::dot<V>.template set<E>(&dense::dot<V>);
        kernels::dense::conj_dot<V>.template set<E>(&dense::conj_dot<V>);
        kernels::dense::norm2<V>.template set<E>(&dense::norm2<V>);
        kernels::dense::norm1<V>.template set<E>(&dense::norm1<V>);
        kernels::dense::squared_norm2<V>.template set<E>(&dense::squared_norm2<V>);
        kernels::dense::mean<V>.template set<E>(&dense::mean<V>);
        kernels::dense::add_scaled_identity<V>.template set<E>(&dense::add_scaled_identity<V>);
        kernels::dense::inplace_absolute<V>.template set<E>(&dense::inplace_absolute<V>);
        kernels::dense::outplace_absolute<V>.template set<E>(&dense::outplace_absolute<V>);
        kernels::dense::make_complex<V>.template set<E>(&dense::make_complex<V>);
        kernels::dense::get_real<V>.template set<E>(&dense::get_real<V>);
        kernels::dense::get_imag<V>.template set<E>(&dense::get_imag<V>);
        kernels::dense::simple_apply<V>.template set<E>(&dense::simple_apply<V>);
        kernels::dense::apply<V>.template set<E>(&dense::apply<V>);
        kernels::dense::transpose<V>.template set<E>(&dense::transpose<V>);
        kernels::dense::conj_transpose<V>.template set<E>(&dense::conj_transpose<V>);
        for_each_index_type([](auto index) {
            using I = typename decltype(index)::type;
            kernels::dense::count_nonzeros_per_row<V, I>.template set<E>(&dense::count_nonzeros_per_row<V, I>);
            kernels::dense::collect_nonzeros<V, I>.template set<E>(&dense::collect_nonzeros<V, I>);
        });
    });
}

}  // namespace spruce::kernels::reference
