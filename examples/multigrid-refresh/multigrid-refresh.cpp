// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Performs implicit Euler steps of u' = -A u for the 5-point Laplacian A, with step lengths from 1
// to 16: matrices I + step A of one pattern. The solver and its multigrid preconditioner are
// refreshed in one call, which keeps the aggregates and all patterns.
// usage: multigrid-refresh [EXECUTOR]

#include "../shared.hpp"

namespace {

using namespace example;
using csr = spruce::matrix::Csr<double, index_type>;
using dense = spruce::matrix::Dense<double>;

/// Returns I + step A on the executor.
std::shared_ptr<csr> create_matrix(std::shared_ptr<const spruce::Executor> exec, data_type data, double step)
{
    for (auto& entry : data.nonzeros) {
        entry.value = step * entry.value + (entry.row == entry.column ? 1 : 0);
    }
    auto result = spruce::share(csr::create(std::move(exec)));
    result->read(data);
    return result;
}

int solve(std::shared_ptr<spruce::Executor> exec)
{
    const auto data = laplacian(30);
    const auto size = data.size[0];
    const auto solver = spruce::solver::Cg<double>::build()
                            .with_criteria(spruce::stop::Iteration::build().with_max_iters(100u),
                                           spruce::stop::ResidualNorm<double>::build().with_reduction_factor(1e-8))
                            .with_preconditioner(spruce::solver::Multigrid::build())
                            .on(exec)
                            ->generate(create_matrix(exec, data, 1));
    const std::shared_ptr<spruce::log::Convergence<double>> log = spruce::log::Convergence<double>::create();
    solver->add_logger(log);
    const auto u = dense::create(exec, spruce::dim<2>(size, 1));
    const auto next = dense::create(exec, spruce::dim<2>(size, 1));
    u->fill(1.0);
    next->fill(0.0);
    auto good = true;
    for (const double step : {1.0, 2.0, 4.0, 8.0, 16.0}) {
        solver->refresh(create_matrix(exec, data, step));
        solver->apply(u, next);
        u->copy_from(next);
        std::cout << "step of length " << step << ": " << log->get_num_iterations() << " iterations\n";
        good = good && log->has_converged() && log->get_num_iterations() <= 20;
    }
    return conclude(good);
}

}  // namespace

int main(int argc, char* argv[]) { return run(argc, argv, solve); }
