// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/factorization/factor_sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/dispatch.hpp"
#include "core/base/instantiate.hpp"
#include "core/components/array_kernels.hpp"

namespace spruce::factorization::detail {
namespace {

/// The largest number of sweeps between two tests of the residual.
constexpr size_type max_series = 15;
/// The number of sweeps between two tests of the residual, and the largest number of all sweeps, if
/// no number of sweeps is requested.
constexpr size_type automatic_series = 3;
constexpr size_type max_automatic = 15;
/// The largest root mean square of the relative residuals with which factors are accepted: if no
/// number of sweeps is requested, and after the requested number (doc/tuning/factorizations.md).
constexpr double good_residual = 0.02;
constexpr double usable_residual = 0.25;
/// The damping factors, one after the other.
constexpr double damping_factors[] = {1.0, 0.8};

}  // namespace

template <typename V, typename I>
FactorSweeps<V, I>::FactorSweeps(const Csr& factors, bool is_hermitian, size_type num_sweeps)
    : is_hermitian_{is_hermitian},
      num_sweeps_{num_sweeps},
      rows_{factors.get_executor(), factors.get_num_stored_elements()},
      col_entries_{factors.get_executor()},
      next_{factors.get_executor(), factors.get_num_stored_elements()},
      row_norms_{factors.get_executor(), is_hermitian ? 0 : factors.get_size()[0]},
      squared_norms_{factors.get_executor(), max_series + 1},
      host_norms_{factors.get_executor()->get_master(), squared_norms_.get_size()},
      workspace_{factors.get_executor()}
{
    const auto exec = factors.get_executor();
    const auto num_rows = factors.get_size()[0];
    const auto nnz = factors.get_num_stored_elements();
    kernels::components::convert_ptrs_to_idxs<I>(*exec, factors.get_const_row_ptrs(), num_rows, rows_.get_data());
    if (is_hermitian || num_rows == 0) {
        return;
    }
    bool has_long_rows{};
    kernels::factor_sweep::has_long_rows<I>(*exec, factors.get_const_row_ptrs(), num_rows, nnz, has_long_rows);
    if (has_long_rows) {
        auto [columns, reuse] = factors.transpose_reuse();
        columns_ = std::move(columns);
        col_entries_ =
            array<I>::const_view(exec, nnz, reuse.value_permutation->get_const_permutation()).copy_to_array();
    }
}

template <typename V, typename I>
auto FactorSweeps<V, I>::create_view(const V* a_values, const I* sources, const array<I>& diagonal,
                                     const Csr& factors) const -> sweep_view<V, I>
{
    return {factors.get_size()[0],
            factors.get_num_stored_elements(),
            factors.get_const_row_ptrs(),
            rows_.get_const_data(),
            factors.get_const_col_idxs(),
            diagonal.get_const_data(),
            columns_ ? columns_->get_const_row_ptrs() : nullptr,
            columns_ ? columns_->get_const_col_idxs() : nullptr,
            col_entries_.get_const_data(),
            a_values,
            sources};
}

template <typename V, typename I>
void FactorSweeps<V, I>::start(const V* a_values, const I* sources, const array<I>& diagonal, Csr& factors) const
{
    const auto exec = rows_.get_executor();
    const auto view = this->create_view(a_values, sources, diagonal, factors);
    kernels::factor_sweep::start<V, I>(*exec, view, is_hermitian_, factors.get_values());
    if (!is_hermitian_) {
        kernels::factor_sweep::divide_by_pivots<V, I>(*exec, view, factors.get_values());
    }
}

template <typename V, typename I>
bool FactorSweeps<V, I>::compute(const V* a_values, const I* sources, const array<I>& diagonal, Csr& factors)
{
    const auto view = this->create_view(a_values, sources, diagonal, factors);
    for (const auto omega : damping_factors) {
        this->start(a_values, sources, diagonal, factors);
        if (this->converge(view, static_cast<real>(omega), factors.get_values())) {
            return true;
        }
    }
    return false;
}

template <typename V, typename I>
bool FactorSweeps<V, I>::improve(const V* a_values, const I* sources, const array<I>& diagonal, Csr& factors)
{
    return this->converge(this->create_view(a_values, sources, diagonal, factors), real{1}, factors.get_values());
}

template <typename V, typename I>
void FactorSweeps<V, I>::sweep(const sweep_view<V, I>& view, real omega, const V* values, V* next, real* squared_norm)
{
    const auto exec = rows_.get_executor();
    const Reduction reduction{workspace_};
    if (is_hermitian_) {
        kernels::factor_sweep::sweep_cholesky<V, I>(*exec, view, omega, values, next, squared_norm, reduction);
    } else {
        kernels::factor_sweep::sweep_lu<V, I>(*exec, view, omega, values, next, row_norms_.get_data(), squared_norm,
                                              reduction);
        kernels::factor_sweep::divide_by_pivots<V, I>(*exec, view, next);
    }
}

template <typename V, typename I>
bool FactorSweeps<V, I>::converge(const sweep_view<V, I>& view, real omega, V* values)
{
    if (view.num_entries == 0) {
        return true;
    }
    const auto exec = rows_.get_executor();
    const auto is_automatic = num_sweeps_ == 0;
    const auto max_sweeps = is_automatic ? max_automatic : num_sweeps_;
    auto from = values;
    auto to = next_.get_data();
    constexpr auto rounding = 10 * std::numeric_limits<real>::epsilon();
    auto last_residual = std::numeric_limits<real>::infinity();
    for (size_type num_done = 0;;) {
        // A sweep yields the norm of the residual of the values from which it starts. Therefore,
        // one sweep more yields that of the result.
        const auto num_sweeps = std::min(is_automatic ? automatic_series : max_series, max_sweeps - num_done);
        for (size_type i = 0; i <= num_sweeps; ++i) {
            this->sweep(view, omega, from, to, squared_norms_.get_data() + i);
            std::swap(from, to);
        }
        num_done += num_sweeps;
        host_norms_ = squared_norms_;
        residual_ = std::sqrt(host_norms_.get_const_data()[num_sweeps] / static_cast<real>(view.num_entries));
        const auto is_last = num_done >= max_sweeps;
        const auto wanted = is_automatic ? static_cast<real>(good_residual)
                            : is_last    ? static_cast<real>(usable_residual)
                                         : rounding;
        if (residual_ <= wanted) {  // false for NaN
            if (to != values) {     // `to` contains the factors that have this residual
                exec->copy(view.num_entries, to, values);
            }
            return true;
        }
        if (is_last || (is_automatic && !(residual_ < last_residual / 2))) {
            return false;
        }
        last_residual = residual_;
        std::swap(from, to);  // goes on from the factors that have this residual
    }
}

#define SPRUCE_FACTOR_SWEEPS(_value, _index) class FactorSweeps<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_FACTOR_SWEEPS);

}  // namespace spruce::factorization::detail
