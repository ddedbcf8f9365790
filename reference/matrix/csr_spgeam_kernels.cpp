// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <map>

#include "core/components/array_kernels.hpp"
#include "core/matrix/csr_algebra_kernels.hpp"
#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace csr {

using matrix::Csr;
using matrix::Dense;

template <typename I>
bool is_sorted(const kernels::csr::stored_pattern<I>& a)
{
    for (size_type row = 0; row < a.num_rows; ++row) {
        if (!std::is_sorted(a.col_idxs + a.row_ptrs[row], a.col_idxs + a.row_ptrs[row + 1])) {
            return false;
        }
    }
    return true;
}

template <typename I>
void compare_patterns(const ReferenceExecutor&, const kernels::csr::stored_pattern<I>& a,
                      const kernels::csr::stored_pattern<I>& b, kernels::csr::pattern_comparison& result)
{
    const auto nnz = static_cast<size_type>(a.row_ptrs[a.num_rows]);
    result.is_a_sorted = is_sorted(a);
    result.is_b_sorted = is_sorted(b);
    result.are_equal = a.num_stored == nnz && b.num_stored == nnz &&
                       std::equal(a.row_ptrs, a.row_ptrs + a.num_rows + 1, b.row_ptrs) &&
                       std::equal(a.col_idxs, a.col_idxs + nnz, b.col_idxs);
}

template <typename V, typename I>
void spgeam_row_ptrs(const ReferenceExecutor& exec, const Csr<V, I>& a, const Csr<V, I>& b, I* row_ptrs,
                     size_type& num_entries, array<I>&)
{
    const auto num_rows = a.get_size()[0];
    for (size_type row = 0; row < num_rows; ++row) {
        std::map<I, V> columns;
        for (const auto from : {&a, &b}) {
            for (auto nz = from->get_const_row_ptrs()[row]; nz < from->get_const_row_ptrs()[row + 1]; ++nz) {
                columns[from->get_const_col_idxs()[nz]];
            }
        }
        row_ptrs[row] = static_cast<I>(columns.size());
    }
    kernels::components::prefix_sum<I>(exec, row_ptrs, num_rows + 1, num_entries);
}

template <typename V, typename I>
void spgeam_fill(const ReferenceExecutor&, const Dense<V>& alpha, const Csr<V, I>& a, const Dense<V>& beta,
                 const Csr<V, I>& b, Csr<V, I>& c, array<I>&)
{
    for (size_type row = 0; row < a.get_size()[0]; ++row) {
        std::map<I, V> sums;
        const auto add_row = [&](V factor, const Csr<V, I>& from) {
            for (auto nz = from.get_const_row_ptrs()[row]; nz < from.get_const_row_ptrs()[row + 1]; ++nz) {
                sums[from.get_const_col_idxs()[nz]] +=
                    is_zero(factor) ? zero<V>() : factor * from.get_const_values()[nz];
            }
        };
        add_row(alpha.at(0, 0), a);
        add_row(beta.at(0, 0), b);
        auto nz = c.get_const_row_ptrs()[row];
        for (const auto& [col, value] : sums) {
            c.get_col_idxs()[nz] = col;
            c.get_values()[nz] = value;
            ++nz;
        }
    }
}

template <typename V, typename I>
void spgeam_values(const ReferenceExecutor&, const Dense<V>& alpha, const Csr<V, I>& a, const Dense<V>& beta,
                   const Csr<V, I>& b, Csr<V, I>& c)
{
    const auto term = [](V factor, V value) { return is_zero(factor) ? zero<V>() : factor * value; };
    for (size_type nz = 0; nz < c.get_num_stored_elements(); ++nz) {
        c.get_values()[nz] =
            term(alpha.at(0, 0), a.get_const_values()[nz]) + term(beta.at(0, 0), b.get_const_values()[nz]);
    }
}

}  // namespace csr

void register_csr_spgeam()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        using E = ReferenceExecutor;
        kernels::csr::spgeam_row_ptrs<V, I>.template set<E>(&csr::spgeam_row_ptrs<V, I>);
        kernels::csr::spgeam_fill<V, I>.template set<E>(&csr::spgeam_fill<V, I>);
        kernels::csr::spgeam_values<V, I>.template set<E>(&csr::spgeam_values<V, I>);
    });
    for_each_index_type([](auto type) {
        using I = typename decltype(type)::type;
        kernels::csr::compare_patterns<I>.template set<ReferenceExecutor>(&csr::compare_patterns<I>);
    });
}

}  // namespace spruce::kernels::reference
