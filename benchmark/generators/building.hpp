// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <utility>
#include <vector>

#include "benchmark/generators/generators.hpp"
#include "benchmark/generators/random.hpp"

namespace spruce::bench {

/// Builds a matrix row by row, with the columns of each row in ascending order.
class csr_builder {
public:
    /// @param entries  expected number of entries; additional entries are stored, too, but cost
    ///                 time
    csr_builder(int64 rows, int64 cols, double entries, bool is_complex = false);

    int64 num_entries() const { return static_cast<int64>(matrix_.col_idxs.size()); }
    void add(int64 col, double value)
    {
        matrix_.col_idxs.push_back(static_cast<int32>(col));
        matrix_.values.push_back(value);
    }
    void add(int64 col, double real, double imag)
    {
        this->add(col, real);
        matrix_.imag.push_back(imag);
    }
    /// Returns a reference to the entry at a position among all added entries.
    double& value_at(int64 nz) { return matrix_.values[nz]; }
    void end_row() { matrix_.row_ptrs.push_back(this->num_entries()); }
    /// Returns the matrix. Rows that were not ended are empty.
    generated_matrix finish();

private:
    generated_matrix matrix_;
};

/// Calls use(col) for count distinct columns out of cols in ascending order.
///
/// The columns are divided into count equal strata, and one column is drawn at random from each. If
/// a column is required, it is used in its stratum instead.
template <typename Use>
void for_each_sampled_column(random_stream& random, int64 count, int64 cols, int64 required, Use&& use)
{
    for (int64 k = 0; k < count; ++k) {
        const auto begin = k * cols / count;
        const auto end = (k + 1) * cols / count;
        const auto is_required_here = begin <= required && required < end;
        use(is_required_here ? required : random.between(begin, end - 1));
    }
}

/// Sets each diagonal entry to the sum of the row's other magnitudes plus a thousandth of it, or to
/// 1 in a row without others. All diagonal entries must be stored. A symmetric matrix becomes
/// positive definite.
void make_diagonal_dominant(generated_matrix& matrix);

struct edge {
    int32 row;
    int32 col;
};

/// Holds the positions of a matrix's entries. Columns are sorted and distinct.
struct pattern {
    int64 rows{};
    int64 cols{};
    std::vector<int64> row_ptrs;
    std::vector<int32> col_idxs;

    int64 row_length(int64 row) const { return row_ptrs[row + 1] - row_ptrs[row]; }
};

/// Specifies the edges that from_edges() adds.
struct completion {
    bool mirror;    ///< adds the reverse of each edge
    bool diagonal;  ///< adds the diagonal
};

/// Sorts the edges by counting and merges duplicates.
pattern from_edges(int64 rows, int64 cols, const std::vector<edge>& edges, completion added);

/// Renames the vertices by a permutation, where order[new] = old.
void renumber(std::vector<edge>& edges, const std::vector<int32>& order);

std::vector<int32> random_order(int64 size, uint64 seed);

/// Returns the reverse Cuthill-McKee order of a symmetric pattern, where order[new] = old. It
/// begins at a pseudo-peripheral vertex of each component (George and Liu 1981).
std::vector<int32> reverse_cuthill_mckee(const pattern& graph);

/// Returns a matrix with the given pattern.
/// @param value_of  returns the value at (row, col)
template <typename ValueOf>
generated_matrix with_values(pattern entries, ValueOf&& value_of)
{
    generated_matrix result;
    result.rows = entries.rows;
    result.cols = entries.cols;
    result.row_ptrs = std::move(entries.row_ptrs);
    result.col_idxs = std::move(entries.col_idxs);
    result.values.reserve(result.col_idxs.size());
    for (int64 row = 0; row < result.rows; ++row) {
        for (auto nz = result.row_ptrs[row]; nz < result.row_ptrs[row + 1]; ++nz) {
            result.values.push_back(value_of(row, static_cast<int64>(result.col_idxs[nz])));
        }
    }
    return result;
}

}  // namespace spruce::bench
