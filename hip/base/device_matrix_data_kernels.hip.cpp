// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/base/device_matrix_data_kernels.hpp"
#include "core/components/array_kernels.hpp"
#include "core/components/sort_kernels.hpp"

#include "hip/base/prelude.hpp"

namespace spruce::kernels::hip {
#include "common/unified/components/gather_entries.inc.hpp"

#include "common/unified/base/device_matrix_data_kernels.inc.hpp"
}  // namespace spruce::kernels::hip
