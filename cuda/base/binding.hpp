// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cusparse.h>

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

#include "cuda/base/runtime.hpp"

#define SPRUCE_SPARSE(_name) cusparse##_name
#define SPRUCE_SPARSE_CONSTANT(_name) CUSPARSE_##_name

namespace spruce::kernels::cuda::sparselib {

using sparselib_error = CusparseError;
constexpr auto spmv_default = CUSPARSE_SPMV_ALG_DEFAULT;

#include "common/base/nvidia_data_type.inc.hpp"
#include "common/base/sparselib.inc.hpp"

}  // namespace spruce::kernels::cuda::sparselib
