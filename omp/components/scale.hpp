// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>

#include "omp/components/multiply_add.hpp"
#include "omp/components/partition.hpp"

namespace spruce::kernels::omp {

/// Computes x = beta x. If beta is zero, x is overwritten without being read.
template <typename V>
void scale(V beta, matrix::Dense<V>& x)
{
    const auto num_cols = x.get_size()[1];
    const auto stride = x.get_stride();
    const auto values = x.get_values();
#pragma omp parallel if (x.get_size()[0] * num_cols >= min_parallel_work)
    {
        const auto rows = thread_range(x.get_size()[0]);
        for (auto row = rows.begin; row < rows.end; ++row) {
            for (size_type col = 0; col < num_cols; ++col) {
                auto& value = values[row * stride + col];
                value = is_zero(beta) ? zero<V>() : multiply(beta, value);
            }
        }
    }
}

}  // namespace spruce::kernels::omp
