// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/factorization/incomplete_kernels.hpp"

#include <omp.h>

#include "common/numeric/sorted_lists.hpp"
#include "omp/base/register.hpp"
#include "omp/base/run_unified.hpp"
#include "omp/components/level_stages.hpp"

namespace spruce::kernels::omp {
namespace incomplete {

using spruce::factorization::detail::incomplete_schedule;

template <typename V, typename I>
void analyze(const OmpExecutor&, const matrix::Csr<V, I>& factors, bool, const array<I>& level_ptrs,
             incomplete_schedule<I>& schedule)
{
    schedule.stages = divide_into_stages(factors, level_ptrs, schedule.order);
    if (schedule.stages.empty()) {
        schedule.order.resize_and_reset(0);
    }
}

/// Views what the steps of a row use.
template <typename V, typename I>
struct factor_rows {
    void begin(size_type row) const
    {
        for (auto nz = row_ptrs[row]; nz < row_ptrs[row + 1]; ++nz) {
            const auto source = sources ? sources[nz] : nz;
            values[nz] = source < 0 ? zero<V>() : a_values[source];
        }
    }
    void check(size_type row) const
    {
        auto is_bad = is_zero(values[diagonal[row]]);
        for (auto nz = row_ptrs[row]; nz < row_ptrs[row + 1]; ++nz) {
            is_bad = is_bad || !is_finite_value(values[nz]);
        }
        if (is_bad) {
            atomic_min(bad_row, static_cast<I>(row));
        }
    }

    const V* a_values;
    const I* sources;
    const I* row_ptrs;
    const I* cols;
    const I* diagonal;
    V* values;
    I* bad_row;
};

/// Performs the elimination of the entries of a row below the diagonal (Saad 2003, Algorithm 10.4).
template <typename V, typename I>
void eliminate_row(const factor_rows<V, I>& f, size_type row)
{
    f.begin(row);
    const auto end = f.row_ptrs[row + 1];
    for (auto nz = f.row_ptrs[row]; nz < f.diagonal[row]; ++nz) {
        const auto k = f.cols[nz];
        const auto factor = f.values[nz] / f.values[f.diagonal[k]];
        f.values[nz] = factor;
        auto target = nz + 1;
        auto other = f.diagonal[k] + 1;
        while (find_common(f.cols, target, end, f.cols, other, f.row_ptrs[k + 1])) {
            f.values[target++] -= factor * f.values[other++];
        }
    }
    f.check(row);
}

/// Computes the entries of L in a row.
template <typename V, typename I>
void compute_row(const factor_rows<V, I>& f, size_type row)
{
    f.begin(row);
    const auto begin = f.row_ptrs[row];
    const auto diagonal = f.diagonal[row];
    for (auto nz = begin; nz < diagonal; ++nz) {
        const auto k = f.cols[nz];
        auto sum = f.values[nz];
        auto left = begin;
        auto right = f.row_ptrs[k];
        while (find_common(f.cols, left, nz, f.cols, right, f.diagonal[k])) {
            sum -= f.values[left++] * spruce::conj(f.values[right++]);
        }
        f.values[nz] = sum / f.values[f.diagonal[k]];
    }
    auto pivot = spruce::real(f.values[diagonal]);
    for (auto nz = begin; nz < diagonal; ++nz) {
        pivot -= spruce::squared_norm(f.values[nz]);
    }
    f.values[diagonal] = std::sqrt(pivot);
    f.check(row);
}

/// Calls function(f, row) for each row after those on which it depends.
template <typename V, typename I, typename Function>
void run_in_order(const V* a_values, const I* sources, const incomplete_schedule<I>& schedule,
                  matrix::Csr<V, I>& factors, I* bad_row, Function function)
{
    const factor_rows<V, I> f{a_values,
                              sources,
                              factors.get_const_row_ptrs(),
                              factors.get_const_col_idxs(),
                              schedule.diagonal.get_const_data(),
                              factors.get_values(),
                              bad_row};
    if (schedule.stages.empty() || omp_get_max_threads() == 1) {
        for (size_type row = 0; row < factors.get_size()[0]; ++row) {
            function(f, row);
        }
    } else {
        run_stages(schedule.stages, schedule.order, [&](size_type row) { function(f, row); });
    }
}

template <typename V, typename I>
void compute_lu(const OmpExecutor&, const V* a_values, const I* sources, const incomplete_schedule<I>& schedule,
                matrix::Csr<V, I>& factors, I* bad_row)
{
    run_in_order(a_values, sources, schedule, factors, bad_row, eliminate_row<V, I>);
}

template <typename V, typename I>
void compute_cholesky(const OmpExecutor&, const V* a_values, const I* sources, const incomplete_schedule<I>& schedule,
                      matrix::Csr<V, I>& factor, I* bad_row)
{
    run_in_order(a_values, sources, schedule, factor, bad_row, compute_row<V, I>);
}

}  // namespace incomplete

void register_incomplete()
{
    for_each_value_and_index_type([](auto type) {
        using V = typename decltype(type)::value_type;
        using I = typename decltype(type)::index_type;
        using E = OmpExecutor;
        kernels::incomplete::analyze<V, I>.template set<E>(&incomplete::analyze<V, I>);
        kernels::incomplete::compute_lu<V, I>.template set<E>(&incomplete::compute_lu<V, I>);
        kernels::incomplete::compute_cholesky<V, I>.template set<E>(&incomplete::compute_cholesky<V, I>);
    });
}

}  // namespace spruce::kernels::omp
