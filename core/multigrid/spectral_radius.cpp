// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/multigrid/spectral_radius.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <spruce/matrix/dense.hpp>

#include "core/base/dispatch.hpp"
#include "core/base/instantiate.hpp"
#include "core/multigrid/multigrid_kernels.hpp"

namespace spruce::multigrid::detail {
namespace {

constexpr size_type num_steps = 10;
constexpr double safety_factor = 1.05;

/// Returns the number of eigenvalues of the tridiagonal matrix of this size that exceed x: the
/// number of negative pivots of x I - T.
size_type count_above(double x, size_type size, const std::vector<double>& diagonal,
                      const std::vector<double>& off_diagonal)
{
    size_type count{};
    double pivot = 1;
    for (size_type i = 0; i < size; ++i) {
        const auto coupling = i == 0 ? 0.0 : off_diagonal[i - 1];
        pivot = x - diagonal[i] - coupling * coupling / pivot;
        if (pivot == 0) {
            pivot = std::numeric_limits<double>::min();
        }
        count += pivot < 0 ? 1 : 0;
    }
    return count;
}

/// Performs the Lanczos method. The coefficients stay on the executor until the end.
template <typename V, typename I>
class Lanczos {
public:
    using Real = remove_complex<V>;
    using Vector = matrix::Dense<V>;
    using RealVector = matrix::Dense<Real>;

    Lanczos(const matrix::Csr<V, I>& a, const array<Real>& scale, spruce::detail::Workspace& workspace)
        : a_{a},
          scale_{scale},
          work_{workspace.get()},
          exec_{a.get_executor()},
          alphas_{work_.dense<V>("lanczos alphas", exec_, dim<2>{num_steps, 1})},
          betas_{work_.dense<Real>("lanczos betas", exec_, dim<2>{num_steps + 1, 1})},
          crossed_{work_.dense<V>("lanczos crossed", exec_, dim<2>{1, 1})}
    {}

    spectrum run()
    {
        const auto size = a_.get_size()[0];
        const auto steps = std::min(num_steps, size);
        const auto vector_of = [&](size_type i) {
            return work_.dense<V>({"lanczos vector", i % 3}, exec_, dim<2>{size, 1});
        };
        auto& reduction = work_.buffer<char>("lanczos reduction", exec_);
        kernels::multigrid::fill_random<V>(*exec_, *vector_of(0));
        vector_of(0)->compute_norm2(this->entry_of(betas_, 0), reduction);
        vector_of(0)->create_real_view()->inv_scale(this->entry_of(betas_, 0));
        crossed_->fill(zero<V>());
        // Real scalars multiply real views, because a complex vector would need a complex copy of
        // them.
        for (size_type j = 0; j < steps; ++j) {
            const auto v = vector_of(j);
            const auto previous = vector_of(j + 2);
            const auto w = vector_of(j + 1);
            this->multiply(v, w);
            v->compute_conj_dot(w, this->entry_of(alphas_, j), reduction);
            w->sub_scaled(this->entry_of(alphas_, j), v);
            if (j == 1) {
                previous->compute_conj_dot(w, crossed_, reduction);
            }
            if (j > 0) {
                w->create_real_view()->sub_scaled(this->entry_of(betas_, j), previous->create_real_view());
            }
            w->compute_norm2(this->entry_of(betas_, j + 1), reduction);
            w->create_real_view()->inv_scale(this->entry_of(betas_, j + 1));
        }
        return this->evaluate(steps);
    }

private:
    /// Computes w = D^-1/2 A D^-1/2 v.
    void multiply(const Vector* v, Vector* w)
    {
        const auto scaled = work_.dense<V>("lanczos scaled", exec_, v->get_size());
        kernels::multigrid::scale_rows<V>(*exec_, scale_.get_const_data(), *v, *scaled);
        a_.apply(scaled, w);
        kernels::multigrid::scale_rows<V>(*exec_, scale_.get_const_data(), *w, *w);
    }

    template <typename T>
    static std::unique_ptr<matrix::Dense<T>> entry_of(matrix::Dense<T>* column, size_type i)
    {
        return column->create_submatrix(span{i, i + 1}, span{0, 1});
    }

    spectrum evaluate(size_type steps)
    {
        const auto host = exec_->get_master();
        V alphas[num_steps];
        Real betas[num_steps + 1];
        host->copy_from(exec_, num_steps, alphas_->get_const_values(), alphas);
        host->copy_from(exec_, num_steps + 1, betas_->get_const_values(), betas);
        const auto crossed = spruce::real(exec_->copy_val_to_host(crossed_->get_const_values()));
        std::vector<double> diagonal(steps);
        std::vector<double> off_diagonal(steps);
        double largest_imaginary{};
        for (size_type j = 0; j < steps; ++j) {
            diagonal[j] = static_cast<double>(spruce::real(alphas[j]));
            off_diagonal[j] = static_cast<double>(betas[j + 1]);
            largest_imaginary = std::max(largest_imaginary, std::abs(static_cast<double>(spruce::imag(alphas[j]))));
        }
        // For a Hermitian matrix the entry above the diagonal of the projected matrix is equal to
        // the one below it. Only the first is compared, since later ones suffer from rounding
        // errors.
        const auto tolerance = std::sqrt(static_cast<double>(std::numeric_limits<Real>::epsilon()));
        const auto is_hermitian = !(largest_imaginary > tolerance * std::abs(diagonal[0])) &&
                                  (steps < 2 || !(std::abs(static_cast<double>(crossed) - off_diagonal[0]) >
                                                  tolerance * (std::abs(diagonal[0]) + off_diagonal[0])));
        if (is_hermitian) {
            // It is negative if A is complex and its diagonal is negative.
            const auto largest = largest_eigenvalue(diagonal, off_diagonal);
            if (largest > 0) {
                return {safety_factor * largest, true};
            }
        }
        return {this->largest_row_sum(), false};
    }

    double largest_row_sum()
    {
        const auto size = a_.get_size()[0];
        const auto absolute = a_.compute_absolute();
        const auto ones = RealVector::create(exec_, dim<2>{size, 1});
        const auto sums = RealVector::create(exec_, dim<2>{size, 1});
        ones->fill(one<Real>());
        absolute->apply(ones, sums);
        Real result{};
        kernels::multigrid::find_largest_scaled<Real>(*exec_, *sums, scale_.get_const_data(), result);
        return static_cast<double>(result);
    }

    const matrix::Csr<V, I>& a_;
    const array<Real>& scale_;
    spruce::detail::Workspace::Impl& work_;
    std::shared_ptr<const Executor> exec_;
    Vector* alphas_;
    RealVector* betas_;
    Vector* crossed_;
};

}  // namespace

double largest_eigenvalue(const std::vector<double>& diagonal, const std::vector<double>& off_diagonal)
{
    size_type size{};
    double high{};
    while (size < diagonal.size() && std::isfinite(diagonal[size])) {
        const auto left = size == 0 ? 0.0 : std::abs(off_diagonal[size - 1]);
        const auto right = std::isfinite(off_diagonal[size]) ? std::abs(off_diagonal[size]) : 0.0;
        high = size == 0 ? diagonal[0] + right : std::max(high, diagonal[size] + left + right);
        ++size;
        if (!std::isfinite(off_diagonal[size - 1]) || off_diagonal[size - 1] == 0) {
            break;
        }
    }
    if (size == 0) {
        return 0;
    }
    auto low = *std::max_element(diagonal.begin(), diagonal.begin() + static_cast<std::ptrdiff_t>(size));
    constexpr double accuracy = 1e-6;
    while (high - low > accuracy * std::max(std::abs(low), std::abs(high))) {
        const auto middle = low + (high - low) / 2;
        (count_above(middle, size, diagonal, off_diagonal) > 0 ? low : high) = middle;
    }
    return high;
}

template <typename V, typename I>
spectrum estimate_spectrum(const matrix::Csr<V, I>& a, const array<remove_complex<V>>& scale,
                           spruce::detail::Workspace& workspace)
{
    if (a.get_size()[0] == 0) {
        return {1.0, true};
    }
    return Lanczos<V, I>{a, scale, workspace}.run();
}

#define SPRUCE_ESTIMATE_SPECTRUM(_value, _index)                                   \
    spectrum estimate_spectrum<_value, _index>(const matrix::Csr<_value, _index>&, \
                                               const array<remove_complex<_value>>&, spruce::detail::Workspace&)
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_ESTIMATE_SPECTRUM);

}  // namespace spruce::multigrid::detail
