// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/dense_permute_kernels.hpp"

#include "reference/base/register.hpp"

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

template <typename V, typename Result, typename I>
void row_gather(const ReferenceExecutor&, const matrix::Dense<V>& x, const I* rows, matrix::Dense<Result>& y)
{
    for_each_entry(y, [&](auto row, auto col) { y.at(row, col) = static_cast<Result>(x.at(rows[row], col)); });
}

template <typename V, typename Result, typename I>
void advanced_row_gather(const ReferenceExecutor&,
                         const matrix::Dense<kernels::dense::higher_precision<V, Result>>& alpha,
                         const matrix::Dense<V>& x, const I* rows,
                         const matrix::Dense<kernels::dense::higher_precision<V, Result>>& beta,
                         matrix::Dense<Result>& y)
{
    using T = kernels::dense::higher_precision<V, Result>;
    for_each_entry(y, [&](auto row, auto col) {
        auto result = is_zero(beta.at(0, 0)) ? zero<T>() : beta.at(0, 0) * static_cast<T>(y.at(row, col));
        if (is_nonzero(alpha.at(0, 0))) {
            result += alpha.at(0, 0) * static_cast<T>(x.at(rows[row], col));
        }
        y.at(row, col) = static_cast<Result>(result);
    });
}

/// Returns idxs[i], or i if idxs is null.
template <typename I>
size_type index_at(const I* idxs, size_type i)
{
    return idxs ? static_cast<size_type>(idxs[i]) : i;
}

template <typename V>
V factor_at(const V* scale, size_type i)
{
    return scale ? scale[i] : one<V>();
}

template <typename V, typename I>
void permute(const ReferenceExecutor&, const matrix::Dense<V>& x, const I* rows, const I* cols, matrix::Dense<V>& y)
{
    for_each_entry(x, [&](auto row, auto col) { y.at(row, col) = x.at(index_at(rows, row), index_at(cols, col)); });
}

template <typename V, typename I>
void inverse_permute(const ReferenceExecutor&, const matrix::Dense<V>& x, const I* rows, const I* cols,
                     matrix::Dense<V>& y)
{
    for_each_entry(x, [&](auto row, auto col) { y.at(index_at(rows, row), index_at(cols, col)) = x.at(row, col); });
}

template <typename V, typename I>
void scale_permute(const ReferenceExecutor&, const matrix::Dense<V>& x, const V* row_scale, const I* rows,
                   const V* col_scale, const I* cols, matrix::Dense<V>& y)
{
    for_each_entry(x, [&](auto row, auto col) {
        const auto from_row = index_at(rows, row);
        const auto from_col = index_at(cols, col);
        y.at(row, col) = factor_at(row_scale, from_row) * factor_at(col_scale, from_col) * x.at(from_row, from_col);
    });
}

template <typename V, typename I>
void inverse_scale_permute(const ReferenceExecutor&, const matrix::Dense<V>& x, const V* row_scale, const I* rows,
                           const V* col_scale, const I* cols, matrix::Dense<V>& y)
{
    for_each_entry(x, [&](auto row, auto col) {
        const auto to_row = index_at(rows, row);
        const auto to_col = index_at(cols, col);
        y.at(to_row, to_col) = x.at(row, col) / (factor_at(row_scale, to_row) * factor_at(col_scale, to_col));
    });
}

}  // namespace dense

void register_dense_permute()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        using N = next_precision<V>;
        kernels::dense::row_gather<V, V, I>.template set<ReferenceExecutor>(&dense::row_gather<V, V, I>);
        kernels::dense::row_gather<V, N, I>.template set<ReferenceExecutor>(&dense::row_gather<V, N, I>);
        kernels::dense::advanced_row_gather<V, V, I>.template set<ReferenceExecutor>(
            &dense::advanced_row_gather<V, V, I>);
        kernels::dense::advanced_row_gather<V, N, I>.template set<ReferenceExecutor>(
            &dense::advanced_row_gather<V, N, I>);
        kernels::dense::permute<V, I>.template set<ReferenceExecutor>(&dense::permute<V, I>);
        kernels::dense::inverse_permute<V, I>.template set<ReferenceExecutor>(&dense::inverse_permute<V, I>);
        kernels::dense::scale_permute<V, I>.template set<ReferenceExecutor>(&dense::scale_permute<V, I>);
        kernels::dense::inverse_scale_permute<V, I>.template set<ReferenceExecutor>(
            &dense::inverse_scale_permute<V, I>);
    });
}

}  // namespace spruce::kernels::reference
