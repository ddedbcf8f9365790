// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/types.hpp>

#include "common/numeric/complex.hpp"

namespace spruce::kernels {

/// Returns the first number of SplitMix64 from this seed: different numbers for different seeds.
/// Source: Steele, Lea and Flood 2014, Fast Splittable Pseudorandom Number Generators.
SPRUCE_HOST_DEVICE_INLINE uint64 split_mix(uint64 seed)
{
    auto z = (seed + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

}  // namespace spruce::kernels
