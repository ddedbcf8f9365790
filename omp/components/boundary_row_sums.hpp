// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include <omp.h>

#include "omp/components/partition.hpp"

namespace spruce::kernels::omp {

/// Holds partial sums of rows that end in the range of another thread.
///
/// The thread in whose range a row ends writes that row. Afterwards add_to() adds the partial sums
/// of the other threads in the order of threads. This avoids races, and the result depends only on
/// the number of threads.
///
/// Construct it outside of the parallel region. The memory is kept by the calling thread: a later
/// object of the same sizes does not allocate.
template <typename V>
class boundary_row_sums {
public:
    explicit boundary_row_sums(size_type num_rhs)
        : num_rhs_{num_rhs}, stride_{(2 * num_rhs / line + 2) * line}, rows_{row_workspace()}, sums_{sum_workspace()}
    {
        const auto num_threads = static_cast<size_type>(omp_get_max_threads());
        rows_.assign(num_threads, none);
        if (sums_.size() < num_threads * stride_) {
            sums_.resize(num_threads * stride_);
        }
    }

    /// Returns this thread's num_rhs sums for the row; to be called in the parallel region.
    V* take(size_type row)
    {
        const auto thread = static_cast<size_type>(omp_get_thread_num());
        rows_[thread] = row;
        return sums_.data() + thread * stride_;
    }

    /// Returns memory for this thread's num_rhs sums of a row that no other thread shares; to be
    /// called in the parallel region.
    V* get_row_buffer() { return sums_.data() + static_cast<size_type>(omp_get_thread_num()) * stride_ + num_rhs_; }

    /// Calls add(row, rhs, sum) for all sums; to be called after the parallel region.
    template <typename Add>
    void add_to(Add add) const
    {
        for (size_type thread = 0; thread < rows_.size(); ++thread) {
            for (size_type rhs = 0; rows_[thread] != none && rhs < num_rhs_; ++rhs) {
                add(rows_[thread], rhs, sums_[thread * stride_ + rhs]);
            }
        }
    }

private:
    static constexpr auto none = ~size_type{};
    static constexpr size_type line = 128 / sizeof(V);  // processors prefetch pairs of cache lines

    static std::vector<size_type>& row_workspace()
    {
        static thread_local std::vector<size_type> rows;
        return rows;
    }
    static std::vector<V>& sum_workspace()
    {
        static thread_local std::vector<V> sums;
        return sums;
    }

    size_type num_rhs_;
    size_type stride_;  ///< of the memory of a thread
    std::vector<size_type>& rows_;
    std::vector<V>& sums_;
};

}  // namespace spruce::kernels::omp
