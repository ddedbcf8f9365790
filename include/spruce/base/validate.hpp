// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>
#include <optional>

#include <spruce/base/lin_op.hpp>

namespace spruce {

/// Counts the entries, or the positions, of a matrix that have a fault, and identifies the first
/// one.
struct fault_count {
    size_type num{};
    /// Number of the first such entry, counted from 0; for the diagonal the row. Empty if num is 0.
    std::optional<size_type> first{};

    explicit operator bool() const noexcept { return num > 0; }
};

/// Contains the faults that validate() found in a matrix.
struct matrix_report {
    fault_count unsorted;          ///< entries that are smaller by row, then column, than the entry before them
    fault_count duplicates;        ///< entries at the position of an earlier entry
    fault_count outside;           ///< entries with an index below 0 or not below the size
    fault_count not_finite;        ///< entries whose value is infinite or not a number
    fault_count missing_diagonal;  ///< rows i < min(rows, columns) without an entry (i, i)
    fault_count zero_diagonal;  ///< rows i whose entry (i, i) is stored and zero; of several entries the first counts
    /// Rows of Csr and SparsityCsr, block rows of Fbcsr or slices of Sellp with wrong pointers
    /// (row_ptrs; slice_sets and slice_lengths): they begin elsewhere than the one before ends, or
    /// end after the arrays. first is a row. If there are any, the entries are not read, and
    /// nothing else is counted.
    fault_count pointers;

    bool is_sorted() const noexcept { return !unsorted; }
    bool is_finite() const noexcept { return !not_finite; }
    /// Returns true if every operation takes this matrix. Missing and zero diagonal entries do not
    /// count.
    bool is_valid() const noexcept { return !unsorted && !duplicates && !outside && !not_finite && !pointers; }
};

/// Writes the faults in words, or "no faults".
SPRUCE_EXPORT std::ostream& operator<<(std::ostream& stream, const matrix_report& report);

/// Finds faults of a matrix that make operations fail or their results wrong (see matrix_report).
/// It changes nothing and does not sum up duplicates. It runs on one core of the host. It takes
/// O(n) time for n sorted entries and O(n log n) time otherwise, and memory in proportion to the
/// entries on the diagonal.
template <typename ValueType, typename IndexType>
SPRUCE_EXPORT matrix_report validate(const matrix_data<ValueType, IndexType>& data);

namespace detail {

/// Finds faults of row pointers and slices, without reading entries.
template <typename ValueType, typename IndexType>
SPRUCE_EXPORT fault_count find_pointer_faults(const WritableToMatrixData<ValueType, IndexType>& matrix);

}  // namespace detail

/// Finds faults of a matrix on any executor. The entries are copied to the host. They are numbered
/// in the order of write(), which keeps the order of entries within rows. The index type of a Dense
/// has to be specified: validate<double, int32>(dense).
template <typename ValueType, typename IndexType>
matrix_report validate(const WritableToMatrixData<ValueType, IndexType>& matrix)
{
    if (const auto pointers = detail::find_pointer_faults(matrix)) {
        matrix_report report;
        report.pointers = pointers;
        return report;
    }
    matrix_data<ValueType, IndexType> data;
    matrix.write(data);
    return validate(data);
}

}  // namespace spruce
