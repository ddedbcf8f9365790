// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Solves an unsymmetric system by Bicgstab with incomplete LU factors. The systems with the factors
// are solved exactly or, which has more parallelism, approximately by a few Jacobi iterations. New
// values on the same pattern do not repeat the analysis of the factorization.
// usage: ilu-preconditioned-solver [EXECUTOR]

#include "../shared.hpp"

namespace {

using namespace example;
using bicgstab = spruce::solver::Bicgstab<double>;
using ir = spruce::solver::Ir<double>;
using jacobi = spruce::preconditioner::Jacobi<double, index_type>;
using ilu = spruce::factorization::Ilu<double, index_type>;

/// Returns the Laplacian and a convection in x of this strength.
data_type convection_diffusion(double strength)
{
    auto data = laplacian(30);
    for (auto& entry : data.nonzeros) {
        entry.value += entry.column == entry.row ? strength : entry.column == entry.row - 1 ? -strength : 0.0;
    }
    return data;
}

int solve(std::shared_ptr<spruce::Executor> exec)
{
    const auto data = convection_diffusion(1.0);
    const auto a = spruce::share(spruce::matrix::Csr<double, index_type>::create(exec));
    a->read(data);

    const auto exact =
        spruce::share(spruce::preconditioner::Ilu<>::build().with_factorization(ilu::build()).on(exec)->generate(a));
    const auto five_steps = spruce::share(ir::build()
                                              .with_solver(jacobi::build().with_max_block_size(1u))
                                              .with_criteria(spruce::stop::Iteration::build().with_max_iters(5u))
                                              .on(exec));
    const auto approximate = spruce::share(spruce::preconditioner::Ilu<ir, ir>::build()
                                               .with_factorization(ilu::build())
                                               .with_l_solver(five_steps)
                                               .with_u_solver(five_steps)
                                               .on(exec)
                                               ->generate(a));
    const auto without = count_iterations<bicgstab>(data, a, nullptr);
    const auto with_exact = count_iterations<bicgstab>(data, a, exact);
    const auto with_approximate = count_iterations<bicgstab>(data, a, approximate);
    std::cout << "iterations without preconditioner: " << without << ", with exact solves: " << with_exact
              << ", with five Jacobi steps: " << with_approximate << "\n";

    const auto new_data = convection_diffusion(2.0);
    const auto new_a = spruce::share(spruce::matrix::Csr<double, index_type>::create(exec));
    new_a->read(new_data);
    exact->refresh(new_a);
    const auto refreshed = count_iterations<bicgstab>(new_data, new_a, exact);
    std::cout << "iterations with new values: " << refreshed << "\n";
    return conclude(2 * with_exact < without && with_approximate < without && refreshed < without);
}

}  // namespace

int main(int argc, char* argv[]) { return run(argc, argv, solve); }
