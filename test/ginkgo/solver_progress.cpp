// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Shows the output of log::SolverProgress: a table, comma separated values, and files of vectors.

#include <ginkgo/ginkgo.hpp>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include "check.hpp"

using Dense = gko::matrix::Dense<double>;

// Performs Richardson iterations, each of which halves the residual 4.
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
    solve(gko::log::SolverProgress::create_scalar_table_writer(std::cout));
    solve(gko::log::SolverProgress::create_scalar_csv_writer(std::cout));
    solve(gko::log::SolverProgress::create_vector_storage("solver_progress_test_"));

    for (const std::string name : {"0_right_hand_side", "0_solution", "0_residual", "0_residual_norm", "1_solution",
                                   "1_residual", "1_residual_norm", "2_solution", "2_residual", "2_residual_norm"}) {
        const auto path = "solver_progress_test_" + name + ".mtx";
        std::ifstream file{path};
        const auto vector = gko::read_raw<double, int>(file);
        print(name, vector.nonzeros.at(0).value);
        file.close();
        std::remove(path.c_str());
    }
    return exit_status();
}
