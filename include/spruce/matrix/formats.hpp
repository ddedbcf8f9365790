// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/types.hpp>

namespace spruce {
namespace matrix {

// Declares all matrix types, because they convert to each other. Clang takes the visibility of
// members that are instantiated one by one from the first declaration of the class.

template <typename ValueType>
class SPRUCE_EXPORT Dense;
template <typename ValueType>
class SPRUCE_EXPORT Diagonal;
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT Coo;
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT Csr;
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT Ell;
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT Fbcsr;
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT Hybrid;
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT Sellp;
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT SparsityCsr;
template <typename IndexType>
class SPRUCE_EXPORT Permutation;
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT ScaledPermutation;
template <typename IndexType>
class SPRUCE_EXPORT RowGatherer;

}  // namespace matrix
}  // namespace spruce
