// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <type_traits>

#include "common/unified/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

/// Returns the entry of A at the place of entry nz of incomplete factors.
/// @param f  has a_values, and sources: the entry of A for each entry of the factors, negative
///           where A has none; null if it is the same entry
template <typename View, typename I>
SPRUCE_HOST_DEVICE_INLINE auto value_of_a(const View& f, I nz)
{
    using T = std::decay_t<decltype(f.a_values[nz])>;
    if (!f.sources) {
        return T(f.a_values[nz]);
    }
    const auto source = f.sources[nz];
    return source < 0 ? T{} : T(f.a_values[source]);
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
