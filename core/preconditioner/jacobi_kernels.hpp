// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

#include "core/base/kernel.hpp"
#include "core/preconditioner/block_diagonal.hpp"

/// Declares kernels of block-diagonal matrices. a is n x n, and its columns within rows are sorted
/// unless the kernel says otherwise.
namespace spruce::kernels::jacobi {

using matrix::Csr;
using matrix::Dense;
using spruce::preconditioner::detail::block_diagonal;
using spruce::preconditioner::detail::inversion_flags;

/// Finds blocks in the pattern of a. Consecutive rows with equal columns form a supervariable,
/// which is divided from its first row on into parts of max_block_size rows and a rest. Then parts
/// are added to the current block as long as it has at most max_block_size rows. block_ptrs
/// receives the first row of each block, and n.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, size_type max_block_size, array<I>& block_ptrs)> find_blocks{
    "jacobi::find_blocks"};

/// Computes rows and slice_ptrs from block_ptrs, and allocates values without setting them.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(block_diagonal<V, I>& blocks)> divide_into_slices{"jacobi::divide_into_slices"};

/// Copies the entries of a in the blocks. Entries at the same position are added in their order.
/// Positions without entries, and values outside of blocks, are zero.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, block_diagonal<V, I>& blocks)> extract{"jacobi::extract"};

/// Computes off_block[k] = |a_k| for each entry a_k of a outside the blocks, and zero for others.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, const block_diagonal<V, I>& blocks, V* off_block)>
    absolute_off_block{"jacobi::absolute_off_block"};

/// Adds d_i to the diagonal entry of row i. d: n x 1.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& d, block_diagonal<V, I>& blocks)> add_to_diagonal{
    "jacobi::add_to_diagonal"};

/// Inverts the blocks in place. If blocks.is_scalar is true, zeros are taken for 1. If a block is
/// singular, or contains infinity or NaN, its inverse contains infinity or NaN. If may_halve is
/// true and all inverses are finite, blocks that are Hermitian and have more than two rows are
/// stored halved, and is_halved of all rows is set.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(block_diagonal<V, I>& blocks, bool may_halve, inversion_flags& flags)> invert{
    "jacobi::invert"};

/// Computes norms[offset + i], the sum of the absolute values of the column of a block that has the
/// position of row i, and its largest absolute value at norms[offset + n + i] if with_largest is
/// true. blocks is stored in full.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(block_diagonal<V, I>& blocks, size_type offset, bool with_largest)> compute_norms{
    "jacobi::compute_norms"};

/// Chooses formats from blocks.requested and blocks.norms, and computes blocks.conditioning, the
/// product of the 1-norms of a block and its inverse. A requested format is replaced by a wider one
/// if the largest entry does not fit. autodetect() stands for the shortest format whose rounding
/// error, times the condition number, is at most accuracy. The format of a slice is common to its
/// blocks. The format of a block is common to its slices.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(block_diagonal<V, I>& blocks, remove_complex<V> accuracy)> choose_formats{
    "jacobi::choose_formats"};

/// Converts the slices from full precision to blocks.formats in place.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(block_diagonal<V, I>& blocks)> reduce_storage{"jacobi::reduce_storage"};

/// Converts the slices from blocks.formats to full precision in place.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(block_diagonal<V, I>& blocks)> restore_storage{"jacobi::restore_storage"};

/// Sets is_halved of the rows of blocks that are Hermitian and have more than two rows, and resets
/// it for other rows. blocks is stored in full. Allocates hermitian_rows.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(block_diagonal<V, I>& blocks)> find_hermitian{"jacobi::find_hermitian"};

/// Converts rows with is_halved from full storage to halved storage in place.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(block_diagonal<V, I>& blocks)> halve{"jacobi::halve"};

/// Converts rows with is_halved to full storage. result is a copy of blocks.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const block_diagonal<V, I>& blocks, block_diagonal<V, I>& result)> expand{
    "jacobi::expand"};

/// Computes x = blocks b. b, x: n x k.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const block_diagonal<V, I>& blocks, const Dense<V>& b, Dense<V>& x)> apply{
    "jacobi::apply"};

/// Computes x = alpha blocks b + beta x with 1 x 1 alpha and beta. If one of them is zero, its
/// operand is ignored, even if it contains NaN.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const block_diagonal<V, I>& blocks, const Dense<V>& b,
                                 const Dense<V>& beta, Dense<V>& x)>
    advanced_apply{"jacobi::advanced_apply"};

/// Transposes each block, and conjugates it if conjugate is true. result is a copy of blocks, which
/// is stored in full.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const block_diagonal<V, I>& blocks, bool conjugate, block_diagonal<V, I>& result)>
    transpose{"jacobi::transpose"};

/// Copies the blocks to the diagonal of an n x n matrix, whose other entries become zero. blocks is
/// stored in full.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const block_diagonal<V, I>& blocks, Dense<V>& result)> fill_dense{
    "jacobi::fill_dense"};

/// Computes hashes[i] = h_i, which depends on the column of each entry of row i and on its position
/// in the row. The columns need not be sorted.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, int64* hashes)> hash_rows{"jacobi::hash_rows"};

/// Computes result = true if the rows of a have the hashes blocks.row_hashes.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, const block_diagonal<V, I>& blocks, bool& result)> has_row_hashes{
    "jacobi::has_row_hashes"};

}  // namespace spruce::kernels::jacobi
