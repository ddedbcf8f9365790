// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

/// The components of this backend; each call fills their slots in the kernel table.
namespace spruce::kernels::hip {
#include "common/base/register.inc.hpp"
}
