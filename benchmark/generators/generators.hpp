// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

#include <spruce/base/types.hpp>

namespace spruce::bench {

/// Contains a generated matrix as CSR arrays in host memory. Columns are sorted within rows and
/// unique.
struct generated_matrix {
    int64 rows{};
    int64 cols{};
    std::vector<int64> row_ptrs;
    std::vector<int32> col_idxs;
    std::vector<double> values;
    std::vector<double> imag;  ///< imaginary parts; empty for a real matrix
};

/// Generates the matrix "FAMILY:PARAMETERS", such as "poisson3d-7pt:160" or
/// "rmat:20,16,undirected".
///
/// The function families() lists the families. Equal texts give equal matrices on every machine.
/// This requires -ffp-contract=off for compilers that otherwise fuse multiplications and additions.
/// The parameter seed=... selects another sample of a random family. Time and memory are
/// proportional to the number of entries.
/// @throws InvalidStateError  if the family is unknown, or its parameters are malformed, or the
///                            matrix would have more than 2^31 - 1 rows or columns or more than
///                            2^33 entries
/// @throws AllocationError    if the matrix does not fit into memory
generated_matrix generate(const std::string& spec);

struct family_info {
    const char* name;
    const char* parameters;
    const char* description;
};

/// Returns all families in the order of their documentation.
const std::vector<family_info>& families();

}  // namespace spruce::bench
