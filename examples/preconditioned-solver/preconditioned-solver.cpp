// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Solves a badly scaled system by conjugate gradients, without a preconditioner and with the
// inverse of the diagonal as preconditioner. Any operator can be a preconditioner. It is passed
// either as an operator (with_generated_preconditioner) or as a factory (with_preconditioner).
// usage: preconditioned-solver [EXECUTOR]

#include "../shared.hpp"

namespace {

using namespace example;
using cg = spruce::solver::Cg<double>;

int solve(std::shared_ptr<spruce::Executor> exec)
{
    // Row and column i of the Laplacian are scaled by 1 + i mod 50.
    auto data = laplacian(20);
    for (auto& entry : data.nonzeros) {
        entry.value *= (1.0 + entry.row % 50) * (1.0 + entry.column % 50);
    }
    const auto a = spruce::share(spruce::matrix::Csr<double, index_type>::create(exec));
    a->read(data);
    const auto inverse = spruce::share(a->extract_diagonal());
    auto on_host = spruce::clone(exec->get_master(), inverse);
    for (spruce::size_type i = 0; i < data.size[0]; ++i) {
        on_host->get_values()[i] = 1.0 / on_host->get_values()[i];
    }
    inverse->copy_from(on_host);

    const auto b = wave(exec, data.size[0]);
    const auto log = spruce::share(spruce::log::Convergence<double>::create());
    auto solved = true;
    const auto iterations_with = [&](std::shared_ptr<const spruce::LinOp> preconditioner) {
        const auto solver = cg::build()
                                .with_criteria(spruce::stop::Iteration::build().with_max_iters(5000u),
                                               spruce::stop::ResidualNorm<double>::build().with_reduction_factor(1e-8))
                                .with_generated_preconditioner(preconditioner)
                                .on(exec)
                                ->generate(a);
        solver->add_logger(log);
        const auto x = vector::create(exec, b->get_size());
        x->fill(0.0);
        solver->apply(b, x);
        solved = solved && log->has_converged() && relative_residual(data, *b, *x) <= 1.1e-8;
        return log->get_num_iterations();
    };
    const auto plain = iterations_with(nullptr);
    const auto preconditioned = iterations_with(inverse);

    std::cout << "iterations without preconditioner: " << plain << ", with the diagonal's inverse: " << preconditioned
              << "\n";
    return conclude(solved && 4 * preconditioned < plain);
}

}  // namespace

int main(int argc, char* argv[]) { return run(argc, argv, solve); }
