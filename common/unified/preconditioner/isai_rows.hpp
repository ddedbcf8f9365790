// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <limits>

#include "common/numeric/sorted_lists.hpp"
#include "common/unified/base/prelude.hpp"
#include "core/preconditioner/isai_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace isai {

using preconditioner::isai_type;
using preconditioner::detail::excess_class;
using preconditioner::detail::is_triangular;
using preconditioner::detail::isai_view;
using preconditioner::detail::max_dense_residual;
using preconditioner::detail::max_dense_row;
using preconditioner::detail::max_row_of_first_class;
using preconditioner::detail::max_scaling_sweeps;
using preconditioner::detail::max_subwarp_row;
using preconditioner::detail::num_dense_classes;
using preconditioner::detail::num_subwarp_classes;
using preconditioner::detail::substituted_class;

/// Returns the view with values of the type that devices use.
template <typename V, typename I>
isai_view<device_type<V>, I> device_view_of(const isai_view<V, I>& m)
{
    isai_view<device_type<V>, I> result{
        m.type,       m.row_ptrs, m.cols, m.t_row_ptrs, m.t_cols, as_device(m.t_values), m.sources,
        m.conjugates, m.order,    {}};
    for (int i = 0; i <= preconditioner::detail::num_row_classes; ++i) {
        result.class_begins[i] = m.class_begins[i];
    }
    return result;
}

template <typename T, typename I>
SPRUCE_HOST_DEVICE_INLINE T value_of_t(const isai_view<T, I>& m, I nz)
{
    const auto value = m.t_values[m.sources ? m.sources[nz] : nz];
    return m.conjugates ? conj_of(value) : value;
}

/// Returns a power of two s with which s^2 times the magnitude is about 1: at least 1/4 and less
/// than 2. It is 1 for such magnitudes, for zero, and for those that are not finite. If rows and
/// columns are scaled by these powers of their largest magnitudes, again and again, all of the
/// magnitudes approach 1 (Ruiz 2001, A Scaling Algorithm to Equilibrate Both Rows and Columns Norms
/// in Matrices).
template <typename Real>
SPRUCE_HOST_DEVICE_INLINE Real root_scale(Real magnitude)
{
    if (!(magnitude > Real{}) || !is_finite_value(magnitude)) {
        return Real{1};
    }
    int exponent = 0;
    frexp(magnitude, &exponent);
    return ldexp(Real{1}, -(exponent / 2));
}

/// Returns true if a residual of a dense system that is scaled is small enough.
/// @param bound  the sum of the absolute values of the terms of the residual
template <typename T>
SPRUCE_HOST_DEVICE_INLINE bool is_small_residual(const T& residual, remove_complex<T> bound)
{
    using Real = remove_complex<T>;
    return abs_of(residual) + std::numeric_limits<Real>::epsilon() * bound <= static_cast<Real>(max_dense_residual);
}

/// Describes a step of a substitution: the unknown that it computes, the entries of its row of T
/// beside the diagonal, and the entries of the row of M that later steps compute.
template <typename I>
struct substitution_step {
    I unknown;  ///< the entry of M that is computed
    I t_row;
    I pivot;    ///< an entry of T
    I t_begin;  ///< of the other entries of this row of T
    I t_end;
    I begin;  ///< of the entries of M that follow
    I end;
};

/// Returns a step of the substitution that computes the entries begin, ..., end - 1 of M. For a
/// lower triangle, the steps go from the last entry to the first one.
template <typename T, typename I>
SPRUCE_HOST_DEVICE_INLINE substitution_step<I> describe_step(const isai_view<T, I>& m, I begin, I end, I step)
{
    substitution_step<I> result{};
    const auto is_lower = m.type == isai_type::lower;
    result.unknown = is_lower ? end - 1 - step : begin + step;
    result.t_row = m.cols[result.unknown];
    result.t_begin = m.t_row_ptrs[result.t_row];
    result.t_end = m.t_row_ptrs[result.t_row + 1];
    if (is_lower) {
        result.pivot = --result.t_end;
        result.begin = begin;
        result.end = result.unknown;
    } else {
        result.pivot = result.t_begin++;
        result.begin = result.unknown + 1;
        result.end = end;
    }
    return result;
}

/// Calls store(entry of M, value of T) for each column that the entries t_begin, ..., t_end - 1 of
/// T and the entries begin, ..., end - 1 of M have in common.
template <typename T, typename I, typename Store>
SPRUCE_HOST_DEVICE_INLINE void for_each_common(const isai_view<T, I>& m, I t_begin, I t_end, I begin, I end,
                                               Store store)
{
    while (find_common(m.t_cols, t_begin, t_end, m.cols, begin, end)) {
        store(begin, value_of_t(m, t_begin));
        ++t_begin;
        ++begin;
    }
}

}  // namespace isai

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
