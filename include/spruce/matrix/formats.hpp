// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace spruce {
namespace matrix {

// Declares all matrix types, because they convert to each other.

template <typename ValueType>
class Dense;
template <typename ValueType>
class Diagonal;
template <typename ValueType, typename IndexType>
class Coo;
template <typename ValueType, typename IndexType>
class Csr;
template <typename ValueType, typename IndexType>
class Ell;
template <typename ValueType, typename IndexType>
class Fbcsr;
template <typename ValueType, typename IndexType>
class Hybrid;
template <typename ValueType, typename IndexType>
class Sellp;
template <typename ValueType, typename IndexType>
class SparsityCsr;
template <typename IndexType>
class Permutation;
template <typename ValueType, typename IndexType>
class ScaledPermutation;
template <typename IndexType>
class RowGatherer;

}  // namespace matrix
}  // namespace spruce
