// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <map>

#include "core/matrix/csr_algebra_kernels.hpp"
#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace csr {

using matrix::Csr;
using matrix::Dense;

template <typename V, typename I>
void spgeam_count(const ReferenceExecutor&, const Csr<V, I>& a, const Csr<V, I>& b, I* counts, array<I>&)
{
    for (size_type row = 0; row < a.get_size()[0]; ++row) {
        std::map<I, V> columns;
        for (const auto from : {&a, &b}) {
            for (auto nz = from->get_const_row_ptrs()[row]; nz < from->get_const_row_ptrs()[row + 1]; ++nz) {
                columns[from->get_const_col_idxs()[nz]];
            }
        }
        counts[row] = static_cast<I>(columns.size());
    }
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

}  // namespace csr

void register_csr_spgeam()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        using E = ReferenceExecutor;
        kernels::csr::spgeam_count<V, I>.template set<E>(&csr::spgeam_count<V, I>);
        kernels::csr::spgeam_fill<V, I>.template set<E>(&csr::spgeam_fill<V, I>);
    });
}

}  // namespace spruce::kernels::reference
