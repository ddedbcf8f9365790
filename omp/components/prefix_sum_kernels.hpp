// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/executor.hpp>
#include <spruce/base/types.hpp>

namespace spruce::kernels::omp::components {

/// See core/components/array_kernels.hpp. For int32 and int64.
template <typename I>
void prefix_sum(const OmpExecutor& exec, I* counts, size_type size, size_type& total);

}  // namespace spruce::kernels::omp::components
