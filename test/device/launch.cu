// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "cuda/base/backend.hpp"

#include "test/device/launch.hpp"
