// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cmath>

#include <spruce/base/types.hpp>

namespace spruce::bench {

/// Returns the quantile of num_values values by linear interpolation between order statistics. This
/// is definition 7 of Hyndman and Fan, Sample Quantiles in Statistical Packages, The American
/// Statistician 50, 1996.
/// @param num_values  at least 1
/// @param share       from 0 (minimum) over 0.5 (median) to 1 (maximum)
/// @param value_at    value_at(k) returns the value that k values precede in ascending order
template <typename ValueAt>
double quantile(size_type num_values, double share, ValueAt value_at)
{
    const auto position = share * static_cast<double>(num_values - 1);
    const auto below = static_cast<size_type>(position);
    const auto fraction = position - std::floor(position);
    const auto value = static_cast<double>(value_at(below));
    if (fraction == 0) {
        return value;
    }
    return value + fraction * (static_cast<double>(value_at(std::min(below + 1, num_values - 1))) - value);
}

}  // namespace spruce::bench
