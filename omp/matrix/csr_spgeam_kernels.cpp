// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/components/array_kernels.hpp"
#include "core/matrix/csr_algebra_kernels.hpp"
#include "omp/base/register.hpp"
#include "omp/components/multiply_add.hpp"
#include "omp/components/partition.hpp"

namespace spruce::kernels::omp {
namespace csr {

using matrix::Csr;
using matrix::Dense;

/// Calls function(column, entry of a or -1, entry of b or -1) in the order of columns.
template <typename V, typename I, typename Function>
void merge_row(const Csr<V, I>& a, const Csr<V, I>& b, size_type row, Function function)
{
    const auto a_cols = a.get_const_col_idxs();
    const auto b_cols = b.get_const_col_idxs();
    auto i = a.get_const_row_ptrs()[row];
    auto j = b.get_const_row_ptrs()[row];
    const auto a_end = a.get_const_row_ptrs()[row + 1];
    const auto b_end = b.get_const_row_ptrs()[row + 1];
    while (i < a_end || j < b_end) {
        const auto take_a = j == b_end || (i < a_end && a_cols[i] <= b_cols[j]);
        const auto take_b = i == a_end || (j < b_end && b_cols[j] <= a_cols[i]);
        function(take_a ? a_cols[i] : b_cols[j], take_a ? i : I{-1}, take_b ? j : I{-1});
        i += take_a ? 1 : 0;
        j += take_b ? 1 : 0;
    }
}

/// Calls function(row) for all rows, which are distributed by the entries of the larger matrix.
template <typename V, typename I, typename Function>
void for_each_row_of_sum(const Csr<V, I>& a, const Csr<V, I>& b, Function function)
{
    const auto num_rows = a.get_size()[0];
#pragma omp parallel if (a.get_num_stored_elements() + b.get_num_stored_elements() + num_rows >= min_parallel_work)
    {
        const auto& larger = a.get_num_stored_elements() >= b.get_num_stored_elements() ? a : b;
        const auto rows = thread_merge_range(larger.get_const_row_ptrs(), num_rows).rows();
        for (auto row = rows.begin; row < rows.end; ++row) {
            function(row);
        }
    }
}

template <typename V, typename I>
void spgeam_row_ptrs(const OmpExecutor& exec, const Csr<V, I>& a, const Csr<V, I>& b, I* row_ptrs,
                     size_type& num_entries, array<I>&)
{
    for_each_row_of_sum(a, b, [&](size_type row) {
        I count{};
        merge_row(a, b, row, [&](I, I, I) { ++count; });
        row_ptrs[row] = count;
    });
    kernels::components::prefix_sum<I>(exec, row_ptrs, a.get_size()[0] + 1, num_entries);
}

template <typename V, typename I>
void spgeam_fill(const OmpExecutor&, const Dense<V>& alpha, const Csr<V, I>& a, const Dense<V>& beta,
                 const Csr<V, I>& b, Csr<V, I>& c, array<I>&)
{
    const auto a_factor = alpha.at(0, 0);
    const auto b_factor = beta.at(0, 0);
    const auto term = [](V factor, const V* values, I nz) {
        return nz < 0 || is_zero(factor) ? zero<V>() : multiply(factor, values[nz]);
    };
    for_each_row_of_sum(a, b, [&](size_type row) {
        auto nz = c.get_const_row_ptrs()[row];
        merge_row(a, b, row, [&](I col, I i, I j) {
            c.get_col_idxs()[nz] = col;
            c.get_values()[nz] = term(a_factor, a.get_const_values(), i) + term(b_factor, b.get_const_values(), j);
            ++nz;
        });
    });
}

}  // namespace csr

void register_csr_spgeam()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        using E = OmpExecutor;
        kernels::csr::spgeam_row_ptrs<V, I>.template set<E>(&csr::spgeam_row_ptrs<V, I>);
        kernels::csr::spgeam_fill<V, I>.template set<E>(&csr::spgeam_fill<V, I>);
    });
}

}  // namespace spruce::kernels::omp
