// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/preconditioner/sor_kernels.hpp"

#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace sor {

template <typename V, typename I>
void scale_lower(const ReferenceExecutor&, const V* a_values, const I* sources, remove_complex<V> omega,
                 matrix::Csr<V, I>& lower)
{
    for (size_type row = 0; row < lower.get_size()[0]; ++row) {
        const auto diagonal = lower.get_const_row_ptrs()[row + 1] - 1;
        for (auto nz = lower.get_const_row_ptrs()[row]; nz < diagonal; ++nz) {
            lower.get_values()[nz] = a_values[sources[nz]];
        }
        lower.get_values()[diagonal] = a_values[sources[diagonal]] / omega;
    }
}

template <typename V, typename I>
void scale_upper(const ReferenceExecutor&, const V* a_values, const I* sources, remove_complex<V> omega,
                 matrix::Csr<V, I>& upper)
{
    for (size_type row = 0; row < upper.get_size()[0]; ++row) {
        const auto diagonal = upper.get_const_row_ptrs()[row];
        upper.get_values()[diagonal] = V{1 / (2 - omega)};
        for (auto nz = diagonal + 1; nz < upper.get_const_row_ptrs()[row + 1]; ++nz) {
            upper.get_values()[nz] = omega / (2 - omega) * (a_values[sources[nz]] / a_values[sources[diagonal]]);
        }
    }
}

}  // namespace sor

void register_sor()
{
    for_each_value_and_index_type([](auto type) {
        using V = typename decltype(type)::value_type;
        using I = typename decltype(type)::index_type;
        using E = ReferenceExecutor;
        kernels::sor::scale_lower<V, I>.template set<E>(&sor::scale_lower<V, I>);
        kernels::sor::scale_upper<V, I>.template set<E>(&sor::scale_upper<V, I>);
    });
}

}  // namespace spruce::kernels::reference
