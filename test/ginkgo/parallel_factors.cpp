// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Factorizes a matrix by sweeps, with and without fill-in, and applies approximate inverses.

#include <ginkgo/ginkgo.hpp>

#include <cmath>
#include <memory>

#include "check.hpp"

namespace {

using Csr = gko::matrix::Csr<double, int>;
using Vec = gko::matrix::Dense<double>;
using LowerIsai = gko::preconditioner::LowerIsai<double, int>;
using UpperIsai = gko::preconditioner::UpperIsai<double, int>;
using GeneralIsai = gko::preconditioner::GeneralIsai<double, int>;
using SpdIsai = gko::preconditioner::SpdIsai<double, int>;

constexpr int size = 4;

/// Prints the rows of an operator of the size of the test matrix.
void print_rows(const std::string& name, const gko::LinOp& op)
{
    const auto exec = op.get_executor();
    const auto identity = gko::initialize<Vec>(
        {{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}, {0.0, 0.0, 0.0, 1.0}}, exec);
    const auto rows = gko::clone(identity);
    op.apply(identity, rows);
    for (int i = 0; i < size; ++i) {
        const auto rounded = [&](int j) { return std::round(1e4 * rows->at(i, j)) / 1e4 + 0.0; };
        print(name, rounded(0), rounded(1), rounded(2), rounded(3));
    }
}

/// Prints the number of iterations that a solver needs with the preconditioner.
void solve(const char* name, std::shared_ptr<const gko::LinOp> a, std::shared_ptr<const gko::LinOpFactory> factory)
{
    const auto exec = a->get_executor();
    const auto b = gko::initialize<Vec>({1.0, 2.0, 3.0, 4.0}, exec);
    const auto x = gko::initialize<Vec>({0.0, 0.0, 0.0, 0.0}, exec);
    const auto solver = gko::solver::Bicgstab<double>::build()
                            .with_criteria(gko::stop::Iteration::build().with_max_iters(20u),
                                           gko::stop::ResidualNorm<double>::build().with_reduction_factor(1e-10))
                            .with_preconditioner(factory)
                            .on(exec)
                            ->generate(a);
    const auto log = gko::share(gko::log::Convergence<double>::create());
    solver->add_logger(log);

    solver->apply(b, x);

    check(log->has_converged(), name);
    print(name, log->get_num_iterations());
}

}  // namespace

int main()
{
    const auto exec = gko::ReferenceExecutor::create();
    const auto a = gko::share(gko::initialize<Csr>(
        {{4.0, -1.0, 0.0, -1.0}, {-1.0, 4.0, -1.0, 0.0}, {0.0, -1.0, 4.0, -1.0}, {-1.0, 0.0, -1.0, 4.0}}, exec));

    const auto lu = gko::factorization::ParIlu<double, int>::build()
                        .with_iterations(5u)
                        .with_skip_sorting(true)
                        .with_l_strategy(std::make_shared<Csr::classical>())
                        .with_u_strategy(std::make_shared<Csr::classical>())
                        .on(exec)
                        ->generate(a);
    print_rows("L by sweeps", *lu->get_l_factor());
    print_rows("U by sweeps", *lu->get_u_factor());
    const auto ll = gko::factorization::ParIc<double, int>::build().with_both_factors(true).on(exec)->generate(a);
    check(gko::as<gko::Composition<double>>(ll.get())->get_operators().size() == 2, "L and L^T");
    print_rows("L of ParIc", *ll->get_l_factor());
    const auto lut = gko::factorization::ParIlut<double, int>::build()
                         .with_iterations(8u)
                         .with_fill_in_limit(1.5)
                         .with_approximate_select(false)
                         .with_deterministic_sample(true)
                         .on(exec)
                         ->generate(a);
    print_rows("L with fill-in", *lut->get_l_factor());
    print_rows("U with fill-in", *lut->get_u_factor());
    const auto llt = gko::factorization::ParIct<double, int>::build().with_fill_in_limit(1.5).on(exec)->generate(a);
    print_rows("L of ParIct", *llt->get_l_factor());
    check(llt->get_lt_factor()->get_num_stored_elements() == llt->get_l_factor()->get_num_stored_elements(),
          "the transpose of L");

    const std::shared_ptr<const Csr> inverse =
        LowerIsai::build().with_sparsity_power(2).on(exec)->generate(a)->get_approximate_inverse();
    print("entries of the inverse of the lower triangle", inverse->get_num_stored_elements());
    print_rows("inverse of the upper triangle", *UpperIsai::build().with_skip_sorting(true).on(exec)->generate(a));
    print_rows("general inverse", *GeneralIsai::build().with_excess_limit(0u).on(exec)->generate(a));
    const std::shared_ptr<const gko::Composition<double>> product =
        SpdIsai::build().with_excess_solver_reduction(1e-6).on(exec)->generate(a)->get_approximate_inverse();
    print_rows("factorized inverse", *product);

    using Lower = gko::solver::LowerTrs<double, int>;
    solve("Ilu by sweeps", a,
          gko::preconditioner::Ilu<Lower>::build()
              .with_factorization(gko::factorization::ParIlu<double, int>::build())
              .on(exec));
    solve("Ilu with fill-in", a,
          gko::preconditioner::Ilu<Lower>::build()
              .with_factorization(gko::factorization::ParIlut<double, int>::build().with_fill_in_limit(2.0))
              .on(exec));
    solve("Ic by sweeps", a,
          gko::preconditioner::Ic<Lower>::build()
              .with_factorization(gko::factorization::ParIc<double, int>::build())
              .on(exec));
    solve("Ilu with Isai", a, gko::preconditioner::Ilu<LowerIsai, UpperIsai>::build().on(exec));
    solve("Ic with Isai", a, gko::preconditioner::Ic<LowerIsai>::build().on(exec));
    solve("GeneralIsai", a, GeneralIsai::build().on(exec));
    solve("SpdIsai", a, SpdIsai::build().on(exec));
    return exit_status();
}
