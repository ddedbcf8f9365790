// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Shows iterative refinement in two precisions. Conjugate gradients in single precision compute
// corrections with half the bytes. The residuals are computed in double precision, so the solution
// becomes as accurate as one that is computed entirely in double precision.
// usage: iterative-refinement [EXECUTOR]

#include "../shared.hpp"

namespace {

using namespace example;

int solve(std::shared_ptr<spruce::Executor> exec)
{
    const auto data = laplacian(40);
    const auto a = spruce::share(spruce::matrix::Csr<double, index_type>::create(exec));
    a->read(data);
    const auto single_a = spruce::share(spruce::matrix::Csr<float, index_type>::create(exec));
    single_a->copy_from(a);  // converts
    const auto inner =
        spruce::share(spruce::solver::Cg<float>::build()
                          .with_criteria(spruce::stop::Iteration::build().with_max_iters(500u),
                                         spruce::stop::ResidualNorm<float>::build().with_reduction_factor(1e-3f))
                          .on(exec)
                          ->generate(single_a));
    const auto solver = spruce::solver::Ir<double>::build()
                            .with_generated_solver(inner)
                            .with_criteria(spruce::stop::Iteration::build().with_max_iters(20u),
                                           spruce::stop::ResidualNorm<double>::build().with_reduction_factor(1e-13))
                            .on(exec)
                            ->generate(a);
    const auto log = spruce::share(spruce::log::Convergence<double>::create());
    solver->add_logger(log);
    const auto b = wave(exec, data.size[0]);
    const auto x = vector::create(exec, b->get_size());
    x->fill(0.0);

    solver->apply(b, x);

    const auto residual = relative_residual(data, *b, *x);
    std::cout << "steps in double precision: " << log->get_num_iterations() << ", ||b - A x|| / ||b||: " << residual
              << "\n";
    return conclude(log->has_converged() && log->get_num_iterations() < 20 && residual < 1.1e-13);
}

}  // namespace

int main(int argc, char* argv[]) { return run(argc, argv, solve); }
