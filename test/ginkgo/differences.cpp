// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Shows intended differences from the interface that applications are written for, see
// doc/compatibility.md.

#include <ginkgo/ginkgo.hpp>

#include <cmath>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "check.hpp"

using Dense = gko::matrix::Dense<double>;
using Csr = gko::matrix::Csr<double, int>;
using Executor = std::shared_ptr<gko::Executor>;

static void show_solvers(const Executor& exec)
{
    const auto a = gko::share(gko::initialize<Csr>({{2.0, 0.0}, {0.0, 2.0}}, exec));
    const auto factory = gko::solver::Cg<>::build()
                             .with_criteria(gko::stop::ResidualNorm<>::build().with_reduction_factor(1e-6),
                                            gko::stop::Iteration::build().with_max_iters(1000u))
                             .on(exec);
    const auto solver = factory->generate(a);
    const auto other = solver->create_default();
    const auto nothing = Dense::create(exec, gko::dim<2>{0, 1});
    print("an empty solver applied to vectors without rows throws", thrown_by([&] { other->apply(nothing, nothing); }));

    other->move_from(solver);
    print("a solver that was moved from has a matrix", solver->get_system_matrix() != nullptr);
    print("size of a solver that was moved from", solver->get_size());
    check(other->get_system_matrix() == a, "the matrix has moved");

    const auto log = gko::share(gko::log::Convergence<>::create());
    other->add_logger(log);
    other->apply(gko::initialize<Dense>({std::nan(""), 1.0}, exec), gko::initialize<Dense>({0.0, 0.0}, exec));
    print("iterations if b holds NaN", log->get_num_iterations());
    print("converged if b holds NaN", log->has_converged());
}

// Prints properties that do not depend on the presence of a device.
static void show_executors(const Executor& exec)
{
    const auto num_devices = gko::CudaExecutor::get_num_devices();
    const auto thrown = thrown_by([&] { gko::CudaExecutor::create(0, exec); });
    print("the number of CUDA devices is known", num_devices >= 0);
    print("CudaExecutor::create throws if there is no device",
          num_devices > 0 ? thrown == "nothing" : thrown == "NotCompiled" || thrown == "CudaError");
}

static void show_matrices(const Executor& exec)
{
    print("a stride below the columns throws", thrown_by([&] { Dense::create(exec, gko::dim<2>{3, 3}, 2); }));

    const auto a = gko::initialize<Csr>({{1.0, 2.0}, {3.0, 4.0}}, exec);
    const gko::index_set<int> no_rows{exec};
    const gko::index_set<int> first_column{exec, 2, gko::array<int>{exec, {0}}};
    print("size of a sub-matrix of no rows and one column", a->create_submatrix(no_rows, first_column)->get_size());

    gko::array<int> rows{exec, 2};
    gko::array<int> columns{exec, 2};
    gko::array<double> values{exec, 2};
    const auto views = gko::matrix::Coo<double, int>::create(exec, gko::dim<2>{2, 2}, values.as_view(),
                                                             columns.as_view(), rows.as_view());
    const gko::matrix_data<double, int> three{{{1.0, 2.0}, {0.0, 3.0}}};
    print("three entries read into views of two elements throw",
          thrown_by([&] { views->read(gko::device_matrix_data<double, int>::create_from_host(exec, three)); }));

    const auto blocks = gko::matrix::Fbcsr<double, int>::create(exec, 2);
    blocks->read({gko::dim<2>{4, 4}, {{0, 0, 1.0}, {3, 3, 2.0}}});
    const auto pattern = gko::matrix::SparsityCsr<double, int>::create(exec);
    blocks->convert_to(pattern);
    print("pattern of two blocks of 2 x 2 in a matrix of 4 x 4", pattern->get_size(), pattern->get_num_nonzeros());
}

static std::string thrown_by_reading(const std::string& lines)
{
    std::istringstream in{"%%MatrixMarket matrix coordinate real " + lines};
    return thrown_by([&] { gko::read_raw<double, int>(in); });
}

static void show_files()
{
    print("text after an entry throws", thrown_by_reading("general\n2 2 1\n1 1 1.0 abc\n"));
    print("text after the header throws", thrown_by_reading("general ???\n2 2 1\n1 1 1.0\n"));
}

int main()
{
    const auto exec = gko::ReferenceExecutor::create();
    show_solvers(exec);
    show_executors(exec);
    show_matrices(exec);
    show_files();
    return exit_status();
}
