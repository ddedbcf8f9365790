// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>

#include <spruce/base/array.hpp>
#include <spruce/preconditioner/jacobi.hpp>

namespace spruce::preconditioner::detail {

/// Holds what the inversion of blocks reports.
struct inversion_flags {
    bool all_finite;          ///< true if all inverses are finite
    bool has_replaced_zeros;  ///< true if a diagonal entry was taken for 1 since it is zero
};

/// Number of rows of the largest block.
constexpr int largest_block_size = 32;

/// Describes the place of a row in its block. A Hermitian block of n rows can be stored halved: row
/// i stores the entries (i, (i + d) mod n) for d = 0, ..., n / 2, and entry (i, (i - d) mod n) is
/// the conjugate of an entry that row (i - d) mod n stores.
struct alignas(2) block_row {
    uint8 position;        ///< number of rows of the block before this one
    uint8 block_size : 7;  ///< number of rows of the block
    uint8 is_halved : 1;   ///< 1 if the block is Hermitian and has more than two rows, else 0
};

/// Holds a block-diagonal matrix, stored as block_storage_scheme describes. If is_scalar is true,
/// all blocks are 1 x 1, and there are only values and row_hashes. If there are formats, each slice
/// is stored in its format: its columns follow each other from the offset of the slice on, and the
/// rest of its memory is not used.
template <typename ValueType, typename IndexType>
struct block_diagonal {
    using real = remove_complex<ValueType>;

    explicit block_diagonal(std::shared_ptr<const Executor> exec)
        : block_ptrs{exec},
          rows{exec},
          slice_ptrs{exec},
          values{exec},
          row_hashes{exec},
          requested{exec},
          formats{exec},
          block_formats{exec},
          row_formats{exec},
          conditioning{exec},
          norms{exec},
          hermitian_rows{exec},
          workspace{exec}
    {}
    /// Copies another one to exec.
    block_diagonal(std::shared_ptr<const Executor> exec, const block_diagonal& other)
        : num_rows{other.num_rows},
          max_block_size{other.max_block_size},
          is_scalar{other.is_scalar},
          columns_are_sorted{other.columns_are_sorted},
          block_ptrs{exec, other.block_ptrs},
          rows{exec, other.rows},
          slice_ptrs{exec, other.slice_ptrs},
          values{exec, other.values},
          row_hashes{exec, other.row_hashes},
          requested{exec, other.requested},
          formats{exec, other.formats},
          block_formats{exec, other.block_formats},
          row_formats{exec, other.row_formats},
          conditioning{exec, other.conditioning},
          norms{exec, other.norms},
          hermitian_rows{exec, other.hermitian_rows},
          workspace{exec, std::min(other.workspace.get_size(), sizeof(int32))}  // refresh() does not allocate it
    {}

    size_type get_num_blocks() const
    {
        const auto num_ptrs = block_ptrs.get_size();
        return is_scalar ? num_rows : num_ptrs == 0 ? 0 : num_ptrs - 1;
    }
    size_type get_num_slices() const
    {
        return (num_rows + block_storage_scheme::slice_size - 1) / block_storage_scheme::slice_size;
    }
    block_storage_scheme get_scheme() const { return {is_scalar ? nullptr : slice_ptrs.get_const_data()}; }

    size_type num_rows{};
    size_type max_block_size{};  ///< no block has more rows
    bool is_scalar{};
    bool columns_are_sorted{};    ///< whether the rows of the matrix are sorted by column
    array<IndexType> block_ptrs;  ///< first row of each block, and the number of rows
    array<block_row> rows;        ///< place of each row
    array<int64> slice_ptrs;      ///< offset of each slice, and the number of values
    array<ValueType> values;      ///< the inverted blocks
    array<int64> row_hashes;      ///< a hash of the pattern of each row of the matrix; empty if it is not known
    array<precision_reduction> requested;      ///< format of each block, or of all blocks; empty for full precision
    array<precision_reduction> formats;        ///< format of each slice; empty for full precision
    array<precision_reduction> block_formats;  ///< format in which each block is stored
    array<precision_reduction> row_formats;    ///< for the first row of a block: format that suits the block
    array<real> conditioning;                  ///< condition number of each block in the 1-norm
    array<real> norms;  ///< 1-norms of the columns before the inversion, those after it, their largest absolute values
    array<uint8> hermitian_rows;    ///< whether a row is the conjugate of the column of its block
    mutable array<char> workspace;  ///< memory that kernels reuse
};

}  // namespace spruce::preconditioner::detail
