// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/unified/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

/// Gathers entries: entry i of the result is entry positions[i] of the source. All of them are
/// gathered in one round (doc/tuning/conversions.md).
template <bool conjugate = false, typename V, typename I>
void gather_entries(const DeviceExecutor& exec, const I* positions, size_type size, const I* from_idxs,
                    const V* from_values, I* to_idxs, V* to_values)
{
    run_for_each(exec, size,
                 [positions, from_idxs, to_idxs, from = as_device(from_values),
                  to = as_device(to_values)] SPRUCE_KERNEL_LAMBDA(size_type i) {
                     const auto position = positions[i];
                     to_idxs[i] = from_idxs[position];
                     to[i] = conjugate ? conj_of(from[position]) : from[position];
                 });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
