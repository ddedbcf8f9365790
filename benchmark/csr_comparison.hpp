// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <spruce/matrix/csr.hpp>

#include "benchmark/benchmark_case.hpp"

namespace spruce::bench {

/// Returns a copy of a matrix on the reference executor.
inline std::shared_ptr<const matrix::Csr<double, int32>> on_reference(const matrix::Csr<double, int32>& a)
{
    return clone(ReferenceExecutor::create(), &a);
}

/// Returns the largest difference between entries of two matrices, relative to the entry of a third
/// one. It is infinite if the matrices have different entries.
/// @param computed   its rows are sorted
/// @param expected   with sorted rows, on a host
/// @param magnitude  has the entries of expected: the sums of the magnitudes of the terms
/// @param num_terms  at most, in the sum that is an entry
inline accuracy compare(const matrix::Csr<double, int32>& computed, const matrix::Csr<double, int32>& expected,
                        const matrix::Csr<double, int32>& magnitude, size_type num_terms)
{
    const auto host = clone(ReferenceExecutor::create(), &computed);
    const auto num_rows = expected.get_size()[0];
    const auto nnz = expected.get_num_stored_elements();
    const auto bound = 2 * static_cast<double>(num_terms) * std::numeric_limits<double>::epsilon();
    if (host->get_size() != expected.get_size() || host->get_num_stored_elements() != nnz ||
        !std::equal(host->get_const_row_ptrs(), host->get_const_row_ptrs() + num_rows + 1,
                    expected.get_const_row_ptrs()) ||
        !std::equal(host->get_const_col_idxs(), host->get_const_col_idxs() + nnz, expected.get_const_col_idxs())) {
        return {std::numeric_limits<double>::infinity(), bound};
    }
    double worst{};
    for (size_type nz = 0; nz < nnz; ++nz) {
        const auto difference = std::abs(host->get_const_values()[nz] - expected.get_const_values()[nz]);
        const auto error = difference == 0 ? 0 : difference / std::abs(magnitude.get_const_values()[nz]);
        worst = error <= worst ? worst : error;  // NaN is kept, in contrast to std::max
    }
    return {worst, bound};
}

/// Returns the largest difference between entries of two matrices, which should be equal.
inline accuracy compare(const matrix::Csr<double, int32>& computed, const matrix::Csr<double, int32>& expected)
{
    return compare(computed, expected, expected, 1);
}

}  // namespace spruce::bench
