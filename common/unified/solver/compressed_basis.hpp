// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "common/backend.hpp"
#include "common/numeric/distributed_sums.hpp"
#include "common/numeric/half.hpp"
#include "common/unified/solver/arnoldi.hpp"
#include "core/solver/cb_gmres_kernels.hpp"

/// Contains the computations of the steps of GMRES with a compressed basis, except those of
/// vectors.
namespace spruce::kernels {

/// Describes storage type S for numbers of the real type R: the scaled value of the largest number
/// (0 if there is no scale), and the rounding error relative to the largest number.
template <typename S, typename R, typename = void>
struct storage_traits {
    static constexpr R largest = 0;
    static constexpr R epsilon = static_cast<R>(std::numeric_limits<S>::epsilon());
};
template <typename R>
struct storage_traits<half, R> {
    static constexpr R largest = 1;
    static constexpr R epsilon = static_cast<R>(1.0 / 1024);
};
template <typename S, typename R>
struct storage_traits<S, R, std::enable_if_t<std::is_integral_v<S>>> {
    // An integer type may have more digits than R. Rounding up must not overflow.
    static constexpr bool is_longer = std::numeric_limits<S>::digits > std::numeric_limits<R>::digits;
    static constexpr R largest = static_cast<R>(std::numeric_limits<S>::max() / (is_longer ? 2 : 1));
    static constexpr R integer_epsilon = static_cast<R>(1) / largest;
    static constexpr R epsilon = is_longer ? static_cast<R>(std::numeric_limits<R>::epsilon()) : integer_epsilon;
};

template <typename S>
struct storage_tag {
    using type = S;
};

/// Calls function(storage_tag<S>{}) with the real type S that stores numbers of type V.
template <typename V, typename Function>
void with_storage_type(solver::cb_gmres::storage_precision precision, Function function)
{
    using real = remove_complex<V>;
    constexpr auto is_double = std::is_same_v<real, double>;
    switch (precision) {
        using solver::cb_gmres::storage_precision;
    case storage_precision::keep:
        return function(storage_tag<real>{});
    case storage_precision::reduce1:
        return function(storage_tag<std::conditional_t<is_double, float, half>>{});
    case storage_precision::reduce2:
        return function(storage_tag<half>{});
    case storage_precision::integer:
        return function(storage_tag<std::conditional_t<is_double, int64, int32>>{});
    case storage_precision::ireduce1:
        return function(storage_tag<std::conditional_t<is_double, int32, int16>>{});
    case storage_precision::ireduce2:
        return function(storage_tag<int16>{});
    }
}

template <typename R, typename S>
SPRUCE_HOST_DEVICE_INLINE S to_storage(R value)
{
    if constexpr (std::is_integral_v<S>) {
        return static_cast<S>(rint(value));
    } else {
        return static_cast<S>(value);
    }
}

/// Returns stored number index, without its scale.
template <typename T, typename S>
SPRUCE_HOST_DEVICE_INLINE T read_stored(const S* values, size_type index)
{
    using real = remove_complex<T>;
    if constexpr (is_complex<T>()) {
        return T(static_cast<real>(values[2 * index]), static_cast<real>(values[2 * index + 1]));
    } else {
        return static_cast<real>(values[index]);
    }
}

/// Stores value / scale.
/// @return  the value that read_stored() will return
template <typename T, typename S>
SPRUCE_HOST_DEVICE_INLINE T store(const T& value, const remove_complex<T>& scale, S* values, size_type index)
{
    using real = remove_complex<T>;
    if constexpr (is_complex<T>()) {
        values[2 * index] = to_storage<real, S>(real_of(value) / scale);
        values[2 * index + 1] = to_storage<real, S>(imag_of(value) / scale);
    } else {
        values[index] = to_storage<real, S>(value / scale);
    }
    return read_stored<T>(values, index) * T(scale);
}

/// Returns the scale for storing a vector of this norm and largest entry, divided by the norm.
/// @param target  storage_traits::largest
template <typename R>
SPRUCE_HOST_DEVICE_INLINE R scale_for(const R& norm, const R& largest, const R& target)
{
    const auto scale = target == R{} ? R{1} : largest / norm / target;
    return scale > R{} && is_finite_value(scale) ? scale : R{1};
}

/// Refers to consecutive vectors of a compressed basis. dense_block does this for dense ones.
template <typename T, typename S>
struct compressed_block {
    using real = remove_complex<T>;
    static constexpr int max_size = vectors_per_pass<T>;
    SPRUCE_HOST_DEVICE_INLINE T operator()(int i, size_type row, size_type col) const
    {
        return read_stored<T>(vectors[i], row * num_cols + col);
    }
    SPRUCE_HOST_DEVICE_INLINE real scale(int i, size_type col) const
    {
        constexpr auto has_scale = storage_traits<S, real>::largest != real{};
        return has_scale ? scales(first + i, col) : real{1};
    }

    const S* vectors[max_size];
    dense_entries<const real> scales;
    size_type num_cols;
    size_type first;  ///< index of the first one in the basis
    int size;
    bool is_last;
};

template <typename S, typename V>
std::vector<compressed_block<device_type<V>, S>> blocks_of(const cb_gmres::basis<V>& basis)
{
    using block = compressed_block<device_type<V>, S>;
    const auto num_vectors = basis.vectors.size();
    std::vector<block> blocks;
    for (size_type first = 0; first < num_vectors; first += block::max_size) {
        block vectors{};
        vectors.scales = entries_of(std::as_const(basis.scales));
        vectors.num_cols = basis.scales.get_size()[1];
        vectors.first = first;
        vectors.size = static_cast<int>(std::min<size_type>(block::max_size, num_vectors - first));
        vectors.is_last = first + vectors.size == num_vectors;
        for (int i = 0; i < block::max_size; ++i) {
            vectors.vectors[i] = static_cast<const S*>(basis.vectors[first + (i < vectors.size ? i : 0)]);
        }
        blocks.push_back(vectors);
    }
    return blocks;
}

/// Sums squares, and finds the largest absolute value.
template <typename R>
struct square_and_largest {
    SPRUCE_HOST_DEVICE_INLINE square_and_largest& operator+=(const square_and_largest& other)
    {
        square += other.square;
        largest = other.largest > largest ? other.largest : largest;
        return *this;
    }
    SPRUCE_HOST_DEVICE_INLINE friend square_and_largest operator+(square_and_largest a, const square_and_largest& b)
    {
        return a += b;
    }

    R square;
    R largest;
};
template <typename R>
struct reduced_type<square_and_largest<R>> {
    using real = R;
    static constexpr bool has_maxima = true;
    SPRUCE_HOST_DEVICE_INLINE static square_and_largest<R> merge(const square_and_largest<R>& of_sums,
                                                                 const square_and_largest<R>& of_maxima)
    {
        return {of_sums.square, of_maxima.largest};
    }
};

template <typename T>
SPRUCE_HOST_DEVICE_INLINE remove_complex<T> largest_part(const T& value)
{
    const auto re = abs_of(real_of(value));
    const auto im = abs_of(imag_of(value));
    return re > im ? re : im;
}

/// Refers to a cb_gmres::remainder in kernels.
template <typename R>
struct remainder_entries {
    R* norm;
    R* largest;
    R* reorthogonalize;
};
template <typename V>
remainder_entries<remove_complex<V>> entries_of(const cb_gmres::remainder<V>& rest)
{
    return {rest.norm.get_values(), rest.largest.get_values(), rest.reorthogonalize.get_values()};
}

/// Stores the norm and the largest entry of a column of w after the first subtraction, and a flag
/// to subtract again. By Pythagoras, the squared norm before the subtraction is the sum of those of
/// the remainder and of the subtracted part. Source: Daniel, Gragg, Kaufman and Stewart, 1976, with
/// eta = 1 / sqrt(2).
template <typename T, typename R>
SPRUCE_HOST_DEVICE_INLINE void store_remainder(const square_and_largest<R>& sum, const dense_entries<const T>& h,
                                               size_type num_vectors, const remainder_entries<R>& rest, size_type col)
{
    R taken{};
    for (size_type i = 0; i < num_vectors; ++i) {
        taken += squared_abs(h(i, col));
    }
    rest.norm[col] = sqrt_of(sum.square);
    rest.largest[col] = sum.largest;
    rest.reorthogonalize[col] = sum.square < taken ? R{1} : R{};
}

/// Returns the rounding error of a basis, relative to the largest entry of a vector.
template <typename V>
remove_complex<V> rounding_of(solver::cb_gmres::storage_precision precision)
{
    using real = remove_complex<V>;
    constexpr auto working_epsilon = std::numeric_limits<real>::epsilon();
    auto storage_epsilon = working_epsilon;
    with_storage_type<V>(
        precision, [&](auto tag) { storage_epsilon = storage_traits<typename decltype(tag)::type, real>::epsilon; });
    return std::max(storage_epsilon, working_epsilon);
}

/// Performs cb_gmres::finish_step for one column. A breakdown after the first step of a cycle may
/// be a rounding error of the storage. Then the cycle ends without the step, and the true residual
/// decides.
/// @param sum  counts where the subtraction was repeated
template <typename T, typename R>
SPRUCE_HOST_DEVICE_INLINE void finish_compressed_step(const square_and_largest<R>& sum,
                                                      const remainder_entries<R>& rest, size_type step,
                                                      const projection_entries<T>& problem, size_type col,
                                                      stopping_status& status, const R& rounding)
{
    if (rest.reorthogonalize[col] != R{}) {
        rest.norm[col] = sqrt_of(sum.square);
        rest.largest[col] = sum.largest;
    }
    const auto ran = !status.has_stopped();
    finish_step(rest.norm[col], step, problem, col, status, rounding);
    if (ran && step > 0 && status.get_reason() == stop_reason::breakdown_subspace) {
        status.reset();
    }
    if (problem.next_norm(0, col) == R{}) {
        status.stop(stop_reason::converged);
    }
}

}  // namespace spruce::kernels
