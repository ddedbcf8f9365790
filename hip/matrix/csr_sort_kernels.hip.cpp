// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/components/array_kernels.hpp"
#include "core/components/sort_kernels.hpp"
#include "core/matrix/csr_kernels.hpp"

#include "hip/base/prelude.hpp"

namespace spruce::kernels::hip {
#include "common/unified/components/gather_entries.inc.hpp"

#include "common/matrix/csr_transpose.inc.hpp"

#include "common/matrix/csr_sort_kernels.inc.hpp"
}  // namespace spruce::kernels::hip
