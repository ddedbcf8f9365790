// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "cuda/base/prelude.hpp"

#include "test/device/launch.inc.hpp"
