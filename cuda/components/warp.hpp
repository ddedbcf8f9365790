// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "cuda/base/config.hpp"

/// What the lanes of a warp do together, for the lanes in members only. common/components/cooperative_groups.inc.hpp
/// builds its groups on these.
namespace spruce::kernels::cuda::warp {
#include "common/components/warp_nvidia.inc.hpp"
}
