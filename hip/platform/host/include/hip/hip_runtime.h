// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: 2026 The Spruce authors
#pragma once

// Contains <hip/hip_runtime.h> of the `host` platform. HIP kernels are ordinary C++17 for g++ and
// clang++, and run on the CPU.

#include <hip/hip_runtime_api.h>
#include <hip/host/device_functions.hpp>
#include <hip/host/simt.hpp>
