// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/factorization/incomplete_kernels.hpp"

#include <algorithm>

#include "common/numeric/sorted_lists.hpp"
#include "omp/base/register.hpp"
#include "omp/base/run_unified.hpp"
#include "omp/components/multiply_add.hpp"
#include "omp/components/row_chains.hpp"

namespace spruce::kernels::omp {
namespace incomplete {

using spruce::factorization::detail::incomplete_schedule;

template <typename V, typename I>
void analyze(const OmpExecutor&, const matrix::Csr<V, I>& factors, bool is_hermitian, incomplete_schedule<I>& schedule)
{
    const auto row_ptrs = factors.get_const_row_ptrs();
    const auto diagonal = schedule.diagonal.get_const_data();
    schedule.chains = distribute_chains(factors, false, [&](size_type row) {
        const auto length = is_hermitian ? diagonal[row] - row_ptrs[row] : row_ptrs[row + 1] - diagonal[row] - 1;
        return static_cast<size_type>(length) + 1;
    });
    schedule.positions.resize_and_reset(std::max<size_type>(schedule.chains.num_parts, 1) * factors.get_size()[0]);
    schedule.positions.fill(I{-1});
}

/// A search takes about as long as this many tests of positions.
constexpr int tests_per_search = 8;

/// Views what the steps of a row use.
template <typename V, typename I>
struct factor_rows {
    /// Copies the entries of A in a row.
    void begin(size_type row) const
    {
        for (auto nz = row_ptrs[row]; nz < row_ptrs[row + 1]; ++nz) {
            const auto source = sources ? sources[nz] : nz;
            values[nz] = source < 0 ? zero<V>() : a_values[source];
            positions[cols[nz]] = nz;
        }
    }
    /// Calls function(target, other) for the pairs of entries with equal columns: target is one of
    /// begin, ..., end - 1 in the row of the last call of begin(), and other one of another row.
    template <typename Function>
    void for_each_common(I begin, I end, I other, I other_end, Function function) const
    {
        if ((other_end - other) / tests_per_search > end - begin) {
            auto target = begin;
            while (find_common(cols, target, end, cols, other, other_end)) {
                function(target++, other++);
            }
            return;
        }
        for (; other < other_end; ++other) {
            const auto target = positions[cols[other]];
            if (target >= begin && target < end) {  // otherwise it is another row's or not in the range
                function(target, other);
            }
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
    I* positions;  ///< of this thread
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
        f.for_each_common(nz + 1, end, f.diagonal[k] + 1, f.row_ptrs[k + 1],
                          [&](I target, I other) { f.values[target] -= multiply(factor, f.values[other]); });
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
        f.for_each_common(begin, nz, f.row_ptrs[k], f.diagonal[k],
                          [&](I target, I other) { sum -= multiply(f.values[target], spruce::conj(f.values[other])); });
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
    const auto size = factors.get_size()[0];
    const factor_rows<V, I> f{a_values,
                              sources,
                              factors.get_const_row_ptrs(),
                              factors.get_const_col_idxs(),
                              schedule.diagonal.get_const_data(),
                              factors.get_values(),
                              schedule.positions.get_data(),
                              bad_row};
    run_chains(schedule.chains, size, [&](size_type thread, size_type begin, size_type end) {
        auto rows = f;
        rows.positions += thread * size;
        for (auto row = begin; row < end; ++row) {
            function(rows, row);
        }
    });
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
