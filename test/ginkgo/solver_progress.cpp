// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Checks what log::SolverProgress writes.

#include <ginkgo/ginkgo.hpp>

#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "check.hpp"

using Dense = gko::matrix::Dense<double>;

// Richardson's iteration, by which the residual 4 is halved in each step.
static void solve(std::shared_ptr<const gko::log::Logger> logger)
{
    const auto exec = gko::ReferenceExecutor::create();
    const auto solver = gko::solver::Ir<>::build()
                            .with_criteria(gko::stop::Iteration::build().with_max_iters(2u))
                            .on(exec)
                            ->generate(gko::share(gko::initialize<Dense>({0.5}, exec)));
    solver->add_logger(logger);
    solver->apply(gko::initialize<Dense>({4.0}, exec), gko::initialize<Dense>({0.0}, exec));
}

int main()
{
    std::ostringstream table;
    std::ostringstream csv;

    solve(gko::log::SolverProgress::create_scalar_table_writer(table));
    solve(gko::log::SolverProgress::create_scalar_csv_writer(csv));
    solve(gko::log::SolverProgress::create_vector_storage("solver_progress_test_"));

    check(table.str() ==
              "   iteration residual_norm\n"
              "           0             4\n"
              "           1             2\n"
              "           2             1\n",
          "a table");
    check(csv.str() == "iteration,residual_norm\n0,4\n1,2\n2,1\n", "comma separated values");
    for (const std::string name : {"0_right_hand_side", "0_solution", "0_residual", "0_residual_norm", "1_solution",
                                   "1_residual", "1_residual_norm", "2_solution", "2_residual", "2_residual_norm"}) {
        const auto path = "solver_progress_test_" + name + ".mtx";
        std::ifstream file{path};
        const auto vector = gko::read_raw<double, int>(file);
        check(name != "2_solution" || vector.nonzeros.at(0).value == 6.0, "the solution of the last iteration");
        file.close();
        std::remove(path.c_str());
    }
    return exit_status();
}
