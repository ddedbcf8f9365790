// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <spruce/matrix/csr.hpp>

#include "benchmark/statistics/distribution.hpp"

namespace spruce::bench {

/// Describes the diagonal of a matrix. Entries at the same position are added up.
struct diagonal_statistics {
    size_type length{};             ///< the smaller of the numbers of rows and columns
    size_type stored{};             ///< rows with an entry on the diagonal
    size_type positive{};           ///< rows whose diagonal entry is real and positive
    size_type dominant{};           ///< rows with an entry a_ii and |a_ii| >= sum of the other |a_ij|
    size_type strictly_dominant{};  ///< rows with |a_ii| > sum of the other |a_ij|
};

/// Holds shares of the positions off the diagonal that have entries. Each share is 1 if there are
/// no such positions.
struct symmetry_statistics {
    double structural{};  ///< share of (i, j) for which (j, i) has an entry, too
    double numerical{};   ///< share of (i, j) with a_ji = a_ij
    double conjugate{};   ///< share of (i, j) with a_ji = conj(a_ij)
};

/// Holds the number of square blocks of one size that cover all entries. Blocks begin at multiples
/// of their size.
struct block_statistics {
    size_type size{};
    size_type num_blocks{};
};

/// Holds the size of a matrix in one format.
struct format_storage {
    std::string format;
    double bytes{};  ///< floating point, as padded sizes may exceed the integers
};

/// Describes the structure of a matrix and some properties of its values.
struct matrix_statistics {
    size_type num_rows{};
    size_type num_cols{};
    size_type num_nonzeros{};  ///< stored entries
    size_type num_zeros{};     ///< stored entries that are zero
    length_distribution rows;
    length_distribution cols;
    size_type lower_bandwidth{};  ///< largest i - j of the entries, or 0 if all are negative
    size_type upper_bandwidth{};  ///< largest j - i of the entries, or 0 if all are negative
    size_type profile{};          ///< sum over the rows i of i - j for the first entry j < i
    diagonal_statistics diagonal;
    std::optional<symmetry_statistics> symmetry;  ///< empty for rectangular matrices
    std::vector<block_statistics> blocks;
    std::vector<format_storage> storage;
};

/// Computes the statistics of a matrix. Time and memory are proportional to the number of entries,
/// rows and columns.
/// @param a  on a host; column indices within each row do not decrease
template <typename ValueType, typename IndexType>
matrix_statistics compute_statistics(const matrix::Csr<ValueType, IndexType>& a);

/// Counts the blocks of size x size that contain an entry. Blocks at the last row or column may
/// extend beyond the matrix.
template <typename ValueType, typename IndexType>
size_type count_blocks(const matrix::Csr<ValueType, IndexType>& a, size_type size);

/// Computes the bytes of the arrays that a product with each format reads. Padded formats are not
/// built.
///
/// The Csr is that of the classical strategy. Sellp has slices of matrix::default_slice_size rows
/// and of 32 rows, and Hybrid has the strategy automatic. Fbcsr has the sizes of the given blocks
/// that divide the numbers of rows and columns.
/// @param rows_by_length  element l is the number of rows with l entries
template <typename ValueType, typename IndexType>
std::vector<format_storage> compute_storage(const matrix::Csr<ValueType, IndexType>& a,
                                            const std::vector<size_type>& rows_by_length,
                                            const std::vector<block_statistics>& blocks);

}  // namespace spruce::bench
