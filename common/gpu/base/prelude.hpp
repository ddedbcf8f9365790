// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Includes what the kernels in common/gpu and common/unified build on. The file base/backend.hpp of
// a backend provides:
// - the runtime: SPRUCE_GPU(name), DeviceExecutor, device_error, device_properties and the entities
//   for which the runtimes have different names
// - the configuration: warp_size, lane_mask_type, default_block_size
// - the primitives of a warp: namespace warp with lane_id, sync, ballot, shuffle_word, shfl_word,
//   popcnt, ffs, clz and load_streaming
// - loads and stores with which blocks wait for each other: namespace relaxed with load, store and
//   wait
// - launches: launch_kernel, launch_dependent_kernel and grid_dependency_sync
// The vendor's libraries are bound in base/binding.hpp (namespace sparselib) and
// base/blas_binding.hpp (namespace vendor_blas).

#include "common/backend.hpp"
#include "common/gpu/base/registration.hpp"
#include "common/gpu/base/run_unified.hpp"
#include "common/gpu/base/runtime.hpp"
#include "common/gpu/components/atomic.hpp"
#include "common/gpu/components/cooperative_groups.hpp"
#include "common/gpu/components/launch.hpp"
#include "common/gpu/components/reduction.hpp"
#include "common/numeric/complex.hpp"
#include "common/numeric/dense_entries.hpp"
#include "common/numeric/merge_path.hpp"
#include "common/numeric/partition_point.hpp"
#include "common/numeric/safe_norm.hpp"
#include "common/numeric/scale.hpp"
#include "core/base/kernel.hpp"
