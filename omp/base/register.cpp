// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "omp/base/register.hpp"

#include <cstring>

#include <omp.h>

#include "core/base/backends.hpp"
#include "omp/components/partition.hpp"

namespace spruce::kernels::omp {

void register_kernels() { SPRUCE_OMP_KERNEL_GROUPS(SPRUCE_REGISTER_KERNEL_GROUP) }

int get_max_threads() { return omp_get_max_threads(); }

void copy_bytes(size_type num_bytes, const void* from, void* to)
{
    // All threads copy parts of large arrays (doc/tuning/cpu.md).
    constexpr auto min_parallel_bytes = size_type{1} << 20;
    constexpr size_type cache_line = 64;
#pragma omp parallel if (num_bytes >= min_parallel_bytes)
    {
        const auto lines = thread_range(num_bytes / cache_line + 1);
        const auto begin = lines.begin * cache_line;
        const auto end = std::min(lines.end * cache_line, num_bytes);
        std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, end - begin);
    }
}

}  // namespace spruce::kernels::omp
