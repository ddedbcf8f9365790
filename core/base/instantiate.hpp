// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/types.hpp>
#include <spruce/config.hpp>

// SPRUCE_INSTANTIATE_FOR_EACH_BUILT_... instantiates what _macro(types...) declares for the types
// of this build: kernels, and the classes above the matrix formats, which are solvers,
// preconditioners, factorizations and multigrid. Formats have all types in each build, since they
// convert to each other. So have the parts that solvers share, since Idr for real systems can use a
// complex subspace.
#if SPRUCE_TYPES_MINIMAL
#define SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_TYPE(_macro) SPRUCE_INSTANTIATE(_macro(double))
#define SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(_macro) SPRUCE_INSTANTIATE(_macro(double, std::int32_t))
#else
#define SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_TYPE(_macro) SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(_macro)
#define SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(_macro) \
    SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(_macro)
#endif
