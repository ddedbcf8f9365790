// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Shows a matrix that is not stored: the stencil (-1, 2, -1), with its own kernels for each kind of
// executor. The system is solved by conjugate gradients.
// usage: custom-matrix-format [reference|omp|cuda|hip]

#include "../shared.hpp"
#include "stencil.hpp"

namespace {

using namespace example;

/// Computes the second difference of a vector that is zero beyond its ends.
class Stencil : public spruce::EnableLinOp<Stencil>, public spruce::EnableCreateMethod<Stencil> {
public:
    explicit Stencil(std::shared_ptr<const spruce::Executor> exec, spruce::size_type n = 0)
        : EnableLinOp<Stencil>(exec, spruce::dim<2>(n, n))
    {}

protected:
    /// Computes x = A b. A solver passes vectors on the executor of the operator.
    void apply_impl(const spruce::LinOp* b, spruce::LinOp* x) const override
    {
        const auto from = spruce::as<vector>(b);
        const auto to = spruce::as<vector>(x);
        const vectors data{static_cast<int>(this->get_size()[0]),
                           static_cast<int>(from->get_size()[1]),
                           from->get_const_values(),
                           static_cast<int>(from->get_stride()),
                           to->get_values(),
                           static_cast<int>(to->get_stride())};
        const auto exec = this->get_executor();
        exec->run(
            "stencil::multiply",
            [&] {
                for (int row = 0; row < data.num_rows; ++row) {
                    multiply_row(data, row);
                }
            },
            [&] {
#pragma omp parallel for
                for (int row = 0; row < data.num_rows; ++row) {
                    multiply_row(data, row);
                }
            },
            [&] {
#ifdef EXAMPLE_WITH_CUDA
                multiply_on(*spruce::as<spruce::CudaExecutor>(exec), data);
#else
                throw spruce::NotSupported(__FILE__, __LINE__, "stencil::multiply", "a build without CUDA");
#endif
            },
            [&] {
#ifdef EXAMPLE_WITH_HIP
                multiply_on(*spruce::as<spruce::HipExecutor>(exec), data);
#else
                throw spruce::NotSupported(__FILE__, __LINE__, "stencil::multiply", "a build without HIP");
#endif
            },
            [&] { throw spruce::NotSupported(__FILE__, __LINE__, "stencil::multiply", "SYCL"); });
    }

    /// Computes x = alpha A b + beta x.
    void apply_impl(const spruce::LinOp* alpha, const spruce::LinOp* b, const spruce::LinOp* beta,
                    spruce::LinOp* x) const override
    {
        const auto product = spruce::clone(spruce::as<vector>(b));
        this->apply_impl(b, product.get());
        spruce::as<vector>(x)->scale(beta);
        spruce::as<vector>(x)->add_scaled(alpha, product);
    }
};

int solve(std::shared_ptr<spruce::Executor> exec)
{
    constexpr spruce::size_type n = 200;
    const auto a = spruce::share(Stencil::create(exec, n));
    const auto b = vector::create(exec, spruce::dim<2>(n, 1));
    const auto x = vector::create(exec, spruce::dim<2>(n, 1));
    b->fill(1.0);
    x->fill(0.0);
    const auto solver = spruce::solver::Cg<double>::build()
                            .with_criteria(spruce::stop::Iteration::build().with_max_iters(1000u),
                                           spruce::stop::ResidualNorm<double>::build().with_reduction_factor(1e-12))
                            .on(exec)
                            ->generate(a);

    solver->apply(b, x);

    // The solution is known: a parabola.
    const auto on_host = spruce::clone(exec->get_master(), x);
    double error{};
    for (spruce::size_type i = 0; i < n; ++i) {
        const auto expected = 0.5 * static_cast<double>((i + 1) * (n - i));
        const auto here = std::abs(on_host->at(i, 0) - expected) / expected;
        error = here <= error ? error : here;  // NaN counts as an error
    }
    std::cout << "in the middle " << on_host->at(n / 2, 0) << ", largest relative error " << error << "\n";
    return conclude(error < 1e-8);
}

}  // namespace

int main(int argc, char* argv[]) { return run(argc, argv, solve); }
