// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/base/device_matrix_data_kernels.hpp"
#include "core/components/array_kernels.hpp"

#include "omp/base/register.hpp"
#include "omp/base/run_unified.hpp"
#include "omp/components/radix_sort.hpp"

namespace spruce::kernels::omp {
#include "common/unified/base/device_matrix_data_kernels.inc.hpp"
}  // namespace spruce::kernels::omp
