// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Solves a badly scaled system by conjugate gradients with several preconditioners. Any operator
// can be a preconditioner. It is passed either as an operator (with_generated_preconditioner) or as
// a factory (with_preconditioner), which generates it from the matrix of the solver.
// usage: preconditioned-solver [EXECUTOR]

#include "../shared.hpp"

namespace {

using namespace example;
using cg = spruce::solver::Cg<double>;
using csr = spruce::matrix::Csr<double, index_type>;
using jacobi = spruce::preconditioner::Jacobi<double, index_type>;
using ic = spruce::preconditioner::Ic<spruce::solver::LowerTrs<double, index_type>>;

int solve(std::shared_ptr<spruce::Executor> exec)
{
    // Row and column i of the Laplacian are scaled by 1 + i mod 50.
    auto data = laplacian(20);
    for (auto& entry : data.nonzeros) {
        entry.value *= (1.0 + entry.row % 50) * (1.0 + entry.column % 50);
    }
    const auto a = spruce::share(csr::create(exec));
    a->read(data);

    const auto none = count_iterations<cg>(data, a, nullptr);
    const auto diagonal = count_iterations<cg>(data, a, jacobi::build().with_max_block_size(1u).on(exec)->generate(a));
    const auto blocks = count_iterations<cg>(data, a, jacobi::build().with_max_block_size(16u).on(exec)->generate(a));
    const auto cholesky = count_iterations<cg>(data, a, ic::build().on(exec)->generate(a));
    std::cout << "iterations without preconditioner: " << none << ", with the diagonal: " << diagonal
              << ", with diagonal blocks: " << blocks << ", with incomplete Cholesky factors: " << cholesky << "\n";

    // The solver generates this preconditioner from its matrix.
    const auto solver = cg::build()
                            .with_criteria(spruce::stop::Iteration::build().with_max_iters(5000u),
                                           spruce::stop::ResidualNorm<double>::build().with_reduction_factor(1e-8))
                            .with_preconditioner(jacobi::build().with_max_block_size(16u))
                            .on(exec)
                            ->generate(a);
    const auto b = wave(exec, data.size[0]);
    const auto x = vector::create(exec, b->get_size());
    x->fill(0.0);
    solver->apply(b, x);
    return conclude(4 * diagonal < none && blocks < diagonal && cholesky < blocks &&
                    relative_residual(data, *b, *x) <= 1.1e-8);
}

}  // namespace

int main(int argc, char* argv[]) { return run(argc, argv, solve); }
