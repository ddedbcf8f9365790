// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/preconditioner/sor_kernels.hpp"

#include "common/unified/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace sor {

template <typename V, typename I>
void scale_lower(const DeviceExecutor& exec, const V* a_values, const I* sources, remove_complex<V> omega,
                 matrix::Csr<V, I>& lower)
{
    using T = device_type<V>;
    run_for_each_nonzero(exec, lower.get_const_row_ptrs(), lower.get_size()[0], lower.get_num_stored_elements(),
                         [sources, omega, row_ptrs = lower.get_const_row_ptrs(), a_values = as_device(a_values),
                          values = as_device(lower.get_values())] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
                             const auto value = a_values[sources[nz]];
                             const auto is_diagonal = nz + 1 == static_cast<size_type>(row_ptrs[row + 1]);
                             values[nz] = is_diagonal ? value / T(omega) : value;
                         });
}

template <typename V, typename I>
void scale_upper(const DeviceExecutor& exec, const V* a_values, const I* sources, remove_complex<V> omega,
                 matrix::Csr<V, I>& upper)
{
    using T = device_type<V>;
    using Real = remove_complex<V>;
    run_for_each_nonzero(exec, upper.get_const_row_ptrs(), upper.get_size()[0], upper.get_num_stored_elements(),
                         [sources, new_diagonal = Real{1} / (2 - omega), factor = omega / (2 - omega),
                          row_ptrs = upper.get_const_row_ptrs(), a_values = as_device(a_values),
                          values = as_device(upper.get_values())] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
                             const auto diagonal = row_ptrs[row];
                             values[nz] = nz == static_cast<size_type>(diagonal)
                                              ? T(new_diagonal)
                                              : T(factor) * (a_values[sources[nz]] / a_values[sources[diagonal]]);
                         });
}

}  // namespace sor

void register_sor()
{
    for_each_value_and_index_type([](auto type) {
        using V = typename decltype(type)::value_type;
        using I = typename decltype(type)::index_type;
        using E = DeviceExecutor;
        kernels::sor::scale_lower<V, I>.template set<E>(&sor::scale_lower<V, I>);
        kernels::sor::scale_upper<V, I>.template set<E>(&sor::scale_upper<V, I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
