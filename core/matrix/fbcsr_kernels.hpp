// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/diagonal.hpp>
#include <spruce/matrix/fbcsr.hpp>

#include "core/base/kernel.hpp"

namespace spruce::kernels::fbcsr {

using matrix::Csr;
using matrix::Dense;
using matrix::Diagonal;
using matrix::Fbcsr;

/// Computes x = a b. Shapes: a: m x n, b: n x k, x: m x k. x is overwritten and does not overlap b.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Fbcsr<V, I>& a, const Dense<V>& b, Dense<V>& x)> spmv{"fbcsr::spmv"};

/// Computes x = alpha a b + beta x with 1 x 1 alpha and beta. If alpha or beta is zero, its operand
/// is ignored, even if it contains NaN.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const Fbcsr<V, I>& a, const Dense<V>& b, const Dense<V>& beta,
                                 Dense<V>& x)>
    advanced_spmv{"fbcsr::advanced_spmv"};

/// Selects the form in which gather_blocks() copies a block.
enum class block_copy { plain, transposed, conj_transposed };

/// Copies num_blocks blocks: block k of new_values is block positions[k] of values.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const V* values, const I* positions, size_type num_blocks, int block_size,
                                 block_copy copy_mode, V* new_values)>
    gather_blocks{"fbcsr::gather_blocks"};

/// Converts a to b row by row. The entries of b are those of the blocks of a. b has the right size
/// and number of entries already.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Fbcsr<V, I>& a, Csr<V, I>& b)> convert_to_csr{"fbcsr::convert_to_csr"};

/// Computes d_i = a_ii where a has a block. Other elements of d do not change.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Fbcsr<V, I>& a, Diagonal<V>& d)> extract_diagonal{"fbcsr::extract_diagonal"};

/// Finds the blocks that contain the entries of a; counts[i] is their number in block row i.
/// workspace is resized and receives data for fill_blocks(). is_sorted is true if column indices
/// strictly increase within each row of a. If it is false, counts and workspace are undefined.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, int block_size, I* counts, array<char>& workspace,
                                 bool& is_sorted)>
    find_blocks{"fbcsr::find_blocks"};

/// Writes the sorted block columns of b and all values of its blocks: the entries of a and zeros.
/// Column indices strictly increase within each row of a. b has its row pointers already. workspace
/// comes from find_blocks().
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, array<char>& workspace, Fbcsr<V, I>& b)> fill_blocks{
    "fbcsr::fill_blocks"};

}  // namespace spruce::kernels::fbcsr
