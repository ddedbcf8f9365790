// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/factorization/incomplete_factors.hpp"

#include <spruce/matrix/dense.hpp>

#include "core/base/dispatch.hpp"
#include "core/components/array_kernels.hpp"
#include "core/factorization/factor_pattern_kernels.hpp"
#include "core/factorization/incomplete_kernels.hpp"
#include "core/factorization/pattern_checks.hpp"
#include "core/factorization/triangles.hpp"
#include "core/matrix/csr_lookup.hpp"
#include "core/solver/level_order.hpp"
#include "core/solver/triangular_kernels.hpp"

namespace spruce::factorization::detail {
namespace {

namespace pattern = kernels::factor_pattern;

/// Returns a copy of the matrix that stores all diagonal entries.
template <typename V, typename I>
std::unique_ptr<matrix::Csr<V, I>> with_diagonal(const matrix::Csr<V, I>& a)
{
    const auto exec = a.get_executor();
    const auto size = a.get_size()[0];
    array<V> values{exec, size};
    values.fill(one<V>());
    array<I> row_ptrs{exec, size + 1};
    kernels::components::fill_sequence<I>(*exec, row_ptrs.get_data(), size + 1);
    array<I> col_idxs{exec, size};
    kernels::components::fill_sequence<I>(*exec, col_idxs.get_data(), size);
    const auto identity =
        matrix::Csr<V, I>::create(exec, a.get_size(), std::move(values), std::move(col_idxs), std::move(row_ptrs));
    return a.scale_add(initialize<matrix::Dense<V>>({one<V>()}, exec), initialize<matrix::Dense<V>>({zero<V>()}, exec),
                       identity);
}

/// Finds the entries of a at the places of those of c.
template <typename V, typename I>
void locate(const matrix::Csr<V, I>& a, bool is_sorted, const matrix::Csr<V, I>& c, array<I>& sources)
{
    const auto exec = a.get_executor();
    sources.resize_and_reset(c.get_num_stored_elements());
    if (is_sorted) {
        pattern::locate_sorted<V, I>(*exec, a, c, sources.get_data());
        return;
    }
    const matrix::csr::lookup<I> tables{exec, a.get_const_row_ptrs(), a.get_const_col_idxs(), a.get_size()[0]};
    pattern::locate<V, I>(*exec, tables.get_view(), c, sources.get_data());
}

}  // namespace

template <typename V, typename I>
IncompleteFactors<V, I>::IncompleteFactors(const char* name, const Csr& a, bool is_hermitian, bool skip_sorting)
    : name_{name},
      is_hermitian_{is_hermitian},
      size_of_a_{a.get_size()},
      nnz_of_a_{a.get_num_stored_elements()},
      sources_{a.get_executor()},
      schedule_{a.get_executor()},
      found_row_{a.get_executor(), 1}
{
    const auto exec = a.get_executor();
    const auto size = a.get_size()[0];
    const auto is_sorted = skip_sorting || a.is_sorted_by_column_index();
    auto sorted = is_sorted ? nullptr : a.clone();
    if (sorted) {
        sorted->sort_by_column_index();
    }
    const auto& sorted_a = sorted ? *sorted : a;
    const auto row =
        find_row(found_row_, size, [&](I* found) { pattern::find_unsorted_row<V, I>(*exec, sorted_a, found); });
    if (row >= 0) {
        throw UnsupportedMatrixProperty(__FILE__, __LINE__,
                                        name_ + ": row " + std::to_string(row) + " stores an entry twice" +
                                            (skip_sorting ? " or is not sorted, although skip_sorting is set" : "") +
                                            "; each column may occur once in a row");
    }
    // The arrays may have more elements than there are entries.
    const auto num_entries = static_cast<size_type>(exec->copy_val_to_host(a.get_const_row_ptrs() + size));
    const auto is_complete = find_diagonal(sorted_a, schedule_.diagonal) == 0 && num_entries == nnz_of_a_;
    auto complete = is_complete ? nullptr : with_diagonal(sorted_a);
    if (complete) {
        find_diagonal(*complete, schedule_.diagonal);
    }
    const auto& complete_a = complete ? *complete : sorted_a;
    if (is_hermitian) {
        combined_ = extract_triangle(complete_a, schedule_.diagonal, false, false);
        find_diagonal(*combined_, schedule_.diagonal);
    } else {
        combined_ = complete_a.clone();
    }
    if (is_hermitian || sorted || complete) {
        locate(a, is_sorted, *combined_, sources_);
    }
    array<I> levels{exec, size};
    kernels::triangular::compute_levels<V, I>(*exec, *combined_, false, levels.get_data());
    const auto level_ptrs = kernels::order_by_group(levels, size, schedule_.order);
    schedule_.num_levels = level_ptrs.get_size() - 1;
    kernels::incomplete::analyze<V, I>(*exec, *combined_, is_hermitian, level_ptrs, schedule_);
    this->compute(a);
}

template <typename V, typename I>
void IncompleteFactors<V, I>::refresh(const Csr& a)
{
    require_pattern(name_, a, size_of_a_, nnz_of_a_, *combined_, sources_.get_const_data(), found_row_);
    this->compute(a);
}

template <typename V, typename I>
void IncompleteFactors<V, I>::compute(const Csr& a)
{
    const auto exec = a.get_executor();
    const auto row = find_row(found_row_, size_of_a_[0], [&](I* found) {
        const auto& compute =
            is_hermitian_ ? kernels::incomplete::compute_cholesky<V, I> : kernels::incomplete::compute_lu<V, I>;
        compute(*exec, a.get_const_values(), sources_.get_const_data(), schedule_, *combined_, found);
    });
    if (row < 0) {
        return;
    }
    throw InvalidStateError(
        __FILE__, __LINE__, name_,
        "row " + std::to_string(row) +
            (is_hermitian_ ? " has a pivot that is not positive, or an entry that is not finite; A has to be "
                             "Hermitian and sufficiently positive definite"
                           : " has a zero pivot, or an entry that is not finite; A needs finite entries and an "
                             "ordering without zero pivots"));
}

template <typename V, typename I>
auto IncompleteFactors<V, I>::create_triangle(bool upper, bool unit_diagonal,
                                              std::shared_ptr<typename Csr::strategy_type> strategy) const
    -> std::unique_ptr<Csr>
{
    return extract_triangle(*combined_, schedule_.diagonal, upper, unit_diagonal, std::move(strategy));
}

template <typename V, typename I>
void IncompleteFactors<V, I>::copy_triangle(bool upper, bool unit_diagonal, Csr& triangle) const
{
    pattern::copy_triangle<V, I>(*triangle.get_executor(), *combined_, schedule_.diagonal.get_const_data(), upper,
                                 unit_diagonal, triangle);
}

#define SPRUCE_INCOMPLETE_FACTORS(_value, _index) class IncompleteFactors<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_INCOMPLETE_FACTORS);

}  // namespace spruce::factorization::detail
