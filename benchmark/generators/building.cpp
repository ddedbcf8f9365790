// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/generators/building.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spruce::bench {
namespace {

/// Turns counts at i + 1 into offsets.
void add_up(std::vector<int64>& ptrs) { std::partial_sum(ptrs.begin(), ptrs.end(), ptrs.begin()); }

/// Returns the transposed pattern. Its columns are in ascending order for any order in the source.
pattern transpose(const pattern& source)
{
    pattern result{source.cols, source.rows, std::vector<int64>(source.cols + 1),
                   std::vector<int32>(source.col_idxs.size())};
    for (const auto col : source.col_idxs) {
        ++result.row_ptrs[col + 1];
    }
    add_up(result.row_ptrs);
    auto next = result.row_ptrs;
    for (int64 row = 0; row < source.rows; ++row) {
        for (auto nz = source.row_ptrs[row]; nz < source.row_ptrs[row + 1]; ++nz) {
            result.col_idxs[next[source.col_idxs[nz]]++] = static_cast<int32>(row);
        }
    }
    return result;
}

void merge_duplicates(pattern& sorted)
{
    int64 num_entries = 0;
    int64 begin = 0;
    for (int64 row = 0; row < sorted.rows; ++row) {
        const auto end = sorted.row_ptrs[row + 1];
        for (auto nz = begin; nz < end; ++nz) {
            if (nz == begin || sorted.col_idxs[nz] != sorted.col_idxs[nz - 1]) {
                sorted.col_idxs[num_entries++] = sorted.col_idxs[nz];
            }
        }
        begin = end;
        sorted.row_ptrs[row + 1] = num_entries;
    }
    sorted.col_idxs.resize(num_entries);
}

/// Searches breadth-first from order[begin], with the neighbours by ascending degree. Appends the
/// vertices to order and sets their levels.
/// @return the number of levels
int32 search_breadth_first(const pattern& graph, std::vector<int32>& order, size_type begin, std::vector<int32>& level)
{
    level[order[begin]] = 0;
    for (auto i = begin; i < order.size(); ++i) {
        const auto row = order[i];
        const auto first_new = order.size();
        for (auto nz = graph.row_ptrs[row]; nz < graph.row_ptrs[row + 1]; ++nz) {
            const auto col = graph.col_idxs[nz];
            if (level[col] < 0) {
                level[col] = level[row] + 1;
                order.push_back(col);
            }
        }
        std::stable_sort(order.begin() + first_new, order.end(),
                         [&](int32 a, int32 b) { return graph.row_length(a) < graph.row_length(b); });
    }
    return level[order.back()] + 1;
}

}  // namespace

csr_builder::csr_builder(int64 rows, int64 cols, double entries, bool is_complex)
{
    matrix_.rows = rows;
    matrix_.cols = cols;
    matrix_.row_ptrs.reserve(rows + 1);
    matrix_.row_ptrs.push_back(0);
    const auto capacity = static_cast<size_type>(entries);
    matrix_.col_idxs.reserve(capacity);
    matrix_.values.reserve(capacity);
    if (is_complex) {
        matrix_.imag.reserve(capacity);
    }
}

generated_matrix csr_builder::finish()
{
    matrix_.row_ptrs.resize(matrix_.rows + 1, this->num_entries());
    return std::move(matrix_);
}

void make_diagonal_dominant(generated_matrix& matrix)
{
    for (int64 row = 0; row < matrix.rows; ++row) {
        double sum = 0;
        auto diagonal = matrix.row_ptrs[row];
        for (auto nz = matrix.row_ptrs[row]; nz < matrix.row_ptrs[row + 1]; ++nz) {
            if (matrix.col_idxs[nz] == row) {
                diagonal = nz;
            } else {
                sum += std::abs(matrix.values[nz]);
            }
        }
        matrix.values[diagonal] = sum > 0 ? sum + 1e-3 * sum : 1;
    }
}

pattern from_edges(int64 rows, int64 cols, const std::vector<edge>& edges, completion added)
{
    const auto for_each = [&](auto use) {
        for (const auto& e : edges) {
            use(e.row, e.col);
            if (added.mirror) {
                use(e.col, e.row);
            }
        }
        for (int64 i = 0; added.diagonal && i < std::min(rows, cols); ++i) {
            use(static_cast<int32>(i), static_cast<int32>(i));
        }
    };
    pattern per_column{cols, rows, std::vector<int64>(cols + 1), {}};
    for_each([&](int32, int32 col) { ++per_column.row_ptrs[col + 1]; });
    add_up(per_column.row_ptrs);
    per_column.col_idxs.resize(per_column.row_ptrs.back());
    auto next = per_column.row_ptrs;
    for_each([&](int32 row, int32 col) { per_column.col_idxs[next[col]++] = row; });
    auto result = transpose(per_column);
    merge_duplicates(result);
    return result;
}

void renumber(std::vector<edge>& edges, const std::vector<int32>& order)
{
    std::vector<int32> new_of(order.size());
    for (size_type i = 0; i < order.size(); ++i) {
        new_of[order[i]] = static_cast<int32>(i);
    }
    for (auto& e : edges) {
        e = {new_of[e.row], new_of[e.col]};
    }
}

std::vector<int32> random_order(int64 size, uint64 seed)
{
    random_stream random{seed};
    std::vector<int32> order(size);
    std::iota(order.begin(), order.end(), 0);
    for (int64 i = size - 1; i > 0; --i) {
        std::swap(order[i], order[random.below(i + 1)]);
    }
    return order;
}

std::vector<int32> reverse_cuthill_mckee(const pattern& graph)
{
    std::vector<int32> order;
    order.reserve(graph.rows);
    std::vector<int32> level(graph.rows, -1);
    for (int64 row = 0; row < graph.rows; ++row) {
        if (level[row] >= 0) {
            continue;
        }
        const auto begin = order.size();
        order.push_back(static_cast<int32>(row));
        // The last vertex is one of the farthest. It becomes the new start as long as this
        // increases the number of levels.
        int32 max_levels = 0;
        for (auto num_levels = search_breadth_first(graph, order, begin, level); num_levels > max_levels;) {
            max_levels = num_levels;
            const auto farthest = order.back();
            for (auto i = begin; i < order.size(); ++i) {
                level[order[i]] = -1;
            }
            order.resize(begin);
            order.push_back(farthest);
            num_levels = search_breadth_first(graph, order, begin, level);
        }
    }
    std::reverse(order.begin(), order.end());
    return order;
}

}  // namespace spruce::bench
