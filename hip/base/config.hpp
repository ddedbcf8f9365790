// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/types.hpp>

#include "hip/base/runtime.hpp"

namespace spruce::kernels::hip {

/// The width that this copy of the library is built for: 64 on AMD's data-centre cards, 32 on RDNA and on NVIDIA.
constexpr int warp_size = SPRUCE_HIP_WARP_SIZE;
/// One bit for each lane of a warp; as long as what the platform's votes give.
#ifdef SPRUCE_HIP_ON_NVIDIA
using lane_mask_type = uint32;
#else
using lane_mask_type = uint64;
#endif
constexpr int default_block_size = 256;

}  // namespace spruce::kernels::hip
