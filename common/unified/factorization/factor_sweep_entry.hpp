// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/unified/base/prelude.hpp"
#include "common/unified/factorization/value_of_a.hpp"
#include "core/factorization/factor_sweep_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::factor_sweep {

using factorization::detail::sweep_view;

/// Holds a_ij - sum_k l_ik u_kj and the sum of the absolute values of its terms.
template <typename T>
struct checked_sum {
    SPRUCE_HOST_DEVICE_INLINE explicit checked_sum(const T& a) : value{a}, absolute{abs_of(a)} {}
    SPRUCE_HOST_DEVICE_INLINE checked_sum(const T& sum, remove_complex<T> sum_of_absolute)
        : value{sum}, absolute{sum_of_absolute}
    {}

    SPRUCE_HOST_DEVICE_INLINE void subtract(const T& term)
    {
        value -= term;
        absolute += abs_of(term);
    }

    /// Returns the square of the value divided by the sum of absolute values.
    SPRUCE_HOST_DEVICE_INLINE remove_complex<T> squared_ratio() const
    {
        return absolute == remove_complex<T>{} ? remove_complex<T>{} : squared_abs(value / T(absolute));
    }

    T value;
    remove_complex<T> absolute;
};

/// Returns omega new_value + (1 - omega) old_value, which does not depend on the latter if omega
/// is 1.
template <typename T>
SPRUCE_HOST_DEVICE_INLINE T damp(remove_complex<T> omega, const T& new_value, const T& old_value)
{
    using Real = remove_complex<T>;
    return omega == Real{1} ? new_value : T(omega) * new_value + T(Real{1} - omega) * old_value;
}

/// Stores the next value of an entry of L + U.
/// @param is_lower  whether the entry is below the diagonal
/// @param sum       a_ij - sum_{k < min(i, j)} l_ik u_kj
/// @return  the square of its relative residual for the given values
template <typename T, typename I>
SPRUCE_HOST_DEVICE_INLINE remove_complex<T> update_entry(const sweep_view<T, I>& f, size_type nz, bool is_lower,
                                                         checked_sum<T> sum, remove_complex<T> omega, const T* values,
                                                         T* next)
{
    const auto product = is_lower ? values[nz] * values[f.diagonal[f.cols[nz]]] : values[nz];  // the last term
    next[nz] = damp(omega, sum.value, product);
    sum.subtract(product);
    return sum.squared_ratio();
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::factor_sweep
