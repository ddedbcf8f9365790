// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/base/kernel.hpp"

namespace spruce::kernels::components {

/// Sorts keys, none negative and all below bound: new_keys is keys in order, and new_positions[i] = positions[j] where
/// new_keys[i] came from keys[j]; without positions (nullptr) they are 0, 1, .... Equal keys keep their order. Only the bits
/// that bound needs are looked at, so that small bounds cost less. Results do not overlap what they come from.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* keys, const I* positions, size_type size, size_type bound, I* new_keys,
                                 I* new_positions)>
    sort_keys{"components::sort_keys"};

}  // namespace spruce::kernels::components
