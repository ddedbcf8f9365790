// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>
#include <optional>

#include <spruce/base/lin_op.hpp>

namespace spruce {

/// How many entries, or places, of a matrix have some fault, and which one is the first.
struct fault_count {
    size_type num{};
    /// Number of the first such entry, counted from 0; for the diagonal the row. None if num is 0.
    std::optional<size_type> first{};

    explicit operator bool() const noexcept { return num > 0; }
};

/// What validate() found in a matrix.
struct matrix_report {
    fault_count unsorted;    ///< entries that come, by row and column, before the entry before them
    fault_count duplicates;  ///< entries at a place where an earlier entry is
    fault_count outside;     ///< entries with an index below 0 or not below the size
    fault_count not_finite;  ///< entries whose value is infinite or not a number
    fault_count
        missing_diagonal;  ///< rows i without an entry (i, i), of the min(rows, columns) that have one in a full matrix
    fault_count zero_diagonal;  ///< rows i whose entry (i, i) is stored and zero; of several the first counts

    bool is_sorted() const noexcept { return !unsorted; }
    bool is_finite() const noexcept { return !not_finite; }
    /// Whether every operation takes this matrix. The diagonal does not count.
    bool is_valid() const noexcept { return !unsorted && !duplicates && !outside && !not_finite; }
};

/// Writes what was found in words, faults only, or "no faults".
SPRUCE_EXPORT std::ostream& operator<<(std::ostream& stream, const matrix_report& report);

/// Looks for what makes operations fail, or their results wrong, far from where a matrix comes in: see matrix_report. Changes
/// nothing, and sums nothing up. Runs on the host on one core: time O(n) for sorted entries, O(n log n) for others, and memory
/// for the entries on the diagonal.
template <typename ValueType, typename IndexType>
SPRUCE_EXPORT matrix_report validate(const matrix_data<ValueType, IndexType>& data);

/// The same of a matrix on any executor, whose entries are copied to the host. Entries count in the order of write(), which keeps
/// that of entries in their rows. A Dense needs to be told which index type: validate<double, int32>(dense).
template <typename ValueType, typename IndexType>
matrix_report validate(const WritableToMatrixData<ValueType, IndexType>& matrix)
{
    matrix_data<ValueType, IndexType> data;
    matrix.write(data);
    return validate(data);
}

}  // namespace spruce
