// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/triangular_kernels.hpp"

#include <algorithm>

#include "core/solver/dependency_levels.hpp"
#include "omp/base/register.hpp"
#include "omp/components/column_groups.hpp"
#include "omp/components/multiply_add.hpp"
#include "omp/components/row_chains.hpp"

namespace spruce::kernels::omp {
namespace triangular {

using spruce::solver::detail::triangular_schedule;

template <typename V, typename I>
void compute_levels(const OmpExecutor&, const matrix::Csr<V, I>& a, bool upper, const I* diagonal, I* levels)
{
    compute_levels_in_order(a, upper, diagonal, levels);
}

/// Finds the boundaries of a schedule. They are empty if the entries of a row have another order.
template <typename V, typename I>
void find_boundaries(const matrix::Csr<V, I>& a, bool upper, array<I>& boundaries)
{
    const auto cols = a.get_const_col_idxs();
    const auto size = static_cast<I>(a.get_size()[0]);
    boundaries.resize_and_reset(a.get_size()[0]);
    auto is_ordered = true;
#pragma omp parallel for reduction(&& : is_ordered)
    for (I row = 0; row < size; ++row) {
        const auto begin = cols + a.get_const_row_ptrs()[row];
        const auto end = cols + a.get_const_row_ptrs()[row + 1];
        const auto lower_end = std::find_if(begin, end, [&](I col) { return col >= row; });
        const auto upper_begin = lower_end != end && *lower_end == row ? lower_end + 1 : lower_end;
        is_ordered = is_ordered && std::all_of(upper_begin, end, [&](I col) { return col > row; });
        boundaries.get_data()[row] = static_cast<I>((upper ? upper_begin : lower_end) - cols);
    }
    if (!is_ordered) {
        boundaries.resize_and_reset(0);
    }
}

template <typename V, typename I>
void analyze(const OmpExecutor&, const matrix::Csr<V, I>& a, bool upper, triangular_schedule<V, I>& schedule)
{
    schedule.chains = distribute_chains(a, upper, [](size_type) { return size_type{1}; });
    find_boundaries(a, upper, schedule.boundaries);
}

/// Keeps the schedule, since solves read the values of the matrix.
template <typename V, typename I>
void update_values(const OmpExecutor&, const matrix::Csr<V, I>&, triangular_schedule<V, I>&)
{}

/// Views what the steps of a substitution use.
template <typename V, typename I>
struct triangle {
    I begin(size_type row) const { return upper && is_ordered ? boundaries[row] : row_ptrs[row]; }
    I end(size_type row) const { return upper || !is_ordered ? row_ptrs[row + 1] : boundaries[row]; }

    const I* row_ptrs;
    const I* cols;
    const V* values;
    size_type size;
    bool upper;
    bool is_ordered;
    const I* boundaries;
    const I* diagonal;  ///< null for ones
};

/// Computes x at positions begin to end - 1.
/// @tparam is_ordered  all entries of the range of a row are in the triangle
template <int num_cols, bool is_ordered, typename V, typename I>
void solve_rows(const triangle<V, I>& t, size_type begin, size_type end, const V* b, size_type b_stride, V* x,
                size_type x_stride)
{
    for (auto position = begin; position < end; ++position) {
        const auto row = t.upper ? t.size - 1 - position : position;
        V sums[num_cols];
        std::copy_n(b + row * b_stride, num_cols, sums);
        for (auto nz = t.begin(row); nz < t.end(row); ++nz) {
            const auto other = static_cast<size_type>(t.cols[nz]);
            if (is_ordered || (other != row && (other > row) == t.upper)) {
                for (int col = 0; col < num_cols; ++col) {
                    sums[col] -= multiply(t.values[nz], x[other * x_stride + static_cast<size_type>(col)]);
                }
            }
        }
        for (int col = 0; col < num_cols; ++col) {
            x[row * x_stride + static_cast<size_type>(col)] =
                t.diagonal ? sums[col] / t.values[t.diagonal[row]] : sums[col];
        }
    }
}

template <typename V, typename I>
void solve(const OmpExecutor&, const matrix::Csr<V, I>& a, bool upper, bool unit_diagonal,
           const triangular_schedule<V, I>& schedule, const matrix::Dense<V>& b, matrix::Dense<V>& x)
{
    const auto size = a.get_size()[0];
    const triangle<V, I> t{a.get_const_row_ptrs(),
                           a.get_const_col_idxs(),
                           a.get_const_values(),
                           size,
                           upper,
                           schedule.boundaries.get_size() > 0,
                           schedule.boundaries.get_const_data(),
                           unit_diagonal ? nullptr : schedule.diagonal.get_const_data()};
    const auto solve_cols = [&](auto num_cols, size_type col, size_type begin, size_type end) {
        const auto rows = t.is_ordered ? solve_rows<num_cols(), true, V, I> : solve_rows<num_cols(), false, V, I>;
        rows(t, begin, end, b.get_const_values() + col, b.get_stride(), x.get_values() + col, x.get_stride());
    };
    run_chains(schedule.chains, size, [&](size_type, size_type begin, size_type end) {
        if (b.get_size()[1] == 1) {
            solve_cols(std::integral_constant<int, 1>{}, 0, begin, end);
        } else {
            for_each_column_group(b.get_size()[1],
                                  [&](size_type col, auto num_cols) { solve_cols(num_cols, col, begin, end); });
        }
    });
}

}  // namespace triangular

void register_triangular()
{
    for_each_value_and_index_type([](auto tag) {
        using V = typename decltype(tag)::value_type;
        using I = typename decltype(tag)::index_type;
        kernels::triangular::compute_levels<V, I>.template set<OmpExecutor>(&triangular::compute_levels<V, I>);
        kernels::triangular::analyze<V, I>.template set<OmpExecutor>(&triangular::analyze<V, I>);
        kernels::triangular::update_values<V, I>.template set<OmpExecutor>(&triangular::update_values<V, I>);
        kernels::triangular::solve<V, I>.template set<OmpExecutor>(&triangular::solve<V, I>);
    });
}

}  // namespace spruce::kernels::omp
