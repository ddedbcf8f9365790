// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Solves an unsymmetric system by Gmres with incomplete LU factors, whose triangular systems are
// solved by a few Jacobi sweeps: Ir with a diagonal preconditioner. Each sweep is a product with a
// sparse matrix, so that all rows are computed in parallel. The number of sweeps is fixed, so that
// the preconditioner is the same linear operator in each iteration. It is greater than 1, because
// Ilu starts from the right-hand side, which may be far from the solution.
// usage: ir-ilu-preconditioned-solver [EXECUTOR]

#include "../shared.hpp"

namespace {

using namespace example;
using gmres = spruce::solver::Gmres<double>;
using ir = spruce::solver::Ir<double>;
using jacobi = spruce::preconditioner::Jacobi<double, index_type>;
using par_ilu = spruce::factorization::ParIlu<double, index_type>;

/// Returns the Laplacian and a convection in y.
data_type convection_diffusion()
{
    constexpr index_type width = 30;
    auto data = laplacian(width);
    for (auto& entry : data.nonzeros) {
        entry.value += entry.column == entry.row ? 0.8 : entry.column == entry.row - width ? -0.8 : 0.0;
    }
    return data;
}

int solve(std::shared_ptr<spruce::Executor> exec)
{
    const auto data = convection_diffusion();
    const auto a = spruce::share(spruce::matrix::Csr<double, index_type>::create(exec));
    a->read(data);
    // All preconditioners share these factors.
    const auto factors = spruce::share(par_ilu::build().on(exec)->generate(a));

    const auto without = count_iterations<gmres>(data, a, nullptr);
    const auto exact = count_iterations<gmres>(
        data, a, spruce::share(spruce::preconditioner::Ilu<>::build().on(exec)->generate(factors)));
    std::cout << "iterations without preconditioner: " << without << ", with exact triangular solves: " << exact
              << "\n";
    auto good = 2 * exact < without;
    auto last = without;
    for (const unsigned sweeps : {2u, 3u, 5u, 8u}) {
        const auto solver = spruce::share(ir::build()
                                              .with_solver(jacobi::build().with_max_block_size(1u))
                                              .with_criteria(spruce::stop::Iteration::build().with_max_iters(sweeps))
                                              .on(exec));
        const auto preconditioner = spruce::share(
            spruce::preconditioner::Ilu<ir, ir>::build().with_l_solver(solver).with_u_solver(solver).on(exec)->generate(
                factors));
        const auto iterations = count_iterations<gmres>(data, a, preconditioner);
        std::cout << "iterations with " << sweeps << " Jacobi sweeps for each factor: " << iterations << "\n";
        good = good && iterations <= last;
        last = iterations;
    }
    return conclude(good && last <= exact + 2);
}

}  // namespace

int main(int argc, char* argv[]) { return run(argc, argv, solve); }
