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

#include "common/base/cusparse_types.inc.hpp"
#include "common/base/sparselib.inc.hpp"

}  // namespace spruce::kernels::cuda::sparselib
