// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/types.hpp>

#include "cuda/base/runtime.hpp"

namespace spruce::kernels::cuda {

constexpr int warp_size = 32;
using lane_mask_type = uint32;  ///< one bit for each lane of a warp
constexpr int default_block_size = 256;

}  // namespace spruce::kernels::cuda
