// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/components/array_kernels.hpp"
#include "core/matrix/csr_algebra_kernels.hpp"
#include "core/matrix/csr_kernels.hpp"

#include "cuda/base/prelude.hpp"

namespace spruce::kernels::cuda {
#include "common/components/bit_map.inc.hpp"

#include "common/matrix/csr_spgemm_tables.inc.hpp"

#include "common/matrix/csr_spgemm_long_rows.inc.hpp"

#include "common/matrix/csr_spgemm_fill_kernels.inc.hpp"
}  // namespace spruce::kernels::cuda
