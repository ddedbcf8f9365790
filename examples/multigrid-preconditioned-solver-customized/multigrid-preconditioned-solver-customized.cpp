// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Chooses the levels, the smoother, the solver on the coarsest level and the cycle of a multigrid
// preconditioner, and compares iterations. Fcg is used because ten steps of Cg on the coarsest
// level are not a linear operator, so that the preconditioner varies. usage:
// multigrid-preconditioned-solver-customized [EXECUTOR]

#include "../shared.hpp"

namespace {

using namespace example;
using fcg = spruce::solver::Fcg<double>;
using jacobi = spruce::preconditioner::Jacobi<double, index_type>;

int solve(std::shared_ptr<spruce::Executor> exec)
{
    const auto data = laplacian(32);
    const auto a = spruce::share(spruce::matrix::Csr<double, index_type>::create(exec));
    a->read(data);
    // Two steps x = x + 0.8 D^-1 (b - A x) before and after each correction.
    const auto smoother = spruce::share(spruce::solver::build_smoother<double>(
        spruce::share(jacobi::build().with_max_block_size(1u).on(exec)), 2u, 0.8));
    const auto build = [&](const auto& level, spruce::multigrid::cycle cycle) {
        return spruce::share(spruce::solver::Multigrid::build()
                                 .with_mg_level(level)
                                 .with_pre_smoother(smoother)
                                 .with_coarsest_solver(spruce::solver::Cg<double>::build().with_criteria(
                                     spruce::stop::Iteration::build().with_max_iters(10u)))
                                 .with_min_coarse_rows(30u)
                                 .with_cycle(cycle)
                                 .on(exec)
                                 ->generate(a));
    };
    const auto sa = spruce::multigrid::Sa<double, index_type>::build().with_strength_threshold(0.05);
    const auto pgm = spruce::multigrid::Pgm<double, index_type>::build();

    const auto without = count_iterations<fcg>(data, a, nullptr);
    const auto smoothed = count_iterations<fcg>(data, a, build(sa, spruce::multigrid::cycle::v));
    const auto pairs = count_iterations<fcg>(data, a, build(pgm, spruce::multigrid::cycle::v));
    const auto pairs_w = count_iterations<fcg>(data, a, build(pgm, spruce::multigrid::cycle::w));

    std::cout << "iterations without preconditioner: " << without << "\n"
              << "with smoothed aggregation: " << smoothed << "\n"
              << "with pairwise aggregation: " << pairs << ", with W-cycles: " << pairs_w << "\n";
    return conclude(smoothed < pairs && pairs_w <= pairs && pairs < without);
}

}  // namespace

int main(int argc, char* argv[]) { return run(argc, argv, solve); }
