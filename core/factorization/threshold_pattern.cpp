// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/factorization/threshold_pattern.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include <spruce/base/exception.hpp>
#include <spruce/matrix/dense.hpp>

#include "core/base/dispatch.hpp"
#include "core/base/instantiate.hpp"
#include "core/components/array_kernels.hpp"
#include "core/components/sort_kernels.hpp"
#include "core/factorization/pattern_checks.hpp"
#include "core/factorization/pattern_factors.hpp"
#include "core/factorization/threshold_selection.hpp"
#include "core/factorization/triangles.hpp"
#include "core/matrix/csr_kernels.hpp"
#include "core/matrix/csr_rearrange_kernels.hpp"
#include "core/matrix/permutation_kernels.hpp"

namespace spruce::factorization::detail {
namespace {

/// The largest root mean square of the relative residuals of factors with which the search ends if
/// the pattern has not changed.
constexpr double settled_residual = 0.02;

/// The number of the largest entries of each column of L and of each row of U that are multiplied
/// by all entries, as a multiple of the average length, and its smallest value
/// (doc/tuning/factorizations.md).
constexpr size_type averages_of_large = 4;
constexpr size_type min_num_large = 32;

/// Performs the search of find_threshold_pattern().
template <typename V, typename I>
class PatternSearch {
    using Csr = matrix::Csr<V, I>;
    using Factors = PatternFactors<V, I>;

public:
    PatternSearch(std::shared_ptr<const Csr> a, bool is_hermitian, const threshold_limits& limits)
        : a_{std::move(a)},
          is_hermitian_{is_hermitian},
          limits_{limits},
          exec_{a_->get_executor()},
          one_{initialize<matrix::Dense<V>>({spruce::one<V>()}, exec_)},
          minus_one_{initialize<matrix::Dense<V>>({-spruce::one<V>()}, exec_)},
          counts_{exec_},
          found_row_{exec_, 1}
    {}

    std::shared_ptr<Csr> run()
    {
        auto pattern = share(a_->clone());
        auto factors = this->create_factors(share(pattern->clone()));
        factors.start(a_->get_const_values());
        const auto num_upper = this->count_upper(factors);
        const auto num_rows = a_->get_size()[0];
        max_lower_ = this->num_kept(a_->get_num_stored_elements() - (num_upper - num_rows));
        max_upper_ = this->num_kept(num_upper);
        this->set_num_large(std::max(a_->get_num_stored_elements() - (num_upper - num_rows), num_upper));
        for (size_type i = 0; i < limits_.iterations; ++i) {
            auto extended = this->create_factors(this->with_candidates(factors));
            if (extended.improve(a_->get_const_values()) >= 0) {
                break;
            }
            auto reduced =
                this->create_factors(this->with_largest(*extended.get_combined(), extended.get_diagonal(), 1));
            if (reduced.improve(a_->get_const_values()) >= 0) {
                break;
            }
            const auto is_settled = this->have_equal_patterns(*reduced.get_combined(), *pattern) &&
                                    reduced.get_residual() <= static_cast<remove_complex<V>>(settled_residual);
            factors = std::move(reduced);
            pattern = share(factors.get_combined()->clone());
            if (is_settled) {
                break;
            }
        }
        return pattern;
    }

private:
    /// Returns an object that improves these factors, whose rows are sorted.
    Factors create_factors(std::shared_ptr<Csr> factors) const
    {
        auto diagonal = this->diagonal_of(*factors);
        array<I> sources{exec_, factors->get_num_stored_elements()};
        kernels::factor_pattern::locate_sorted<V, I>(*exec_, *a_, *factors, sources.get_data());
        return {std::move(factors), std::move(diagonal), std::move(sources), is_hermitian_, 1};
    }

    /// Returns the number of entries of the upper triangle with its diagonal.
    size_type count_upper(const Factors& factors) const
    {
        const auto size = a_->get_size()[0];
        array<I> counts{exec_, size + 1};
        size_type result{};
        kernels::factor_pattern::count_in_triangle<V, I>(*exec_, *a_, factors.get_diagonal().get_const_data(), true,
                                                         counts.get_data());
        kernels::components::prefix_sum<I>(*exec_, counts.get_data(), size + 1, result);
        return result;
    }

    /// Returns the largest number of entries of a factor outside its diagonal.
    /// @param num_initial  number of entries of a triangle of A with its diagonal
    size_type num_kept(size_type num_initial) const
    {
        const auto num_rows = a_->get_size()[0];
        const auto limit = limits_.fill_in_limit * static_cast<double>(num_initial);
        if (limit >= static_cast<double>(std::numeric_limits<I>::max())) {
            return static_cast<size_type>(std::numeric_limits<I>::max());
        }
        return std::max(static_cast<size_type>(limit), num_rows) - num_rows;
    }

    /// Computes num_large_.
    /// @param num_initial  number of entries of the longer triangle of A with its diagonal
    void set_num_large(size_type num_initial)
    {
        const auto num_rows = std::max<size_type>(a_->get_size()[0], 1);
        const auto num_entries = std::max(num_initial, num_rows + std::max(max_lower_, max_upper_));
        num_large_ = std::max(averages_of_large * std::min(num_entries / num_rows, num_rows), min_num_large);
    }

    /// Returns the factors with candidates, which are new entries from the residual. To bound the
    /// work of the sweeps, only the largest entries are kept, twice as many as the factors are to
    /// have (doc/tuning/factorizations.md).
    std::unique_ptr<Csr> with_candidates(const Factors& factors)
    {
        const auto combined = factors.get_combined();
        std::unique_ptr<Csr> residual;
        if (is_hermitian_) {
            const auto upper = as<Csr>(share(combined->conj_transpose()));
            const auto both = this->residual_of(*combined, *upper);
            residual = extract_triangle(*both, this->diagonal_of(*both), false, false);
        } else {
            // The pivots on the diagonal of L change only values at the places of entries of U,
            // which are not used.
            const auto lower = extract_triangle(*combined, factors.get_diagonal(), false, false);
            const auto upper = extract_triangle(*combined, factors.get_diagonal(), true, false);
            residual = this->residual_of(*lower, *upper);
        }
        kernels::threshold::add_candidates<V, I>(*exec_, *combined, factors.get_diagonal().get_const_data(), *residual);
        return this->with_largest(*residual, this->diagonal_of(*residual), 2);
    }

    /// Returns A - L U, without the products of two small entries if there are long rows of U. An
    /// entry of L or U is small if it is not among the num_large_ largest ones of its column of L,
    /// or of its row of U. Each entry is then in at most num_large_ products with a large one.
    std::unique_ptr<Csr> residual_of(const Csr& lower, const Csr& upper) const
    {
        size_type max_length{};
        kernels::csr::compute_max_row_length<I>(*exec_, upper.get_const_row_ptrs(), upper.get_size()[0], max_length);
        if (max_length <= num_large_) {
            return lower.multiply_add(minus_one_, &upper, one_, a_);
        }
        const auto large_of_lower = share(this->with_large(lower, true, true));
        const auto large_of_upper = is_hermitian_ ? share(as<Csr>(large_of_lower->conj_transpose()))
                                                  : share(this->with_large(upper, false, true));
        const auto small_of_upper = is_hermitian_
                                        ? share(as<Csr>(this->with_large(lower, true, false)->conj_transpose()))
                                        : share(this->with_large(upper, false, false));
        const auto first = lower.multiply_add(minus_one_, large_of_upper, one_, a_);
        return large_of_lower->multiply_add(minus_one_, small_of_upper, one_, first);
    }

    /// Returns the large entries of L or U, among which is the diagonal, or the small ones.
    std::unique_ptr<Csr> with_large(const Csr& triangle, bool by_columns, bool are_large) const
    {
        const auto num_rows = triangle.get_size()[0];
        const auto nnz = triangle.get_num_stored_elements();
        const auto diagonal = this->diagonal_of(triangle);
        array<I> rows{exec_, nnz};
        array<remove_complex<V>> sizes{exec_, nnz};
        const auto entries = this->view_entries(triangle, diagonal, rows, sizes);
        array<I> keys{exec_, nnz};
        array<I> sorted_keys{exec_, nnz};
        array<I> by_size{exec_, nnz};
        kernels::threshold::compute_sort_keys<V, I>(*exec_, entries, keys.get_data());
        kernels::components::sort_keys<I>(*exec_, keys.get_const_data(), nullptr, nnz, bound_of_sort_keys,
                                          sorted_keys.get_data(), by_size.get_data());
        kernels::permutation::compose<I>(*exec_, by_columns ? entries.cols : entries.rows, by_size.get_const_data(),
                                         nnz, keys.get_data());
        array<I> positions{exec_, nnz};
        kernels::components::sort_keys<I>(*exec_, keys.get_const_data(), by_size.get_const_data(), nnz, num_rows,
                                          sorted_keys.get_data(), positions.get_data());
        array<I> ptrs{exec_, num_rows + 1};
        kernels::components::convert_idxs_to_ptrs<I>(*exec_, sorted_keys.get_const_data(), nnz, ptrs.get_data(),
                                                     num_rows);
        array<I> targets{exec_, nnz + 1};
        kernels::threshold::mark_in_groups<I>(*exec_, ptrs.get_const_data(), sorted_keys.get_const_data(),
                                              positions.get_const_data(), nnz, num_large_, are_large,
                                              targets.get_data());
        return this->with_marked(triangle, targets);
    }

    array<I> diagonal_of(const Csr& matrix) const
    {
        array<I> result{exec_};
        find_diagonal(matrix, result);
        return result;
    }

    /// Returns the diagonal and the largest entries of each triangle.
    /// @param factor  multiplies the numbers of entries to keep
    std::unique_ptr<Csr> with_largest(const Csr& factors, const array<I>& diagonal, size_type factor)
    {
        const auto nnz = factors.get_num_stored_elements();
        array<I> rows{exec_, nnz};
        array<remove_complex<V>> sizes{exec_, nnz};
        const auto entries = this->view_entries(factors, diagonal, rows, sizes);
        const auto select = [&](bool upper, size_type count) {
            return select_largest(entries, upper, factor * count, limits_.approximate_select, counts_);
        };
        const auto lower = select(false, max_lower_);
        array<I> targets{exec_, nnz + 1};
        kernels::threshold::mark_largest<V, I>(*exec_, entries, lower, is_hermitian_ ? lower : select(true, max_upper_),
                                               targets.get_data());
        return this->with_marked(factors, targets);
    }

    /// Computes rows and sizes of the entries of factors, and views them.
    entry_view<V, I> view_entries(const Csr& factors, const array<I>& diagonal, array<I>& rows,
                                  array<remove_complex<V>>& sizes) const
    {
        kernels::components::convert_ptrs_to_idxs<I>(*exec_, factors.get_const_row_ptrs(), factors.get_size()[0],
                                                     rows.get_data());
        kernels::threshold::compute_sizes<V, I>(*exec_, factors, diagonal.get_const_data(), is_hermitian_,
                                                sizes.get_data());
        return {factors.get_num_stored_elements(), rows.get_const_data(), factors.get_const_col_idxs(),
                sizes.get_const_data()};
    }

    /// Returns the marked entries.
    /// @param targets  contains the mark of each entry, 0 or 1, and has one element more; it is
    ///                 overwritten
    std::unique_ptr<Csr> with_marked(const Csr& factors, array<I>& targets) const
    {
        const auto nnz = factors.get_num_stored_elements();
        size_type num_remaining{};
        kernels::components::prefix_sum<I>(*exec_, targets.get_data(), nnz + 1, num_remaining);
        array<V> values{exec_, num_remaining};
        array<I> cols{exec_, num_remaining};
        array<I> row_ptrs{exec_, factors.get_size()[0] + 1};  // are computed before create(), which reads them
        kernels::permutation::compose<I>(*exec_, targets.get_const_data(), factors.get_const_row_ptrs(),
                                         row_ptrs.get_size(), row_ptrs.get_data());
        auto result = Csr::create(exec_, factors.get_size(), std::move(values), std::move(cols), std::move(row_ptrs));
        kernels::csr::fill_submatrix<V, I>(*exec_, factors, 0, 0, targets.get_const_data(), nnz, *result);
        return result;
    }

    bool have_equal_patterns(const Csr& a, const Csr& b)
    {
        return find_row(found_row_, a.get_size()[0], [&](I* row) {
                   kernels::factor_pattern::find_changed_row<V, I>(*exec_, a, b, nullptr, matrix_part::whole, row);
               }) < 0;
    }

    std::shared_ptr<const Csr> a_;
    bool is_hermitian_;
    threshold_limits limits_;
    std::shared_ptr<const Executor> exec_;
    std::shared_ptr<const matrix::Dense<V>> one_;
    std::shared_ptr<const matrix::Dense<V>> minus_one_;
    size_type max_lower_{};
    size_type max_upper_{};
    size_type num_large_{};  ///< the number of entries that are large in a column of L or a row of U
    array<size_type> counts_;
    array<I> found_row_;
};

}  // namespace

void require_valid(const std::string& name, const threshold_limits& limits)
{
    if (limits.iterations == 0) {
        throw OutOfBoundsError(__FILE__, __LINE__, name + ": iterations 0 (at least 1 is needed)");
    }
    if (!(limits.fill_in_limit > 0 && std::isfinite(limits.fill_in_limit))) {
        std::ostringstream message;
        message << name << ": fill_in_limit " << limits.fill_in_limit << " (it has to be finite and greater than 0)";
        throw OutOfBoundsError(__FILE__, __LINE__, message.str());
    }
}

template <typename V, typename I>
std::shared_ptr<matrix::Csr<V, I>> find_threshold_pattern(const std::shared_ptr<const matrix::Csr<V, I>>& a,
                                                          bool is_hermitian, const threshold_limits& limits)
{
    return PatternSearch<V, I>{a, is_hermitian, limits}.run();
}

#define SPRUCE_FIND_THRESHOLD_PATTERN(_value, _index)                                    \
    std::shared_ptr<matrix::Csr<_value, _index>> find_threshold_pattern<_value, _index>( \
        const std::shared_ptr<const matrix::Csr<_value, _index>>&, bool, const threshold_limits&)
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_FIND_THRESHOLD_PATTERN);

}  // namespace spruce::factorization::detail
