// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cusparse.h>

#include "cuda/base/runtime.hpp"

#define SPRUCE_SPARSE(_name) cusparse##_name
#define SPRUCE_SPARSE_CONSTANT(_name) CUSPARSE_##_name

namespace spruce::kernels::cuda::sparselib {

using sparselib_error = CusparseError;

}  // namespace spruce::kernels::cuda::sparselib

#include "common/gpu/base/cusparse_types.hpp"
#include "common/gpu/base/sparselib.hpp"
