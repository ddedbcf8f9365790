// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>

#include <spruce/base/types.hpp>

#include "omp/components/vector_unit.hpp"

namespace spruce::kernels::omp {

enum class access { read, write };

/// Prefetches the cache lines of num elements. Addresses behind the arrays do no harm.
///
/// The function must be inlined: compilers regard calls of it as free of effects and remove them.
template <access use, typename T>
SPRUCE_FORCE_INLINE inline void prefetch(const T* data, size_type num)
{
    constexpr size_type bytes_of_line = 64;
    const auto begin = reinterpret_cast<std::uintptr_t>(data);  // not a pointer, which must not leave its array
    for (size_type i = 0; i < num * sizeof(T); i += bytes_of_line) {
        __builtin_prefetch(reinterpret_cast<const void*>(begin + i), use == access::write ? 1 : 0);
    }
}

}  // namespace spruce::kernels::omp
