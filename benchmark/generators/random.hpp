// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cmath>

#include <spruce/base/types.hpp>

// Generates random numbers that are identical on all platforms. The distributions of the standard
// library differ between implementations.
namespace spruce::bench {

/// Returns the finalizer of splitmix64 (Steele, Lea and Flood 2014), a bijection that scatters
/// neighbouring arguments.
inline uint64 mix(uint64 x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// Returns random bits for the ordered pair (i, j), where 0 <= i, j < 2^32. The value of an entry
/// does not depend on a stream of numbers.
inline uint64 pair_bits(uint64 seed, int64 i, int64 j)
{
    return mix(seed ^ mix((static_cast<uint64>(i) << 32) | static_cast<uint64>(j)));
}

/// Returns random bits for the unordered pair {i, j}: (i, j) and (j, i) give equal bits.
inline uint64 symmetric_pair_bits(uint64 seed, int64 i, int64 j)
{
    return pair_bits(seed, std::min(i, j), std::max(i, j));
}

/// Returns a number in [0, 1).
inline double to_unit(uint64 bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

/// Returns a number in [-1, 1).
inline double to_signed_unit(uint64 bits) { return 2 * to_unit(bits) - 1; }

/// Returns 2^x with equal rounding on all platforms, unlike std::exp2. The relative error is about
/// 1e-15.
inline double portable_exp2(double x)
{
    const auto whole = std::floor(x);
    const auto t = (x - whole) * 0.69314718055994530942;
    double sum = 1;
    for (int k = 17; k > 0; --k) {
        sum = 1 + sum * t / k;
    }
    return std::ldexp(sum, static_cast<int>(whole));
}

/// Returns a log-uniform number between 1 and 10^decades.
inline double to_log_uniform(uint64 bits, double decades)
{
    return portable_exp2(to_unit(bits) * decades * 3.32192809488736234787);
}

/// Generates a stream of random numbers by splitmix64.
class random_stream {
public:
    explicit random_stream(uint64 seed) : state_{mix(seed)} {}

    uint64 bits()
    {
        state_ += 0x9e3779b97f4a7c15u;
        return mix(state_);
    }
    double unit() { return to_unit(this->bits()); }
    double signed_unit() { return to_signed_unit(this->bits()); }
    /// Returns a number in [0, bound), where 0 < bound <= 2^32. The deviation from the uniform
    /// distribution is at most bound / 2^32.
    int64 below(int64 bound) { return static_cast<int64>(((this->bits() >> 32) * static_cast<uint64>(bound)) >> 32); }
    /// Returns a number in [first, last].
    int64 between(int64 first, int64 last) { return first + this->below(last - first + 1); }
    /// Returns an approximately normal number of mean 0 and variance 1. It is the sum of twelve
    /// uniform numbers, so it lies within [-6, 6].
    double normal()
    {
        double sum = -6;
        for (int i = 0; i < 12; ++i) {
            sum += this->unit();
        }
        return sum;
    }

private:
    uint64 state_;
};

}  // namespace spruce::bench
