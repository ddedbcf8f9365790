// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "hip/base/prelude.hpp"

#include "test/device/launch.inc.hpp"
