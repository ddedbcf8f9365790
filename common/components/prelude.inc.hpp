// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Included by each backend's prelude, outside of any namespace, after SPRUCE_GPU_NAMESPACE, configuration and warp
// primitives are set: gives the kernels in common/ what they build on.

#include <atomic>
#include <cstring>
#include <string>
#include <type_traits>

#include <spruce/base/array.hpp>

#include "common/base/by_column.hpp"
#include "common/base/complex.hpp"
#include "common/base/dense_entries.hpp"
#include "common/base/distributed_sums.hpp"
#include "common/base/merge_path.hpp"
#include "common/base/partition_point.hpp"
#include "common/base/safe_norm.hpp"
#include "common/base/scale.hpp"
#include "common/base/sums.hpp"
#include "core/base/kernel.hpp"
#include "core/base/kernel_groups.hpp"

namespace spruce::kernels::SPRUCE_GPU_NAMESPACE {
#include "common/base/register.inc.hpp"

#include "common/components/cooperative_groups.inc.hpp"

#include "common/components/atomic.inc.hpp"
#include "common/components/launch.inc.hpp"
#include "common/components/reduction.inc.hpp"
#include "common/unified/run_gpu.inc.hpp"
}  // namespace spruce::kernels::SPRUCE_GPU_NAMESPACE
