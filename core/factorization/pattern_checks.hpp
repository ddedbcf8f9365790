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

/// Checks that a matrix has the pattern of the analysed one, without allocating memory.
/// @param name     of the operator in messages
/// @param size     of the analysed matrix
/// @param nnz      the number of its entries
/// @param pattern  the analysed pattern, which has entry sources[nz] of the matrix as entry nz
/// @param sources  null if the patterns are the same
/// @throws UnsupportedMatrixProperty  with the first row that differs
template <typename V, typename I>
void require_pattern(const std::string& name, const matrix::Csr<V, I>& a, const dim<2>& size, size_type nnz,
                     const matrix::Csr<V, I>& pattern, const I* sources, array<I>& found)
{
    const auto describe = [](const dim<2>& size, size_type nnz) {
        return std::to_string(size[0]) + " x " + std::to_string(size[1]) + " with " + std::to_string(nnz) + " entries";
    };
    const auto expected = name + ": refresh() needs a matrix with the pattern of the first one, ";
    if (a.get_size() != size || a.get_num_stored_elements() != nnz) {
        throw UnsupportedMatrixProperty(__FILE__, __LINE__,
                                        expected + "which is " + describe(size, nnz) + ", but it is " +
                                            describe(a.get_size(), a.get_num_stored_elements()));
    }
    const auto row = find_row(found, size[0], [&](I* first) {
        kernels::factor_pattern::find_changed_row<V, I>(*a.get_executor(), a, pattern, sources, first);
    });
    if (row >= 0) {
        throw UnsupportedMatrixProperty(__FILE__, __LINE__,
                                        expected + "but row " + std::to_string(row) + " has other columns");
    }
}

}  // namespace spruce::factorization::detail
