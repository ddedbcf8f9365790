// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/ell_kernels.hpp"

#include "reference/base/register.hpp"
#include "reference/matrix/padded_rows.hpp"

namespace spruce::kernels::reference {

void register_ell()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        using Matrix = matrix::Ell<V, I>;
        using E = ReferenceExecutor;
        kernels::ell::spmv<V, I>.template set<E>(&padded_rows::spmv<Matrix>);
        kernels::ell::advanced_spmv<V, I>.template set<E>(&padded_rows::advanced_spmv<Matrix>);
        kernels::ell::spmv_with_dot<V, I>.template set<E>(&padded_rows::spmv_with_dot<Matrix>);
        kernels::ell::fill_from_csr<V, I>.template set<E>(&padded_rows::fill_from_csr<Matrix>);
        kernels::ell::count_entries<V, I>.template set<E>(&padded_rows::count_entries<Matrix>);
        kernels::ell::convert_to_csr<V, I>.template set<E>(&padded_rows::convert_to_csr<Matrix>);
        kernels::ell::extract_diagonal<V, I>.template set<E>(&padded_rows::extract_diagonal<Matrix>);
    });
}

}  // namespace spruce::kernels::reference
