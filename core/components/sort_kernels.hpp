// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/base/kernel.hpp"

namespace spruce::kernels::components {

/// Sorts keys, none of which is negative and all of which are less than bound. new_keys contains
/// the keys in order, and new_positions[i] = positions[j] if new_keys[i] was keys[j]. If positions
/// is null, positions[j] = j is used. The sort is stable. Only the bits that bound requires are
/// processed, so that small bounds cost less. Results do not overlap inputs.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* keys, const I* positions, size_type size, size_type bound, I* new_keys,
                                 I* new_positions)>
    sort_keys{"components::sort_keys"};

}  // namespace spruce::kernels::components
