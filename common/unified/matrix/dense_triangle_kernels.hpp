// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/numeric/dense_entries.hpp"
#include "common/unified/base/prelude.hpp"
#include "common/unified/matrix/dense_entries.hpp"
#include "core/matrix/dense_blas_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace dense {

using blas::diagonal;
using blas::triangle;
using kernels::dense::mirroring;

template <typename V>
void expand_rows(const DeviceExecutor& exec, const Dense<V>& a, triangle stored, mirroring kind, diagonal ones,
                 size_type first_row, Dense<V>& b)
{
    using T = device_type<V>;
    for_each_entry(exec, b,
                   [a = entries_of(a), stored, kind, ones, first_row, b = entries_of(b)] SPRUCE_KERNEL_LAMBDA(
                       size_type local_row, size_type col) {
                       const auto row = first_row + local_row;
                       auto value = T{};
                       if (row == col) {
                           value = ones == diagonal::unit ? T{1} : a(row, col);
                           value = kind == mirroring::hermitian ? T(real_of(value)) : value;
                       } else if ((stored == triangle::lower) == (row > col)) {
                           value = a(row, col);
                       } else if (kind != mirroring::none) {
                           value = kind == mirroring::hermitian ? conj_of(a(col, row)) : a(col, row);
                       }
                       b(local_row, col) = value;
                   });
}

template <typename V>
void make_diagonal_real(const DeviceExecutor& exec, Dense<V>& x)
{
    run_for_each(exec, std::min(x.get_size()[0], x.get_size()[1]),
                 [x = entries_of(x)] SPRUCE_KERNEL_LAMBDA(size_type i) { x(i, i) = real_of(x(i, i)); });
}

}  // namespace dense

void register_dense_triangle()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        kernels::dense::expand_rows<V>.template set<DeviceExecutor>(&dense::expand_rows<V>);
        kernels::dense::make_diagonal_real<V>.template set<DeviceExecutor>(&dense::make_diagonal_real<V>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
