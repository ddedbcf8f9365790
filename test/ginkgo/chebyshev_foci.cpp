// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Gives the foci of Chebyshev as two numbers and as a pair.

#include <ginkgo/ginkgo.hpp>

#include <cmath>
#include <utility>

#include "check.hpp"

int main()
{
    using Dense = gko::matrix::Dense<double>;
    const auto exec = gko::ReferenceExecutor::create();
    const auto parameters = gko::solver::Chebyshev<double>::build().with_foci(0.9, 1.1);
    const auto pair = gko::solver::Chebyshev<double>::build().with_foci(std::make_pair(0.9, 1.1));
    const auto single = gko::solver::Chebyshev<float>::build().with_foci(0.5, 2);
    const auto x = gko::initialize<Dense>({0.0, 0.0}, exec);

    gko::solver::Chebyshev<double>::build()
        .with_foci(0.9, 1.1)
        .with_criteria(gko::stop::Iteration::build().with_max_iters(30u))
        .on(exec)
        ->generate(gko::share(gko::initialize<Dense>({{0.9, 0.0}, {0.0, 1.1}}, exec)))
        ->apply(gko::initialize<Dense>({0.9, 2.2}, exec), x);

    print("foci as two numbers", parameters.foci.first, parameters.foci.second);
    print("foci as a pair", pair.foci.first, pair.foci.second);
    print("foci as numbers of other types", single.foci.first, single.foci.second);
    check(std::abs(x->at(0, 0) - 1.0) < 1e-14 && std::abs(x->at(1, 0) - 2.0) < 1e-14, "solves the system");
    return exit_status();
}
