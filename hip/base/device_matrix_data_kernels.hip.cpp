// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/base/device_matrix_data_kernels.hpp"
#include "common/base/records.hpp"
#include "core/components/array_kernels.hpp"

#include "hip/base/prelude.hpp"

namespace spruce::kernels::hip {
#include "common/components/prefix_sum.inc.hpp"
#include "common/components/radix_sort.inc.hpp"

#include "common/unified/base/device_matrix_data_kernels.inc.hpp"
}  // namespace spruce::kernels::hip
