// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/factorization/incomplete_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace incomplete {

using spruce::factorization::detail::incomplete_schedule;

template <typename V, typename I>
void analyze(const ReferenceExecutor&, const matrix::Csr<V, I>&, bool, incomplete_schedule<I>&)
{}

/// Copies the entries of A in a row. Sets positions[j] = the entry in column j.
template <typename V, typename I>
void begin_row(const V* a_values, const I* sources, size_type row, matrix::Csr<V, I>& factors,
               std::vector<I>& positions)
{
    for (auto nz = factors.get_const_row_ptrs()[row]; nz < factors.get_const_row_ptrs()[row + 1]; ++nz) {
        const auto source = sources ? sources[nz] : nz;
        factors.get_values()[nz] = source < 0 ? zero<V>() : a_values[source];
        positions[factors.get_const_col_idxs()[nz]] = nz;
    }
}

/// Calls function(target, other) for the entries with equal columns of the row that begin_row()
/// copied and another one. The entries of the shorter range are looked up in the longer one.
/// @param begin, end          a range of entries of the row
/// @param other, other_end    a range of entries of another row
template <typename I, typename Function>
void for_each_common(const I* cols, const std::vector<I>& positions, I begin, I end, I other, I other_end,
                     Function function)
{
    if (end - begin < (other_end - other) / 8) {
        for (auto target = begin; target < end; ++target) {
            other = static_cast<I>(std::lower_bound(cols + other, cols + other_end, cols[target]) - cols);
            if (other < other_end && cols[other] == cols[target]) {
                function(target, other);
            }
        }
        return;
    }
    for (; other < other_end; ++other) {
        const auto target = positions[cols[other]];
        if (begin <= target && target < end) {  // smaller ones are those of other rows
            function(target, other);
        }
    }
}

template <typename V, typename I>
bool is_bad(const matrix::Csr<V, I>& factors, const I* diagonal, size_type row)
{
    for (auto nz = factors.get_const_row_ptrs()[row]; nz < factors.get_const_row_ptrs()[row + 1]; ++nz) {
        if (!is_finite(factors.get_const_values()[nz])) {
            return true;
        }
    }
    return is_zero(factors.get_const_values()[diagonal[row]]);
}

/// Performs the elimination of one row after the other (Saad 2003, Algorithm 10.4).
template <typename V, typename I>
void compute_lu(const ReferenceExecutor&, const V* a_values, const I* sources, const incomplete_schedule<I>& schedule,
                matrix::Csr<V, I>& factors, I* bad_row)
{
    const auto size = factors.get_size()[0];
    const auto row_ptrs = factors.get_const_row_ptrs();
    const auto cols = factors.get_const_col_idxs();
    const auto diagonal = schedule.diagonal.get_const_data();
    const auto values = factors.get_values();
    std::vector<I> positions(size, -1);
    for (size_type row = 0; row < size; ++row) {
        begin_row(a_values, sources, row, factors, positions);
        for (auto nz = row_ptrs[row]; nz < diagonal[row]; ++nz) {
            const auto k = cols[nz];
            values[nz] /= values[diagonal[k]];
            for_each_common(cols, positions, nz + 1, row_ptrs[row + 1], diagonal[k] + 1, row_ptrs[k + 1],
                            [&](I target, I other) { values[target] -= values[nz] * values[other]; });
        }
        if (is_bad(factors, diagonal, row)) {
            *bad_row = static_cast<I>(row);
            return;
        }
    }
}

template <typename V, typename I>
void compute_cholesky(const ReferenceExecutor&, const V* a_values, const I* sources,
                      const incomplete_schedule<I>& schedule, matrix::Csr<V, I>& factor, I* bad_row)
{
    const auto size = factor.get_size()[0];
    const auto row_ptrs = factor.get_const_row_ptrs();
    const auto cols = factor.get_const_col_idxs();
    const auto diagonal = schedule.diagonal.get_const_data();
    const auto values = factor.get_values();
    std::vector<I> positions(size, -1);
    for (size_type row = 0; row < size; ++row) {
        begin_row(a_values, sources, row, factor, positions);
        for (auto nz = row_ptrs[row]; nz < row_ptrs[row + 1]; ++nz) {
            const auto k = cols[nz];
            for_each_common(cols, positions, row_ptrs[row], nz, row_ptrs[k], diagonal[k],
                            [&](I target, I other) { values[nz] -= values[target] * spruce::conj(values[other]); });
            values[nz] = nz < diagonal[row] ? values[nz] / values[diagonal[k]] : V{std::sqrt(spruce::real(values[nz]))};
        }
        if (is_bad(factor, diagonal, row)) {
            *bad_row = static_cast<I>(row);
            return;
        }
    }
}

}  // namespace incomplete

void register_incomplete()
{
    for_each_value_and_index_type([](auto type) {
        using V = typename decltype(type)::value_type;
        using I = typename decltype(type)::index_type;
        using E = ReferenceExecutor;
        kernels::incomplete::analyze<V, I>.template set<E>(&incomplete::analyze<V, I>);
        kernels::incomplete::compute_lu<V, I>.template set<E>(&incomplete::compute_lu<V, I>);
        kernels::incomplete::compute_cholesky<V, I>.template set<E>(&incomplete::compute_cholesky<V, I>);
    });
}

}  // namespace spruce::kernels::reference
