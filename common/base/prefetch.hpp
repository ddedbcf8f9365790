// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/base/complex.hpp"

namespace spruce::kernels {

enum class access { read, write };

/// Asks a host's cache for the lines of num elements. Inline: compilers take calls for ones without effect, and leave them out. Addresses
/// behind the arrays do no harm.
template <access use, typename T>
SPRUCE_FN void prefetch(const T* data, size_type num)
{
    constexpr size_type bytes_of_line = 64;
    for (size_type i = 0; i < num * static_cast<size_type>(sizeof(T)); i += bytes_of_line) {
        __builtin_prefetch(reinterpret_cast<const char*>(data) + i, use == access::write ? 1 : 0);
    }
}

}  // namespace spruce::kernels
