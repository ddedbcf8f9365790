// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/factorization/pattern_factors.hpp"

#include <utility>

#include "core/base/dispatch.hpp"
#include "core/base/instantiate.hpp"
#include "core/factorization/factor_pattern_kernels.hpp"
#include "core/factorization/incomplete_kernels.hpp"
#include "core/factorization/pattern_checks.hpp"

namespace spruce::factorization::detail {
namespace {

/// Sweeps approximate a pivot up to about this fraction of its terms. A smaller pivot, relative to
/// the diagonal entry of A, may be zero in exact factors.
constexpr double min_reliable_pivot = 0.02;

}  // namespace

template <typename V, typename I>
PatternFactors<V, I>::PatternFactors(std::shared_ptr<Csr> factors, array<I> diagonal, array<I> sources,
                                     bool is_hermitian, std::optional<size_type> num_sweeps)
    : is_hermitian_{is_hermitian},
      combined_{std::move(factors)},
      sources_{std::move(sources)},
      schedule_{combined_->get_executor()},
      found_row_{combined_->get_executor(), 1}
{
    schedule_.diagonal = std::move(diagonal);
    if (num_sweeps) {
        sweeps_.emplace(*combined_, is_hermitian, *num_sweeps);
    }
}

template <typename V, typename I>
I PatternFactors<V, I>::compute(const V* a_values)
{
    return this->finish(
        sweeps_ && sweeps_->compute(a_values, sources_.get_const_data(), schedule_.diagonal, *combined_), a_values);
}

template <typename V, typename I>
I PatternFactors<V, I>::improve(const V* a_values)
{
    return this->finish(sweeps_->improve(a_values, sources_.get_const_data(), schedule_.diagonal, *combined_),
                        a_values);
}

template <typename V, typename I>
void PatternFactors<V, I>::start(const V* a_values)
{
    sweeps_->start(a_values, sources_.get_const_data(), schedule_.diagonal, *combined_);
}

template <typename V, typename I>
void PatternFactors<V, I>::analyze()
{
    kernels::incomplete::analyze<V, I>(*combined_->get_executor(), *combined_, is_hermitian_, schedule_);
    is_analyzed_ = true;
}

template <typename V, typename I>
I PatternFactors<V, I>::finish(bool have_sweeps_converged, const V* a_values)
{
    const auto exec = combined_->get_executor();
    const auto size = combined_->get_size()[0];
    have_sweeps_failed_ = sweeps_.has_value();
    if (have_sweeps_converged) {
        const auto unreliable_row = find_row(found_row_, size, [&](I* found) {
            kernels::factor_pattern::find_small_pivot<V, I>(
                *exec, combined_->get_const_values(), schedule_.diagonal.get_const_data(), size, is_hermitian_,
                a_values, sources_.get_const_data(), static_cast<real>(min_reliable_pivot), found);
        });
        if (unreliable_row < 0) {
            have_sweeps_failed_ = false;
            return -1;
        }
    }
    if (!is_analyzed_) {
        this->analyze();
    }
    return find_row(found_row_, size, [&](I* found) {
        const auto& compute =
            is_hermitian_ ? kernels::incomplete::compute_cholesky<V, I> : kernels::incomplete::compute_lu<V, I>;
        compute(*exec, a_values, sources_.get_const_data(), schedule_, *combined_, found);
    });
}

#define SPRUCE_PATTERN_FACTORS(_value, _index) class PatternFactors<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_PATTERN_FACTORS);

}  // namespace spruce::factorization::detail
