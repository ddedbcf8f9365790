// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/solver/triangular_kernels.hpp"

#include "core/solver/dependency_levels.hpp"
#include "omp/base/run_unified.hpp"

namespace spruce::kernels::omp {
namespace triangular {

template <typename V, typename I>
void compute_levels(const OmpExecutor&, const matrix::Csr<V, I>& a, bool upper, I* levels)
{
    compute_levels_in_order(a, upper, levels);
}

}  // namespace triangular
}  // namespace spruce::kernels::omp
