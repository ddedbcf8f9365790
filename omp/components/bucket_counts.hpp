// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>

#include "omp/base/backend.hpp"
#include "omp/components/partition.hpp"

namespace spruce::kernels::omp {

/// Adds the number of elements i = 0, ..., size - 1 with bucket_of(i) = b to counts[b], for each
/// bucket b of num_buckets. Elements with a negative bucket are not counted. Each thread has its
/// own counters.
template <int num_buckets, typename Function>
void run_count_in_buckets(const OmpExecutor&, size_type size, size_type* counts, Function bucket_of)
{
#pragma omp parallel if (size >= min_parallel_work)
    {
        std::array<size_type, num_buckets> thread_counts{};
        const auto part = thread_range(size);
        for (auto i = part.begin; i < part.end; ++i) {
            const auto bucket = bucket_of(i);
            if (bucket >= 0) {
                ++thread_counts[static_cast<size_type>(bucket)];
            }
        }
        for (size_type bucket = 0; bucket < num_buckets; ++bucket) {
            if (thread_counts[bucket] > 0) {
#pragma omp atomic
                counts[bucket] += thread_counts[bucket];
            }
        }
    }
}

}  // namespace spruce::kernels::omp
