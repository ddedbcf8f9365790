// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Criteria after the first may be null.

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

    check(iterations(limit, none) == 2, "a null pointer");
    check(iterations(limit, nullptr) == 2, "nullptr");
    check(iterations(std::vector<std::shared_ptr<const gko::stop::CriterionFactory>>{limit, none}) == 2, "in a vector");
    check(iterations(gko::stop::Combined::build().with_criteria(limit, none)) == 2, "in Combined");
    check(gko::stop::combine({limit, none}) == limit, "in combine");
    check_throws<gko::NotSupported>([&] { iterations(none, none); }, "not all of them");
    check_throws<gko::NotSupported>([&] { iterations(none, limit); }, "not the first");
    return exit_status();
}
