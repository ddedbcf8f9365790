// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/types.hpp>

#include "hip/base/runtime.hpp"

namespace spruce::kernels::hip {

/// The warp size for which this library is built: 64 on AMD's data-centre GPUs, 32 on RDNA and
/// NVIDIA.
constexpr int warp_size = SPRUCE_HIP_WARP_SIZE;
/// One bit for each lane of a warp. Its size is that of the results of the platform's votes.
#ifdef SPRUCE_HIP_ON_NVIDIA
using lane_mask_type = uint32;
#else
using lane_mask_type = uint64;
#endif
constexpr int default_block_size = 256;

}  // namespace spruce::kernels::hip
