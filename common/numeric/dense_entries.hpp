// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>

#include "common/numeric/complex.hpp"

/// Contains views of a Dense for kernels. A view is a few words, is captured by value, and can be
/// copied to a device.
namespace spruce::kernels {

/// Views the entries of a matrix with these values and this stride.
template <typename T>
struct dense_entries {
    SPRUCE_HOST_DEVICE_INLINE T& operator()(size_type row, size_type col) const { return values[row * stride + col]; }
    T* values;
    size_type stride;
};
template <typename V>
dense_entries<device_type<V>> entries_of(matrix::Dense<V>& x)
{
    return {as_device(x.get_values()), x.get_stride()};
}
template <typename V>
dense_entries<const device_type<V>> entries_of(const matrix::Dense<V>& x)
{
    return {as_device(x.get_const_values()), x.get_stride()};
}

/// Holds one scalar for all columns, or one for each column.
template <typename T>
struct dense_scalars {
    SPRUCE_HOST_DEVICE_INLINE T operator()(size_type col) const { return values[is_single ? 0 : col]; }
    const T* values;
    bool is_single;
};
template <typename V>
dense_scalars<device_type<V>> scalars_of(const matrix::Dense<V>& alpha)
{
    return {as_device(alpha.get_const_values()), alpha.get_size()[1] == 1};
}

/// Returns one entry of alpha sum + beta x, given the old entry x. If a factor is zero, its operand
/// is ignored, even if it is NaN.
template <typename T>
SPRUCE_HOST_DEVICE_INLINE T combine(const T& alpha, const T& sum, const T& beta, const T& x)
{
    const auto scaled = is_zero(beta) ? T{} : beta * x;
    return is_zero(alpha) ? scaled : scaled + alpha * sum;
}

}  // namespace spruce::kernels
