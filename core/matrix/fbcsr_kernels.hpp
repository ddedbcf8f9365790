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

/// x = a b.  a: m x n, b: n x k, x: m x k. x is overwritten and does not overlap b.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Fbcsr<V, I>& a, const Dense<V>& b, Dense<V>& x)> spmv{"fbcsr::spmv"};

/// x = alpha a b + beta x with 1 x 1 alpha and beta; where one is zero its operand does not count, NaN or not.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const Fbcsr<V, I>& a, const Dense<V>& b, const Dense<V>& beta,
                                 Dense<V>& x)>
    advanced_spmv{"fbcsr::advanced_spmv"};

/// How gather_blocks() copies a block.
enum class block_copy { plain, transposed, conj_transposed };

/// Block k of new_values is block positions[k] of values, num_blocks of them.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const V* values, const I* positions, size_type num_blocks, int block_size,
                                 block_copy how, V* new_values)>
    gather_blocks{"fbcsr::gather_blocks"};

/// The entries of b are those of the blocks of a, row by row; b has the right size and number of entries already.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Fbcsr<V, I>& a, Csr<V, I>& b)> convert_to_csr{"fbcsr::convert_to_csr"};

/// d_i = a_ii where a has a block there; the rest of d is left as it is
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Fbcsr<V, I>& a, Diagonal<V>& d)> extract_diagonal{"fbcsr::extract_diagonal"};

/// Finds the blocks that each block row needs to hold the entries of a, counts[i] of them in block row i; what is found for
/// fill_blocks() goes to workspace, which is resized. is_sorted = whether columns ascend strictly
/// in each row of a; if they do not, counts and workspace have no meaning.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, int block_size, I* counts, array<char>& workspace,
                                 bool& is_sorted)>
    find_blocks{"fbcsr::find_blocks"};

/// Writes the block columns of b, in order, and all values of its blocks: the entries of a and zeros. Columns of a ascend strictly
/// in each row, b has its row_ptrs, workspace is from find_blocks().
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, array<char>& workspace, Fbcsr<V, I>& b)> fill_blocks{
    "fbcsr::fill_blocks"};

}  // namespace spruce::kernels::fbcsr
