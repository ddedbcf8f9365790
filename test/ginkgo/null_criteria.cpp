// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Solves with lists of criteria in which those after the first are null.

#include <ginkgo/ginkgo.hpp>

#include <memory>
#include <vector>

#include "check.hpp"

int main()
{
    using Dense = gko::matrix::Dense<double>;
    const auto exec = gko::ReferenceExecutor::create();
    const auto a = gko::share(gko::initialize<Dense>({{4.0, 1.0, 0.0}, {1.0, 3.0, 1.0}, {0.0, 1.0, 5.0}}, exec));
    const std::shared_ptr<const gko::stop::CriterionFactory> none;
    const std::shared_ptr<const gko::stop::CriterionFactory> limit =
        gko::stop::Iteration::build().with_max_iters(2u).on(exec);
    const auto iterations = [&](auto... criteria) {
        const auto log = gko::share(gko::log::Convergence<>::create());
        const auto solver = gko::solver::Cg<>::build().with_criteria(criteria...).on(exec)->generate(a);
        solver->add_logger(log);
        solver->apply(gko::initialize<Dense>({1.0, 2.0, 3.0}, exec), gko::initialize<Dense>({0.0, 0.0, 0.0}, exec));
        return log->get_num_iterations();
    };

    const std::vector<std::shared_ptr<const gko::stop::CriterionFactory>> list{limit, none};
    print("iterations with a limit of 2 and a null pointer", iterations(limit, none));
    print("iterations with a limit of 2 and nullptr", iterations(limit, nullptr));
    print("iterations with a vector of both", iterations(list));
    print("iterations with Combined", iterations(gko::stop::Combined::build().with_criteria(limit, none)));
    check(gko::stop::combine({limit, none}) == limit, "combine leaves out null pointers");
    print("null pointers alone throw", thrown_by([&] { iterations(none, none); }));
    print("a null pointer at first throws", thrown_by([&] { iterations(none, limit); }));
    return exit_status();
}
