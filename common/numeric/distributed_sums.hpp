// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <type_traits>

#include <spruce/base/reduction.hpp>

#include "common/numeric/sums.hpp"

/// Combines the sums of the parts of a distributed system.
namespace spruce::kernels {

/// Describes a type to which rows are reduced: the type of its numbers, and if it contains maxima
/// in addition to sums.
template <typename T>
struct reduced_type {
    using real = remove_complex<T>;
    static constexpr bool has_maxima = false;
    SPRUCE_HOST_DEVICE_INLINE static T merge(const T& of_sums, const T&) { return of_sums; }
};
template <typename T, int N>
struct reduced_type<sums<T, N>> {
    using real = remove_complex<T>;
    static constexpr bool has_maxima = false;
    SPRUCE_HOST_DEVICE_INLINE static sums<T, N> merge(const sums<T, N>& of_sums, const sums<T, N>&) { return of_sums; }
};

/// Returns true if values of this type can be distributed; counts cannot.
template <typename T>
constexpr bool is_distributable = !std::is_integral_v<typename reduced_type<T>::real>;

/// Replaces the results of this part by those of all parts.
/// @param maxima  a copy of the values, used if T contains maxima
template <typename T>
void combine_parts(const Communicator& communicator, const std::shared_ptr<const Executor>& exec, T* values, T* maxima,
                   size_type size)
{
    using real = typename reduced_type<T>::real;
    const auto num_reals = size * (sizeof(T) / sizeof(real));
    communicator.sum(exec, reinterpret_cast<real*>(values), num_reals);
    if (reduced_type<T>::has_maxima) {
        communicator.max(exec, reinterpret_cast<real*>(maxima), num_reals);
    }
}

}  // namespace spruce::kernels
