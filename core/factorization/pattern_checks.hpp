// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <string>

#include <spruce/base/array.hpp>
#include <spruce/base/exception.hpp>
#include <spruce/matrix/csr.hpp>

#include "core/factorization/factor_pattern_kernels.hpp"
#include "core/matrix/csr_kernels.hpp"

namespace spruce::factorization::detail {

/// Returns the row that find() writes to found, an array of one element, or -1 if it writes none.
template <typename I, typename Find>
I find_row(array<I>& found, size_type num_rows, Find find)
{
    found.fill(static_cast<I>(num_rows));
    find(found.get_data());
    const auto row = found.get_executor()->copy_val_to_host(found.get_const_data());
    return row == static_cast<I>(num_rows) ? I{-1} : row;
}

/// Returns true if the column indices of each row increase.
template <typename V, typename I>
bool has_increasing_columns(const matrix::Csr<V, I>& a)
{
    bool result{};
    kernels::csr::is_sorted_by_column_index<V, I>(*a.get_executor(), a, true, result);
    return result;
}

/// Checks that has_increasing_columns() is true.
/// @param name          of the operator in messages
/// @param skip_sorting  whether the caller has promised that
/// @throws UnsupportedMatrixProperty  with the first row that stores an entry twice or is not
///     sorted
template <typename V, typename I>
void require_increasing_columns(const std::string& name, const matrix::Csr<V, I>& a, bool skip_sorting, array<I>& found)
{
    if (has_increasing_columns(a)) {
        return;
    }
    const auto row = find_row(found, a.get_size()[0], [&](I* first) {
        kernels::factor_pattern::find_unsorted_row<V, I>(*a.get_executor(), a, first);
    });
    if (row >= 0) {
        throw UnsupportedMatrixProperty(__FILE__, __LINE__,
                                        name + ": row " + std::to_string(row) + " stores an entry twice" +
                                            (skip_sorting ? " or is not sorted, although skip_sorting is set" : "") +
                                            "; each column may occur once in a row");
    }
}

/// Reports that a matrix does not have the pattern of the one from which an operator was generated.
[[noreturn]] inline void throw_other_pattern(const std::string& name, const std::string& difference)
{
    throw UnsupportedMatrixProperty(
        __FILE__, __LINE__, name + ": refresh() needs a matrix with the pattern of the first one, but " + difference);
}

/// Checks the size of the matrix of a refresh.
/// @param name  of the operator in messages
/// @throws UnsupportedMatrixProperty  if it is not that of the first matrix
inline void require_same_size(const std::string& name, const dim<2>& size, const dim<2>& expected)
{
    if (size != expected) {
        throw_other_pattern(name, "it is " + std::to_string(size[0]) + " x " + std::to_string(size[1]) +
                                      " instead of " + std::to_string(expected[0]) + " x " +
                                      std::to_string(expected[1]));
    }
}

/// Checks that a matrix has the pattern of the analysed one, without allocating memory.
/// @param name        of the operator in messages
/// @param pattern, sources, part  the analysed pattern, as for find_changed_row()
/// @throws UnsupportedMatrixProperty  with the first row that differs
template <typename V, typename I>
void require_pattern(const std::string& name, const matrix::Csr<V, I>& a, const matrix::Csr<V, I>& pattern,
                     const I* sources, matrix_part part, array<I>& found)
{
    require_same_size(name, a.get_size(), pattern.get_size());
    const auto row = find_row(found, a.get_size()[0], [&](I* first) {
        kernels::factor_pattern::find_changed_row<V, I>(*a.get_executor(), a, pattern, sources, part, first);
    });
    if (row >= 0) {
        throw_other_pattern(name, "row " + std::to_string(row) + " has other columns, or in another order");
    }
}

/// Holds the pattern of a square matrix, with which those of other matrices are compared.
template <typename V, typename I>
class StoredPattern {
public:
    using Csr = matrix::Csr<V, I>;

    explicit StoredPattern(const Csr& a)
        : row_ptrs_{array<I>::const_view(a.get_executor(), a.get_size()[0] + 1, a.get_const_row_ptrs())
                        .copy_to_array()},
          col_idxs_{array<I>::const_view(a.get_executor(), a.get_num_stored_elements(), a.get_const_col_idxs())
                        .copy_to_array()},
          found_row_{a.get_executor(), 1}
    {}

    /// Checks that a matrix has this pattern, and allocates nothing if it has.
    /// @param name  of the operator in messages
    /// @throws UnsupportedMatrixProperty  with the first row that differs
    void require_same(const std::string& name, const Csr& a)
    {
        const auto exec = a.get_executor();
        const auto size = row_ptrs_.get_size() - 1;
        const auto num_entries = col_idxs_.get_size();
        // A matrix needs values, but they are not read, so those of the given matrix are taken. The
        // strategy sparselib does not analyse the rows.
        const auto has_enough = a.get_num_stored_elements() >= num_entries;
        const array<V> other_values{exec, has_enough ? 0 : num_entries};
        const auto values = has_enough ? a.get_const_values() : other_values.get_const_data();
        const auto pattern = Csr::create_const(
            exec, dim<2>{size, size}, array<V>::const_view(exec, num_entries, values), col_idxs_.as_const_view(),
            row_ptrs_.as_const_view(), std::make_shared<typename Csr::sparselib>());
        require_pattern<V, I>(name, a, *pattern, nullptr, matrix_part::whole, found_row_);
    }

private:
    array<I> row_ptrs_;
    array<I> col_idxs_;
    array<I> found_row_;  ///< one element
};

}  // namespace spruce::factorization::detail
