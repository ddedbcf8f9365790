// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include <spruce/base/types.hpp>

namespace spruce {

/// Represents the num_bits bits of a key that begin at bit shift.
struct radix_digit {
    int shift;
    int num_bits;
};

/// Returns the number of bits of the numbers less than bound.
constexpr int num_bits_below(size_type bound)
{
    int num_bits = 0;
    while (bound > 1 && num_bits < 64 && (bound - 1) >> num_bits != 0) {
        ++num_bits;
    }
    return num_bits;
}

/// Splits num_bits bits into the fewest digits of at most max_bits bits, the lowest first. The
/// digits are as equal as possible: a digit with fewer values leaves longer runs of keys to write.
inline std::vector<radix_digit> split_into_digits(int num_bits, int max_bits)
{
    const auto num_digits = (num_bits + max_bits - 1) / max_bits;
    std::vector<radix_digit> digits;
    for (int i = 0, shift = 0; i < num_digits; ++i) {
        const auto rest = num_digits - i;
        const auto width = (num_bits - shift + rest - 1) / rest;
        digits.push_back({shift, width});
        shift += width;
    }
    return digits;
}

}  // namespace spruce
