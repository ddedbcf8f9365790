// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Factorizes a matrix without fill-in, and solves with the factors as a preconditioner.

#include <ginkgo/ginkgo.hpp>

#include <cmath>
#include <memory>

#include "check.hpp"

namespace {

using Csr = gko::matrix::Csr<double, int>;
using Vec = gko::matrix::Dense<double>;
using Lower = gko::solver::LowerTrs<double, int>;
using Upper = gko::solver::UpperTrs<double, int>;

/// Solves A x = b with the preconditioner, and prints the number of iterations.
void solve(const char* name, std::shared_ptr<const gko::LinOp> a, std::shared_ptr<const gko::LinOp> preconditioner)
{
    const auto exec = a->get_executor();
    const auto b = gko::initialize<Vec>({1.0, 2.0, 3.0, 4.0}, exec);
    const auto x = gko::initialize<Vec>({0.0, 0.0, 0.0, 0.0}, exec);
    const auto residual = gko::clone(b);
    const auto solver = gko::solver::Cg<double>::build()
                            .with_criteria(gko::stop::Iteration::build().with_max_iters(20u),
                                           gko::stop::ResidualNorm<double>::build().with_reduction_factor(1e-10))
                            .with_generated_preconditioner(preconditioner)
                            .on(exec)
                            ->generate(a);
    const auto log = gko::share(gko::log::Convergence<double>::create());
    solver->add_logger(log);

    solver->apply(b, x);

    print(name, log->get_num_iterations());
    a->apply(gko::initialize<Vec>({-1.0}, exec), x, gko::initialize<Vec>({1.0}, exec), residual);
    for (int i = 0; i < 4; ++i) {
        check(std::abs(residual->at(i, 0)) < 1e-8, name);
    }
}

}  // namespace

int main()
{
    const auto exec = gko::ReferenceExecutor::create();
    const auto a = gko::share(gko::initialize<Csr>(
        {{4.0, -1.0, 0.0, 0.0}, {-1.0, 4.0, -1.0, 0.0}, {0.0, -1.0, 4.0, -1.0}, {0.0, 0.0, -1.0, 4.0}}, exec));
    const auto ilu = gko::factorization::Ilu<double, int>::build()
                         .with_skip_sorting(true)
                         .with_algorithm(gko::factorization::incomplete_algorithm::syncfree)
                         .on(exec);
    const auto ic = gko::factorization::Ic<double, int>::build().with_both_factors(false).on(exec);

    const auto product = gko::as<gko::Composition<double>>(ilu->generate(a));
    check(product->get_operators().size() == 2, "L and U");
    print("entries of L", ilu->generate(a)->get_l_factor()->get_num_stored_elements());
    print("entries of U", ilu->generate(a)->get_u_factor()->get_num_stored_elements());
    print("entries of L^T", ic->generate(a)->get_lt_factor()->get_num_stored_elements());

    solve("Ilu", a, gko::share(gko::preconditioner::Ilu<>::build().on(exec)->generate(a)));
    solve("Ilu of given factors", a,
          gko::share(
              gko::preconditioner::Ilu<Lower, Upper, false>::build().on(exec)->generate(gko::share(ilu->generate(a)))));
    solve("Ilu with factories", a,
          gko::share(gko::preconditioner::Ilu<double, double>::build()
                         .with_factorization(gko::factorization::Ilu<double, int>::build())
                         .with_l_solver(Lower::build().with_unit_diagonal(true))
                         .with_u_solver(Upper::build())
                         .on(exec)
                         ->generate(a)));
    solve(
        "Ic", a,
        gko::share(
            gko::preconditioner::Ic<Lower>::build().with_factorization(gko::share(ic->clone())).on(exec)->generate(a)));

    using Factorization = gko::experimental::factorization::Factorization<double, int>;
    const auto packed = Factorization::create_from_combined_lu(gko::initialize<Csr>({{2.0, 1.0}, {3.0, 4.0}}, exec));
    const auto separate = packed->unpack();
    check(separate->get_storage_type() == gko::experimental::factorization::storage_type::composition,
          "separate factors");
    print("entries of U in one matrix", separate->get_upper_factor()->get_num_stored_elements());
    return exit_status();
}
