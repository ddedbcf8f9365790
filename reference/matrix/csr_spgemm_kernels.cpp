// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <map>

#include "core/matrix/csr_algebra_kernels.hpp"
#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace csr {

using matrix::Csr;
using matrix::Dense;

/// Returns the entries of a row, sorted by column.
template <typename V, typename I>
std::map<I, V> multiply_add_row(const Dense<V>* alpha, const Csr<V, I>& a, const Csr<V, I>& b, const Dense<V>* beta,
                                const Csr<V, I>* d, size_type row)
{
    const auto a_factor = alpha ? alpha->at(0, 0) : one<V>();
    const auto d_factor = beta ? beta->at(0, 0) : one<V>();
    std::map<I, V> sums;
    const auto add_row = [&](V factor, V coefficient, const Csr<V, I>& from, size_type from_row) {
        for (auto nz = from.get_const_row_ptrs()[from_row]; nz < from.get_const_row_ptrs()[from_row + 1]; ++nz) {
            sums[from.get_const_col_idxs()[nz]] +=
                is_zero(factor) ? zero<V>() : coefficient * from.get_const_values()[nz];
        }
    };
    if (d) {
        add_row(d_factor, d_factor, *d, row);
    }
    for (auto nz = a.get_const_row_ptrs()[row]; nz < a.get_const_row_ptrs()[row + 1]; ++nz) {
        add_row(a_factor, a_factor * a.get_const_values()[nz], b, a.get_const_col_idxs()[nz]);
    }
    return sums;
}

template <typename V, typename I>
void spgemm_count(const ReferenceExecutor&, const Csr<V, I>& a, const Csr<V, I>& b, const Csr<V, I>* d, I* counts)
{
    for (size_type row = 0; row < a.get_size()[0]; ++row) {
        const Dense<V>* one{};
        counts[row] = static_cast<I>(multiply_add_row(one, a, b, one, d, row).size());
    }
}

template <typename V, typename I>
void spgemm_fill(const ReferenceExecutor&, const Dense<V>* alpha, const Csr<V, I>& a, const Csr<V, I>& b,
                 const Dense<V>* beta, const Csr<V, I>* d, Csr<V, I>& c)
{
    for (size_type row = 0; row < a.get_size()[0]; ++row) {
        auto nz = c.get_const_row_ptrs()[row];
        for (const auto& [col, value] : multiply_add_row(alpha, a, b, beta, d, row)) {
            c.get_col_idxs()[nz] = col;
            c.get_values()[nz] = value;
            ++nz;
        }
    }
}

template <typename V, typename I>
void spgemm_values(const ReferenceExecutor&, const Dense<V>* alpha, const Csr<V, I>& a, const Csr<V, I>& b,
                   const Dense<V>* beta, const Csr<V, I>* d, Csr<V, I>& c)
{
    for (size_type row = 0; row < a.get_size()[0]; ++row) {
        auto sums = multiply_add_row(alpha, a, b, beta, d, row);
        for (auto nz = c.get_const_row_ptrs()[row]; nz < c.get_const_row_ptrs()[row + 1]; ++nz) {
            c.get_values()[nz] = sums[c.get_const_col_idxs()[nz]];
        }
    }
}

}  // namespace csr

void register_csr_spgemm()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        using E = ReferenceExecutor;
        kernels::csr::spgemm_count<V, I>.template set<E>(&csr::spgemm_count<V, I>);
        kernels::csr::spgemm_fill<V, I>.template set<E>(&csr::spgemm_fill<V, I>);
        kernels::csr::spgemm_values<V, I>.template set<E>(&csr::spgemm_values<V, I>);
    });
}

}  // namespace spruce::kernels::reference
