// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include <spruce/base/dim.hpp>

#include "common/numeric/complex.hpp"
#include "common/numeric/radix_digits.hpp"

/// Contains the records that radix sorts move, as arrays of equal length. The type of records has
///   index_type, key_type, payload_type, digit_type (which has num_bits)
///   value_of(key, digit)  the bits of the key that are the digit
///   get_value(i, digit)  the digit of the key of record i; reads only what the digit needs
///   get_key(i), get_payload(i), set_key(i, key), set_payload(i, payload)
///   for_each_array(function)  calls function(begin of the array) for all arrays
///   as_source()  the arrays as constant arrays
namespace spruce::kernels::records {

template <typename I>
SPRUCE_HOST_DEVICE_INLINE uint32 bits_of(I index, radix_digit digit)
{
    return static_cast<uint32>(static_cast<size_type>(index) >> digit.shift) & ((uint32{1} << digit.num_bits) - 1);
}

/// Holds keys, each of which is an index, and their positions.
template <typename I>
struct keys_with_positions {
    using index_type = std::remove_const_t<I>;
    using key_type = index_type;
    using payload_type = index_type;
    using digit_type = radix_digit;

    static SPRUCE_HOST_DEVICE_INLINE uint32 value_of(key_type key, radix_digit digit) { return bits_of(key, digit); }
    SPRUCE_HOST_DEVICE_INLINE uint32 get_value(size_type i, radix_digit digit) const { return bits_of(keys[i], digit); }
    SPRUCE_HOST_DEVICE_INLINE key_type get_key(size_type i) const { return keys[i]; }
    SPRUCE_HOST_DEVICE_INLINE payload_type get_payload(size_type i) const
    {
        return positions ? positions[i] : static_cast<index_type>(i);
    }
    SPRUCE_HOST_DEVICE_INLINE void set_key(index_type i, key_type key) const { keys[i] = key; }
    SPRUCE_HOST_DEVICE_INLINE void set_payload(index_type i, payload_type position) const { positions[i] = position; }
    template <typename Function>
    SPRUCE_HOST_DEVICE_INLINE void for_each_array(Function function) const
    {
        function(keys);
        function(positions);
    }
    keys_with_positions<const index_type> as_source() const { return {keys, positions}; }

    I* keys;
    I* positions;  // nullptr stands for 0, 1, ...
};

/// Represents a digit of a key that consists of a row and a column. The lower bits are the
/// column's.
struct coordinate_digit {
    radix_digit col;
    radix_digit row;
    int num_bits;
};

/// Splits the bits of a key into digits. The bits of the row follow those of the column.
inline std::vector<coordinate_digit> split_into_digits(dim<2> size, int max_bits)
{
    const auto num_col_bits = num_bits_below(size[1]);
    std::vector<coordinate_digit> result;
    for (const auto [shift, num_bits] : spruce::split_into_digits(num_col_bits + num_bits_below(size[0]), max_bits)) {
        const auto from_col = std::clamp(num_col_bits - shift, 0, num_bits);
        result.push_back(
            {{from_col > 0 ? shift : 0, from_col}, {std::max(shift - num_col_bits, 0), num_bits - from_col}, num_bits});
    }
    return result;
}

template <typename I>
struct coordinates {
    I row;
    I col;
};

/// Holds the entries of a matrix. The key consists of the coordinates.
template <typename V, typename I>
struct triples {
    using index_type = std::remove_const_t<I>;
    using key_type = coordinates<index_type>;
    using payload_type = std::remove_const_t<V>;
    using digit_type = coordinate_digit;

    static SPRUCE_HOST_DEVICE_INLINE uint32 value_of(const key_type& key, const coordinate_digit& digit)
    {
        return bits_of(key.col, digit.col) | bits_of(key.row, digit.row) << digit.col.num_bits;
    }
    SPRUCE_HOST_DEVICE_INLINE uint32 get_value(size_type i, const coordinate_digit& digit) const
    {
        return value_of({digit.row.num_bits > 0 ? rows[i] : 0, digit.col.num_bits > 0 ? cols[i] : 0}, digit);
    }
    SPRUCE_HOST_DEVICE_INLINE key_type get_key(size_type i) const { return {rows[i], cols[i]}; }
    SPRUCE_HOST_DEVICE_INLINE payload_type get_payload(size_type i) const { return values[i]; }
    SPRUCE_HOST_DEVICE_INLINE void set_key(index_type i, const key_type& key) const
    {
        rows[i] = key.row;
        cols[i] = key.col;
    }
    SPRUCE_HOST_DEVICE_INLINE void set_payload(index_type i, const payload_type& value) const { values[i] = value; }
    template <typename Function>
    SPRUCE_HOST_DEVICE_INLINE void for_each_array(Function function) const
    {
        function(rows);
        function(cols);
        function(values);
    }
    triples<const payload_type, const index_type> as_source() const { return {rows, cols, values}; }

    I* rows;
    I* cols;
    V* values;
};

}  // namespace spruce::kernels::records
