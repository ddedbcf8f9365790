// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/components/sort_kernels.hpp"
#include "core/matrix/coo_kernels.hpp"

#include "hip/base/prelude.hpp"

#include "hip/base/register.hpp"

namespace spruce::kernels::hip {
#include "common/unified/components/gather_entries.inc.hpp"

#include "common/unified/matrix/coo_transpose_kernels.inc.hpp"
}  // namespace spruce::kernels::hip
