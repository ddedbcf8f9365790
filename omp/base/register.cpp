// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "omp/base/register.hpp"

#include <omp.h>

#include "core/base/backends.hpp"

namespace spruce::kernels::omp {

void register_kernels() { SPRUCE_OMP_KERNEL_GROUPS(SPRUCE_REGISTER_KERNEL_GROUP) }

int get_max_threads() { return omp_get_max_threads(); }

}  // namespace spruce::kernels::omp
