// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <utility>
#include <vector>

#include "benchmark/generators/generators.hpp"
#include "benchmark/generators/random.hpp"

namespace spruce::bench {

/// Takes a matrix row by row, each row's columns in rising order.
class csr_builder {
public:
    /// @param entries  expected number of entries; more cost time, none is lost
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
    /// An entry added before, by its position among all entries.
    double& value_at(int64 nz) { return matrix_.values[nz]; }
    void end_row() { matrix_.row_ptrs.push_back(this->num_entries()); }
    /// The rows not ended are empty.
    generated_matrix finish();

private:
    generated_matrix matrix_;
};

/// Calls use(col) for count distinct columns out of cols in rising order: one at random from each of count equal
/// strata, but required (if one is given) in its own.
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

/// Sets each diagonal entry (which has to be stored) to the sum of its row's other magnitudes plus a thousandth of it,
/// or to 1 in a row without others: a symmetric matrix becomes positive definite.
void make_diagonal_dominant(generated_matrix& matrix);

struct edge {
    int32 row;
    int32 col;
};

/// The places of a matrix's entries, columns sorted and distinct.
struct pattern {
    int64 rows{};
    int64 cols{};
    std::vector<int64> row_ptrs;
    std::vector<int32> col_idxs;

    int64 row_length(int64 row) const { return row_ptrs[row + 1] - row_ptrs[row]; }
};

/// What from_edges adds to the edges.
struct completion {
    bool mirror;    ///< each edge's reverse
    bool diagonal;  ///< the diagonal
};

/// Sorts by counting, merges duplicates.
pattern from_edges(int64 rows, int64 cols, const std::vector<edge>& edges, completion added);

/// Renames the vertices: order[new] = old.
void renumber(std::vector<edge>& edges, const std::vector<int32>& order);

std::vector<int32> random_order(int64 size, uint64 seed);

/// Reverse Cuthill-McKee order of a symmetric pattern, from a pseudo-peripheral vertex of each component
/// (George and Liu 1981): order[new] = old.
std::vector<int32> reverse_cuthill_mckee(const pattern& graph);

/// @param value_of  the value at (row, col)
template <typename ValueOf>
generated_matrix with_values(pattern places, ValueOf&& value_of)
{
    generated_matrix result;
    result.rows = places.rows;
    result.cols = places.cols;
    result.row_ptrs = std::move(places.row_ptrs);
    result.col_idxs = std::move(places.col_idxs);
    result.values.reserve(result.col_idxs.size());
    for (int64 row = 0; row < result.rows; ++row) {
        for (auto nz = result.row_ptrs[row]; nz < result.row_ptrs[row + 1]; ++nz) {
            result.values.push_back(value_of(row, static_cast<int64>(result.col_idxs[nz])));
        }
    }
    return result;
}

}  // namespace spruce::bench
