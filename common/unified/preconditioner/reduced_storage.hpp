// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Stores values in fewer bits. Columns of a reduced slice begin where those of a full slice begin
// or before, so that slices are reduced in place and no pointer changes.

#include <type_traits>

#include <spruce/base/precision_reduction.hpp>

#include "common/backend.hpp"
#include "common/numeric/complex.hpp"
#include "common/numeric/half.hpp"
#include "common/unified/preconditioner/block_entries.hpp"

namespace spruce::kernels {

/// Stores the upper bits of a number of type R: its sign, its exponent and a part of its fraction.
template <typename R, typename Bits>
struct truncated {
    using all_bits = std::conditional_t<sizeof(R) == 8, uint64, uint32>;
    static constexpr int num_dropped = 8 * (sizeof(R) - sizeof(Bits));

    truncated() = default;
    SPRUCE_HOST_DEVICE_INLINE explicit truncated(R value)
    {
        all_bits all;
        __builtin_memcpy(&all, &value, sizeof(all));
        bits = static_cast<Bits>(all >> num_dropped);
    }
    SPRUCE_HOST_DEVICE_INLINE explicit operator R() const
    {
        const auto all = static_cast<all_bits>(bits) << num_dropped;
        R value;
        __builtin_memcpy(&value, &all, sizeof(value));
        return value;
    }

    Bits bits;
};

/// Describes a format for real numbers of type R: its type of storage S, and the type I from which
/// numbers are converted to S.
template <typename S, typename I>
struct number_format {
    template <typename R>
    SPRUCE_HOST_DEVICE_INLINE static S encode(R value)
    {
        return S(static_cast<I>(value));
    }
    template <typename R>
    SPRUCE_HOST_DEVICE_INLINE static R decode(const S& stored)
    {
        return static_cast<R>(static_cast<I>(stored));
    }
    using storage = S;
};

/// Stores a number of type T in memory of numbers of type T. A complex number takes two numbers.
template <typename T, typename Format>
struct __attribute__((may_alias)) stored_number {
    SPRUCE_HOST_DEVICE_INLINE void store(const T& value) { number = Format::encode(value); }
    SPRUCE_HOST_DEVICE_INLINE T load() const { return Format::template decode<T>(number); }
    typename Format::storage number;
};
template <typename R, typename Format>
struct __attribute__((may_alias)) stored_number<device_complex<R>, Format> {
    SPRUCE_HOST_DEVICE_INLINE void store(const device_complex<R>& value)
    {
        re = Format::encode(value.re);
        im = Format::encode(value.im);
    }
    SPRUCE_HOST_DEVICE_INLINE device_complex<R> load() const
    {
        return {Format::template decode<R>(re), Format::template decode<R>(im)};
    }
    typename Format::storage re;
    typename Format::storage im;
};

/// Calls function.template run<number_format>() for the format of numbers of type T. Formats that
/// do not exist for T are stored in full precision.
template <typename T, typename Function>
SPRUCE_HOST_DEVICE_INLINE void visit_format(precision_reduction format, Function& function)
{
    using R = remove_complex<T>;
    const auto preserving = format.get_preserving();
    const auto nonpreserving = format.get_nonpreserving();
    if constexpr (std::is_same_v<R, double>) {
        if (preserving == 0 && nonpreserving == 1) {
            function.template run<number_format<float, float>>();
        } else if (preserving == 0 && nonpreserving == 2) {
            function.template run<number_format<half, float>>();
        } else if (preserving == 1 && nonpreserving == 0) {
            function.template run<number_format<truncated<double, uint32>, double>>();
        } else if (preserving == 1 && nonpreserving == 1) {
            function.template run<number_format<truncated<float, uint16>, float>>();
        } else if (preserving == 2 && nonpreserving == 0) {
            function.template run<number_format<truncated<double, uint16>, double>>();
        } else {
            function.template run<number_format<double, double>>();
        }
    } else {
        if (preserving == 0 && nonpreserving == 1) {
            function.template run<number_format<half, float>>();
        } else if (preserving == 1 && nonpreserving == 0) {
            function.template run<number_format<truncated<float, uint16>, float>>();
        } else {
            function.template run<number_format<float, float>>();
        }
    }
}

/// Views a slice of blocks.
template <typename T>
struct slice_entries {
    static constexpr int num_rows = block_entries<T>::stride;

    /// Returns column j of the slice, stored in this format.
    template <typename Format>
    SPRUCE_HOST_DEVICE_INLINE auto column(int j) const
    {
        using number = stored_number<std::remove_const_t<T>, Format>;
        return reinterpret_cast<std::conditional_t<std::is_const_v<T>, const number, number>*>(begin) + j * num_rows;
    }

    T* begin;
};

/// Reduces the columns of a slice in place, from the first one on.
template <typename T>
struct reduce_slice {
    template <typename Format>
    SPRUCE_HOST_DEVICE_INLINE void run() const
    {
        for (int j = 0; j < width; ++j) {
            T column[slice_entries<T>::num_rows];
            for (int i = 0; i < slice.num_rows; ++i) {
                column[i] = slice.begin[j * slice.num_rows + i];
            }
            const auto reduced = slice.template column<Format>(j);
            for (int i = 0; i < slice.num_rows; ++i) {
                reduced[i].store(column[i]);
            }
        }
    }
    slice_entries<T> slice;
    int width;
};

/// Restores the columns of a slice in full precision in place, from the last one on.
template <typename T>
struct restore_slice {
    template <typename Format>
    SPRUCE_HOST_DEVICE_INLINE void run() const
    {
        for (int j = width - 1; j >= 0; --j) {
            T column[slice_entries<T>::num_rows];
            const auto reduced = slice.template column<Format>(j);
            for (int i = 0; i < slice.num_rows; ++i) {
                column[i] = reduced[i].load();
            }
            for (int i = 0; i < slice.num_rows; ++i) {
                slice.begin[j * slice.num_rows + i] = column[i];
            }
        }
    }
    slice_entries<T> slice;
    int width;
};

/// Multiplies a row of a reduced block by num_cols columns.
template <int num_cols, typename T>
struct multiply_reduced_row {
    template <typename Format>
    SPRUCE_HOST_DEVICE_INLINE void run()
    {
        for (int j = 0; j < block_size; ++j) {
            const T value = slice.template column<Format>(j)[row_in_slice].load();
            add_products<num_cols>(value, b + j * b_stride, max_cols, sums);
        }
    }
    slice_entries<const T> slice;
    int row_in_slice;
    int block_size;
    const T* b;
    size_type b_stride;
    int max_cols;
    T sums[num_cols];
};

/// Describes the numbers of a format by powers of two: rounding errors relative to a number, and
/// the largest number and the smallest one with all digits.
struct format_range {
    int log_error;
    int log_largest;
    int log_smallest;
};

/// Returns the properties of a format of numbers of type R.
template <typename R>
SPRUCE_HOST_DEVICE_INLINE format_range range_of(precision_reduction format)
{
    const auto preserving = format.get_preserving();
    const auto nonpreserving = format.get_nonpreserving();
    constexpr auto is_double = std::is_same_v<R, double>;
    if (nonpreserving == (is_double ? 2 : 1)) {
        return {-11, 15, -14};
    }
    const auto is_from_double = is_double && nonpreserving == 0;
    if (is_from_double) {
        return {preserving == 0 ? -53 : preserving == 1 ? -20 : -4, 1023, -1022};
    }
    return {preserving == 0 ? -24 : -7, 127, -126};
}

/// Returns 2^exponent.
template <typename R>
SPRUCE_HOST_DEVICE_INLINE R power_of_two(int exponent)
{
    return static_cast<R>(ldexp(1.0, exponent));
}

/// Returns true if numbers up to the largest one can be stored, and if the largest one is so large
/// that the rounding errors of all numbers are small relative to it: a column of 32 numbers may
/// lose 32 times the smallest number with all digits.
template <typename R>
SPRUCE_HOST_DEVICE_INLINE bool is_in_range(precision_reduction format, R largest)
{
    const auto range = range_of<R>(format);
    return static_cast<double>(largest) < ldexp(1.0, range.log_largest) &&
           static_cast<double>(largest) >= ldexp(1.0, range.log_smallest + 5);
}

/// Chooses the format of a block. A requested format is replaced by the next wider one until the
/// largest number is in its range. Without a request, it is the shortest format whose rounding
/// errors change the product of the block and its inverse by at most accuracy.
template <typename R>
SPRUCE_HOST_DEVICE_INLINE precision_reduction choose_format(precision_reduction requested, R condition, R largest,
                                                            R accuracy)
{
    constexpr int max_reductions = std::is_same_v<R, double> ? 2 : 1;
    if (requested != precision_reduction::autodetect()) {
        const int preserving = min(static_cast<int>(requested.get_preserving()), int{max_reductions});
        int nonpreserving = min(static_cast<int>(requested.get_nonpreserving()), max_reductions - preserving);
        while (nonpreserving > 0 &&
               !is_in_range(precision_reduction(static_cast<uint8>(preserving), static_cast<uint8>(nonpreserving)),
                            largest)) {
            --nonpreserving;
        }
        return {static_cast<uint8>(preserving), static_cast<uint8>(nonpreserving)};
    }
    for (int num_reductions = max_reductions; num_reductions > 0; --num_reductions) {
        for (int preserving = 0; preserving <= num_reductions; ++preserving) {
            const precision_reduction format{static_cast<uint8>(preserving),
                                             static_cast<uint8>(num_reductions - preserving)};
            const auto error = static_cast<double>(condition) * ldexp(1.0, range_of<R>(format).log_error);
            if (error <= static_cast<double>(accuracy) && is_in_range(format, largest)) {
                return format;
            }
        }
    }
    return {};
}

}  // namespace spruce::kernels
