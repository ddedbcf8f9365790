// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/factorization/factor_sweep_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace factor_sweep {

using spruce::factorization::detail::sweep_view;

/// Returns the entry of A at the place of entry nz of the factors.
template <typename V, typename I>
V value_of_a(const sweep_view<V, I>& f, size_type nz)
{
    const auto source = f.sources ? f.sources[nz] : static_cast<I>(nz);
    return source < 0 ? zero<V>() : f.a_values[source];
}

template <typename I>
void has_long_rows(const ReferenceExecutor&, const I*, size_type, size_type, bool& result)
{
    result = false;
}

template <typename V, typename I>
void start(const ReferenceExecutor&, const sweep_view<V, I>& f, bool is_hermitian, V* values)
{
    for (size_type nz = 0; nz < f.num_entries; ++nz) {
        const auto value = value_of_a(f, nz);
        if (is_hermitian) {
            const auto pivot = spruce::real(value_of_a(f, f.diagonal[f.cols[nz]]));
            const auto root = pivot > 0 ? std::sqrt(pivot) : remove_complex<V>{1};
            values[nz] = f.rows[nz] == f.cols[nz] ? V{root} : value / root;
        } else {
            values[nz] = value;
        }
    }
}

/// Holds a sum and the sum of the absolute values of its terms.
template <typename V>
struct checked_sum {
    void subtract(const V& term)
    {
        value -= term;
        absolute += std::abs(term);
    }

    /// Returns the square of the value divided by the sum of absolute values.
    remove_complex<V> squared_ratio() const { return absolute == 0 ? 0 : spruce::squared_norm(value / absolute); }

    V value;
    remove_complex<V> absolute;
};

template <typename V>
V damp(remove_complex<V> omega, const V& new_value, const V& old_value)
{
    return omega == 1 ? new_value : omega * new_value + (1 - omega) * old_value;
}

/// Returns the entry of a row in a column, or -1.
template <typename V, typename I>
I find(const sweep_view<V, I>& f, I row, I col)
{
    const auto end = f.cols + f.row_ptrs[row + 1];
    const auto found = std::lower_bound(f.cols + f.row_ptrs[row], end, col);
    return found != end && *found == col ? static_cast<I>(found - f.cols) : I{-1};
}

template <typename V, typename I>
void sweep_lu(const ReferenceExecutor&, const sweep_view<V, I>& f, remove_complex<V> omega, const V* values, V* next,
              remove_complex<V>*, remove_complex<V>* squared_norm, const Reduction&)
{
    *squared_norm = 0;
    for (size_type nz = 0; nz < f.num_entries; ++nz) {
        const auto row = f.rows[nz];
        const auto col = f.cols[nz];
        const auto a = value_of_a(f, nz);
        checked_sum<V> sum{a, std::abs(a)};
        for (auto left = f.row_ptrs[row]; f.cols[left] < std::min(row, col); ++left) {
            const auto right = find(f, f.cols[left], col);
            if (right >= 0) {
                sum.subtract(values[left] * values[right]);
            }
        }
        const auto product = row > col ? values[nz] * values[f.diagonal[col]] : values[nz];  // the last term
        next[nz] = damp(omega, sum.value, product);
        sum.subtract(product);
        *squared_norm += sum.squared_ratio();
    }
}

template <typename V, typename I>
void divide_by_pivots(const ReferenceExecutor&, const sweep_view<V, I>& f, V* values)
{
    for (size_type nz = 0; nz < f.num_entries; ++nz) {
        const auto pivot = values[f.diagonal[f.cols[nz]]];
        if (f.rows[nz] > f.cols[nz] && !is_zero(pivot)) {
            values[nz] /= pivot;
        }
    }
}

template <typename V, typename I>
void sweep_cholesky(const ReferenceExecutor&, const sweep_view<V, I>& f, remove_complex<V> omega, const V* values,
                    V* next, remove_complex<V>* squared_norm, const Reduction&)
{
    *squared_norm = 0;
    for (size_type nz = 0; nz < f.num_entries; ++nz) {
        const auto row = f.rows[nz];
        const auto col = f.cols[nz];
        const auto old = values[nz];
        const auto a = row == col ? V{spruce::real(value_of_a(f, nz))} : value_of_a(f, nz);
        checked_sum<V> sum{a, std::abs(a)};
        for (auto left = f.row_ptrs[row]; f.cols[left] < col; ++left) {
            const auto right = find(f, col, f.cols[left]);
            if (right >= 0) {
                sum.subtract(values[left] * spruce::conj(values[right]));
            }
        }
        if (row > col) {
            const auto pivot = values[f.diagonal[col]];
            next[nz] = damp(omega, sum.value / pivot, old);
            sum.subtract(old * pivot);
        } else if (spruce::real(sum.value) > 0) {
            next[nz] = damp(omega, V{std::sqrt(spruce::real(sum.value))}, old);
            sum.subtract(old * old);
        } else {
            next[nz] = old;
            *squared_norm = std::numeric_limits<remove_complex<V>>::infinity();
            continue;
        }
        *squared_norm += sum.squared_ratio();
    }
}

}  // namespace factor_sweep

void register_factor_sweep()
{
    for_each_value_and_index_type([](auto type) {
        using V = typename decltype(type)::value_type;
        using I = typename decltype(type)::index_type;
        using E = ReferenceExecutor;
        kernels::factor_sweep::start<V, I>.template set<E>(&factor_sweep::start<V, I>);
        kernels::factor_sweep::sweep_lu<V, I>.template set<E>(&factor_sweep::sweep_lu<V, I>);
        kernels::factor_sweep::divide_by_pivots<V, I>.template set<E>(&factor_sweep::divide_by_pivots<V, I>);
        kernels::factor_sweep::sweep_cholesky<V, I>.template set<E>(&factor_sweep::sweep_cholesky<V, I>);
    });
    for_each_index_type([](auto type) {
        using I = typename decltype(type)::type;
        kernels::factor_sweep::has_long_rows<I>.template set<ReferenceExecutor>(&factor_sweep::has_long_rows<I>);
    });
}

}  // namespace spruce::kernels::reference
