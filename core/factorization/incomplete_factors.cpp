// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/factorization/incomplete_factors.hpp"

#include <limits>

#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/diagonal.hpp>
#include <spruce/solver/triangular.hpp>

#include "core/base/dispatch.hpp"
#include "core/base/instantiate.hpp"
#include "core/components/array_kernels.hpp"
#include "core/factorization/factor_pattern_kernels.hpp"
#include "core/factorization/pattern_checks.hpp"
#include "core/factorization/triangles.hpp"
#include "core/multigrid/multigrid_kernels.hpp"

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

/// The largest error_of_inverse() of factors with fill-in that are not compared with those without
/// (doc/tuning/factorizations.md).
constexpr double usable_error = 1000;

/// Subtracts A z from r.
/// @param a  the lower triangle of A if A is Hermitian
template <typename V, typename I>
void subtract_product(const matrix::Csr<V, I>& a, bool is_hermitian, const matrix::Dense<V>& z, matrix::Dense<V>& r)
{
    const auto exec = a.get_executor();
    const auto one_on_exec = initialize<matrix::Dense<V>>({one<V>()}, exec);
    const auto minus_one = initialize<matrix::Dense<V>>({-one<V>()}, exec);
    a.apply(minus_one, &z, one_on_exec, &r);
    if (is_hermitian) {
        a.conj_transpose()->apply(minus_one, &z, one_on_exec, &r);
        const auto product = z.clone();
        a.extract_diagonal()->apply(&z, product);
        r.add_scaled(one_on_exec, product);
    }
}

/// Returns a matrix with the pattern of a, whose values are not set.
template <typename V, typename I>
std::unique_ptr<matrix::Csr<V, I>> copy_pattern(const matrix::Csr<V, I>& a)
{
    const auto exec = a.get_executor();
    const auto nnz = a.get_num_stored_elements();
    return matrix::Csr<V, I>::create(
        exec, a.get_size(), array<V>{exec, nnz},
        array<I>::const_view(exec, nnz, a.get_const_col_idxs()).copy_to_array(),
        array<I>::const_view(exec, a.get_size()[0] + 1, a.get_const_row_ptrs()).copy_to_array(),
        a.get_strategy()->copy());
}

/// Returns the norm of v - A M^-1 v divided by that of v, for a pseudo-random vector v and M = L U.
/// If the factors are unstable, it is large, or not a number. It is related to the estimate of
/// Chow and Saad 1997, Experimental study of ILU preconditioners for indefinite matrices.
/// @param a         the lower triangle of A if A is Hermitian
/// @param combined  contains the entries of L below the diagonal and U, or L if A is Hermitian
template <typename V, typename I>
double error_of_inverse(const matrix::Csr<V, I>& a, std::shared_ptr<const matrix::Csr<V, I>> combined,
                        bool is_hermitian)
{
    using Dense = matrix::Dense<V>;
    using Norm = matrix::Dense<remove_complex<V>>;
    const auto exec = a.get_executor();
    const std::shared_ptr<const LinOp> l =
        solver::LowerTrs<V, I>::build().with_unit_diagonal(!is_hermitian).on(exec)->generate(combined);
    const std::shared_ptr<const LinOp> u = is_hermitian
                                               ? share(as<Transposable>(l)->conj_transpose())
                                               : share(solver::UpperTrs<V, I>::build().on(exec)->generate(combined));
    const auto vector = Dense::create(exec, dim<2>{a.get_size()[0], 1});
    kernels::multigrid::fill_random<V>(*exec, *vector);
    const auto half_solved = vector->clone();
    const auto solution = vector->clone();
    l->apply(vector, half_solved);
    u->apply(half_solved, solution);
    const auto norms = Norm::create(exec, dim<2>{2, 1});
    const auto norm_of_vector = norms->create_submatrix({0, 1}, {0, 1});
    const auto norm_of_error = norms->create_submatrix({1, 2}, {0, 1});
    vector->compute_norm2(norm_of_vector);
    subtract_product(a, is_hermitian, *solution, *vector);
    vector->compute_norm2(norm_of_error);
    const auto host_norms = clone(exec->get_master(), norms);
    return static_cast<double>(host_norms->at(1, 0)) / static_cast<double>(host_norms->at(0, 0));
}

}  // namespace

template <typename V, typename I>
IncompleteFactors<V, I>::IncompleteFactors(const char* name, const Csr& a, bool is_hermitian, bool skip_sorting,
                                           std::optional<size_type> num_sweeps,
                                           const std::optional<threshold_limits>& threshold)
    : name_{name}, is_hermitian_{is_hermitian}, found_row_{a.get_executor(), 1}
{
    constexpr size_type max_sweeps = std::numeric_limits<int32>::max();
    if (num_sweeps && *num_sweeps > max_sweeps) {
        throw OutOfBoundsError(__FILE__, __LINE__,
                               name_ + ": " + std::to_string(*num_sweeps) + " iterations (at most " +
                                   std::to_string(max_sweeps) + " are possible)");
    }
    if (threshold) {
        require_valid(name_, *threshold);
    }
    const auto exec = a.get_executor();
    const auto size = a.get_size()[0];
    const auto is_suitable = has_increasing_columns(a);
    const auto is_sorted = is_suitable || skip_sorting || a.is_sorted_by_column_index();
    auto sorted = is_sorted ? nullptr : a.clone();
    if (sorted) {
        sorted->sort_by_column_index();
    }
    const auto& sorted_a = sorted ? *sorted : a;
    if (!is_suitable) {
        require_increasing_columns(name_, sorted_a, skip_sorting, found_row_);
    }
    // The arrays may have more elements than there are entries.
    const auto num_entries = static_cast<size_type>(exec->copy_val_to_host(a.get_const_row_ptrs() + size));
    array<I> diagonal{exec};
    const auto is_complete = find_diagonal(sorted_a, diagonal) == 0 && num_entries == a.get_num_stored_elements();
    auto complete = is_complete ? nullptr : with_diagonal(sorted_a);
    if (complete) {
        find_diagonal(*complete, diagonal);
    }
    const auto& complete_a = complete ? *complete : sorted_a;
    std::shared_ptr<Csr> combined;
    if (is_hermitian) {
        combined = extract_triangle(complete_a, diagonal, false, false);
    } else if (threshold) {
        combined = complete_a.clone();
    } else {
        combined = copy_pattern(complete_a);
    }
    const auto compute_in = [&](std::shared_ptr<Csr> factors) {
        if (is_hermitian || threshold) {
            find_diagonal(*factors, diagonal);
        }
        array<I> sources{exec};
        if (is_hermitian || sorted || complete || threshold) {
            locate_entries(a, is_sorted, *factors, sources);
        }
        factors_.emplace(std::move(factors), std::move(diagonal), std::move(sources), is_hermitian, num_sweeps);
        return factors_->compute(a.get_const_values());
    };
    if (threshold) {
        first_ = a.clone();
        const auto lower = is_hermitian ? combined->clone() : nullptr;
        const auto error_of_factors = [&] {
            return error_of_inverse<V, I>(lower ? *lower : a, this->get_combined(), is_hermitian);
        };
        if (compute_in(find_threshold_pattern<V, I>(combined, is_hermitian, *threshold)) < 0) {
            const auto error = size == 0 ? 0 : error_of_factors();
            if (error <= usable_error) {
                return;
            }
            std::optional<PatternFactors<V, I>> with_fill_in{std::move(factors_)};
            is_pattern_rejected_ = compute_in(std::move(combined)) < 0 && !(error_of_factors() >= error);
            if (!is_pattern_rejected_) {
                factors_ = std::move(with_fill_in);
            }
            return;
        }
        is_pattern_rejected_ = true;
    }
    this->require_suitable(compute_in(std::move(combined)));
}

template <typename V, typename I>
void IncompleteFactors<V, I>::refresh(const Csr& a)
{
    is_pattern_rejected_ = false;
    if (first_) {
        require_pattern<V, I>(name_, a, *first_, nullptr, matrix_part::whole, found_row_);
    } else {
        require_pattern(name_, a, *factors_->get_combined(), factors_->get_sources().get_const_data(),
                        is_hermitian_ ? matrix_part::lower_triangle : matrix_part::whole, found_row_);
    }
    this->require_suitable(factors_->compute(a.get_const_values()));
}

template <typename V, typename I>
void IncompleteFactors<V, I>::require_suitable(I row) const
{
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
    return extract_triangle(*factors_->get_combined(), factors_->get_diagonal(), upper, unit_diagonal,
                            std::move(strategy));
}

template <typename V, typename I>
void IncompleteFactors<V, I>::copy_triangle(bool upper, bool unit_diagonal, Csr& triangle) const
{
    pattern::copy_triangle<V, I>(*triangle.get_executor(), *factors_->get_combined(),
                                 factors_->get_diagonal().get_const_data(), upper, unit_diagonal, triangle);
}

#define SPRUCE_INCOMPLETE_FACTORS(_value, _index) class IncompleteFactors<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_INCOMPLETE_FACTORS);

}  // namespace spruce::factorization::detail
