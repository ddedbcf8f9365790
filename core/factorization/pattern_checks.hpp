// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

#include <spruce/base/array.hpp>
#include <spruce/base/exception.hpp>
#include <spruce/matrix/csr.hpp>

#include "core/factorization/factor_pattern_kernels.hpp"

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

/// Checks that the column indices of each row increase.
/// @param name          of the operator in messages
/// @param skip_sorting  whether the caller has promised that
/// @throws UnsupportedMatrixProperty  with the first row that stores an entry twice or is not
///     sorted
template <typename V, typename I>
void require_increasing_columns(const std::string& name, const matrix::Csr<V, I>& a, bool skip_sorting, array<I>& found)
{
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

}  // namespace spruce::factorization::detail
