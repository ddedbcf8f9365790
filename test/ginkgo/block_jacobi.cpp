// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Solves with block-Jacobi in full and in adaptive precision for several right-hand sides, with the
// transposed system, and with the scalar Jacobi as an inner solver.

#include <ginkgo/ginkgo.hpp>

#include <cmath>
#include <memory>

#include "check.hpp"

namespace {

using Csr = gko::matrix::Csr<double, int>;
using Vec = gko::matrix::Dense<double>;
using Jacobi = gko::preconditioner::Jacobi<double, int>;

/// Prints the number of iterations of a solver, and checks its result for two right-hand sides.
void solve(const char* name, const gko::LinOp* a, gko::solver::Bicgstab<double>* solver)
{
    const auto exec = a->get_executor();
    const auto b = gko::initialize<Vec>({{1.0, 4.0}, {2.0, 3.0}, {3.0, 2.0}, {4.0, 1.0}}, exec);
    const auto x = Vec::create(exec, b->get_size());
    x->fill(0.0);
    const std::shared_ptr<gko::log::Convergence<double>> log = gko::log::Convergence<double>::create();
    solver->add_logger(log);

    solver->apply(b, x);

    solver->remove_logger(log);
    print(name, log->has_converged(), log->get_num_iterations() <= 4);
    a->apply(gko::initialize<Vec>({-1.0}, exec), x, gko::initialize<Vec>({1.0}, exec), b);
    const auto norms = Vec::create(exec, gko::dim<2>{1, 2});
    b->compute_norm2(norms);
    check(norms->at(0, 0) < 1e-8 && norms->at(0, 1) < 1e-8, name);
}

}  // namespace

int main()
{
    const auto exec = gko::ReferenceExecutor::create();
    const auto a = gko::share(gko::initialize<Csr>(
        {{4.0, -1.0, 0.5, 0.0}, {-2.0, 4.0, 0.0, 0.5}, {0.5, 0.0, 4.0, -1.0}, {0.0, 0.5, -2.0, 4.0}}, exec));
    const auto factory_with = [&](std::shared_ptr<const gko::LinOpFactory> preconditioner) {
        return gko::solver::Bicgstab<double>::build()
            .with_criteria(gko::stop::Iteration::build().with_max_iters(50u),
                           gko::stop::ResidualNorm<double>::build().with_reduction_factor(1e-12))
            .with_preconditioner(preconditioner)
            .on(exec);
    };
    const std::shared_ptr<gko::LinOpFactory> blocks = Jacobi::build()
                                                          .with_max_block_size(2u)
                                                          .with_block_pointers(gko::array<int>(exec, {0, 2, 4}))
                                                          .with_skip_sorting(true)
                                                          .on(exec);
    const std::shared_ptr<gko::LinOpFactory> adaptive =
        Jacobi::build()
            .with_max_block_size(2u)
            .with_storage_optimization(gko::precision_reduction::autodetect())
            .with_accuracy(1e-2)
            .on(exec);

    const auto solver = factory_with(blocks)->generate(a);
    solve("blocks", a.get(), solver.get());
    const auto transposed = gko::as<gko::solver::Bicgstab<double>>(solver->transpose());
    solve("transposed", gko::as<Csr>(a->transpose()).get(), transposed.get());
    solve("adaptive", a.get(), factory_with(adaptive)->generate(a).get());

    const auto jacobi = gko::as<Jacobi>(blocks->generate(a));
    print("blocks of Jacobi", jacobi->get_num_blocks());
    const auto again = jacobi->get_parameters().on(exec)->generate(a);
    const auto dense = Vec::create(exec);
    again->convert_to(dense);
    print("inverse", std::round(1000 * dense->at(0, 0)), std::round(1000 * dense->at(1, 0)), dense->at(0, 2));
    const auto chosen = gko::as<Jacobi>(adaptive->generate(a))->get_parameters().storage_optimization;
    print("format of the first block", chosen.is_block_wise, chosen.block_wise.get_const_data()[0]);

    const auto smoother = gko::solver::build_smoother(
        gko::share(Jacobi::build().with_max_block_size(1u).with_aggregate_l1(true).on(exec)), 20u, 1.0);
    const auto b = gko::initialize<Vec>({1.0, 1.0, 1.0, 1.0}, exec);
    const auto x = gko::clone(b);
    smoother->generate(a)->apply(b, x);
    a->apply(gko::initialize<Vec>({-1.0}, exec), x, gko::initialize<Vec>({1.0}, exec), b);
    print("smoothed", std::abs(b->at(0, 0)) < 0.1);
    return exit_status();
}
