// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/multigrid/polynomial_smoother.hpp"

#include <utility>

#include <spruce/solver/solver_base.hpp>

#include "core/base/dispatch.hpp"
#include "core/base/instantiate.hpp"
#include "core/multigrid/level_matrix.hpp"
#include "core/multigrid/multigrid_kernels.hpp"

namespace spruce::multigrid::detail {
namespace {

constexpr auto name_of_smoother = "the smoother of a multigrid level";

}  // namespace

Smoother::~Smoother() = default;

template <typename V, typename I>
PolynomialSmoother<V, I>::PolynomialSmoother(std::shared_ptr<const Executor> exec)
    : Base(exec), diagonal_{exec}, inverse_diagonal_{exec}
{}

template <typename V, typename I>
PolynomialSmoother<V, I>::PolynomialSmoother(std::shared_ptr<const LinOp> matrix, const Csr& a, size_type num_steps,
                                             std::shared_ptr<const spectrum> known, bool keeps_pattern)
    : Base(a.get_executor(), a.get_size()),
      matrix_{std::move(matrix)},
      num_steps_{num_steps},
      diagonal_{find_suitable_diagonal(a, name_of_smoother)},
      inverse_diagonal_{a.get_executor(), a.get_size()[0]},
      known_spectrum_{std::move(known)},
      keeps_pattern_{keeps_pattern}
{
    this->compute(a);
}

template <typename V, typename I>
PolynomialSmoother<V, I>::PolynomialSmoother(const PolynomialSmoother& other) : PolynomialSmoother(other.get_executor())
{
    *this = other;
}

template <typename V, typename I>
auto PolynomialSmoother<V, I>::operator=(const PolynomialSmoother& other) -> PolynomialSmoother&
{
    if (this != &other) {
        Base::operator=(other);
        matrix_ = solver::detail::on_executor(this->get_executor(), other.matrix_);
        num_steps_ = other.num_steps_;
        diagonal_ = other.diagonal_;
        inverse_diagonal_ = other.inverse_diagonal_;
        known_spectrum_ = this->get_executor() == other.get_executor() ? other.known_spectrum_ : nullptr;
        keeps_pattern_ = other.keeps_pattern_;
        spectrum_ = other.spectrum_;
        workspace_ = {};
    }
    return *this;
}

template <typename V, typename I>
void PolynomialSmoother<V, I>::compute(const Csr& a)
{
    const auto exec = this->get_executor();
    const auto size = a.get_size()[0];
    kernels::multigrid::invert_diagonal<V, I>(*exec, a.get_const_values(), diagonal_.get_const_data(), size,
                                              inverse_diagonal_.get_data());
    if (known_spectrum_) {
        spectrum_ = *known_spectrum_;
        return;
    }
    auto& scale = workspace_.get().array_of<remove_complex<V>>("scale", exec, size);
    kernels::multigrid::scale_by_diagonal<V, I>(*exec, a.get_const_values(), diagonal_.get_const_data(), size,
                                                scale.get_data());
    spectrum_ = estimate_spectrum(a, scale, workspace_);
}

template <typename V, typename I>
void PolynomialSmoother<V, I>::refresh(std::shared_ptr<const LinOp> matrix)
{
    const auto exec = this->get_executor();
    const auto a = compact_csr<V, I>(exec, matrix);
    auto& found = workspace_.get().array_of<I>("found row", exec, 1);
    if (keeps_pattern_) {
        require_suitable_entries(*a, diagonal_, found, name_of_smoother);
    } else {
        find_suitable_diagonal(*a, name_of_smoother, diagonal_, found);
    }
    this->compute(*a);
    matrix_ = solver::detail::on_executor(exec, std::move(matrix));
}

template <typename V, typename I>
void PolynomialSmoother<V, I>::smooth(const LinOp* b, LinOp* x, bool from_zero, spruce::detail::Workspace::Impl& work,
                                      size_type number) const
{
    this->smooth_dense(as<const Dense>(b), as<Dense>(x), from_zero, work, number);
}

template <typename V, typename I>
void PolynomialSmoother<V, I>::smooth_by_itself(const Dense* b, Dense* x) const
{
    const spruce::detail::Workspace::exclusive_use use{workspace_, "a smoother's apply"};
    this->smooth_dense(b, x, false, workspace_.get(), 0);
}

template <typename V, typename I>
void PolynomialSmoother<V, I>::smooth_dense(const Dense* b, Dense* x, bool from_zero,
                                            spruce::detail::Workspace::Impl& work, size_type number) const
{
    using Real = remove_complex<V>;
    const auto exec = this->get_executor();
    const auto minus_one = work.constant({"smoother -one", number}, exec, -one<V>());
    const auto plus_one = work.constant({"smoother one", number}, exec, one<V>());
    const auto d = work.dense<V>({"smoother d", number}, exec, b->get_size());
    const auto rho = spectrum_.radius;
    // The Chebyshev iteration for an interval with this centre and half the length.
    const auto centre = rho * (1.1 + 0.125) / 2;
    const auto half_length = rho * (1.1 - 0.125) / 2;
    auto alpha = spectrum_.is_hermitian ? 1 / centre : 4 / (3 * rho);
    auto beta = 0.0;
    for (size_type step = 0; step < num_steps_; ++step) {
        const auto is_first = from_zero && step == 0;
        const auto* r = b;
        if (!is_first) {
            const auto residual = work.dense<V>({"smoother r", number}, exec, b->get_size());
            residual->copy_from(b);
            matrix_->apply(minus_one, x, plus_one, residual);
            r = residual;
        }
        if (step > 0 && spectrum_.is_hermitian) {
            const auto half = half_length * alpha / 2;
            const auto ratio = half * half * (step == 1 ? 2 : 1);
            const auto previous = alpha;
            alpha = 1 / (centre - ratio / previous);
            beta = alpha * ratio / previous;
        }
        kernels::multigrid::smoothing_step<V>(*exec, inverse_diagonal_.get_const_data(), *r, static_cast<Real>(alpha),
                                              static_cast<Real>(beta), is_first, *d, *x);
    }
}

template <typename V, typename I>
bool PolynomialSmoother<V, I>::has_static_launches() const
{
    return matrix_ && matrix_->launches_are_static();
}

template <typename V, typename I>
void PolynomialSmoother<V, I>::apply_impl(const LinOp* b, LinOp* x) const
{
    spruce::detail::dispatch_dense<V>([this](auto dense_b, auto dense_x) { this->smooth_by_itself(dense_b, dense_x); },
                                      b, x);
}

template <typename V, typename I>
void PolynomialSmoother<V, I>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const
{
    spruce::detail::dispatch_dense<V>(
        [this](auto dense_alpha, auto dense_b, auto dense_beta, auto dense_x) {
            const auto solution = clone(dense_x);
            this->smooth_by_itself(dense_b, solution.get());
            dense_x->scale(dense_beta);
            dense_x->add_scaled(dense_alpha, solution);
        },
        alpha, b, beta, x);
}

#define SPRUCE_POLYNOMIAL_SMOOTHER(_value, _index) class PolynomialSmoother<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_POLYNOMIAL_SMOOTHER);

}  // namespace spruce::multigrid::detail
