// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

/// Defines macros for the version of the interface and for its features. All of them are always
/// defined.

#include <spruce/config.hpp>
#include <spruce/hip_platform.hpp>

// This is the version of the interface, for code that tests for older versions. gko::version_info
// contains the version of the library.
#define GKO_VERSION_MAJOR 1
#define GKO_VERSION_MINOR 11
#define GKO_VERSION_PATCH 0
#define GKO_VERSION_TAG "spruce"
#define GKO_VERSION_STR "1.11.0"

#define GINKGO_BUILD_MPI SPRUCE_BUILD_MPI
#define GINKGO_HAVE_GPU_AWARE_MPI SPRUCE_HAVE_GPU_AWARE_MPI
#define GINKGO_ENABLE_HALF SPRUCE_ENABLE_HALF
#define GINKGO_ENABLE_BFLOAT16 SPRUCE_ENABLE_BFLOAT16
#define GINKGO_MIXED_PRECISION SPRUCE_MIXED_PRECISION
#define GINKGO_DPCPP_SINGLE_MODE 0
#define GINKGO_HIP_PLATFORM_HCC SPRUCE_HIP_PLATFORM_HCC
#define GINKGO_HIP_PLATFORM_NVCC SPRUCE_HIP_PLATFORM_NVCC
#define GKO_HAVE_METIS 0
#define GKO_HAVE_PAPI_SDE 0
#define GKO_HAVE_HWLOC 0
#define GKO_HAVE_TAU 0
#define GKO_HAVE_ROCTX 0
#define GKO_HAVE_VTUNE 0
