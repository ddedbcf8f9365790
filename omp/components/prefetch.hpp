// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/types.hpp>

#include "omp/components/vector_unit.hpp"

namespace spruce::kernels::omp {

enum class access { read, write };

/// Asks the cache for the lines of num elements. Inlined always: compilers take calls for ones without effect, and leave them out.
/// Addresses behind the arrays do no harm.
template <access use, typename T>
SPRUCE_FORCE_INLINE inline void prefetch(const T* data, size_type num)
{
    constexpr size_type bytes_of_line = 64;
    for (size_type i = 0; i < num * sizeof(T); i += bytes_of_line) {
        __builtin_prefetch(reinterpret_cast<const char*>(data) + i, use == access::write ? 1 : 0);
    }
}

}  // namespace spruce::kernels::omp
