// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/types.hpp>
#include <spruce/config.hpp>

/// Instantiates `template _macro(type)` for the value types of this build. This is for kernels that
/// are compiled separately from their callers.
#if SPRUCE_TYPES_MINIMAL
#define SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_TYPE(_macro) template _macro(double)
#else
#define SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_TYPE(_macro) SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(_macro)
#endif
