// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Checks what differs on purpose from the interface that applications are written to: see doc/compatibility.md.

#include <ginkgo/ginkgo.hpp>

#include <cmath>
#include <memory>
#include <sstream>
#include <utility>

#include "check.hpp"

using Dense = gko::matrix::Dense<double>;
using Csr = gko::matrix::Csr<double, int>;

int main()
{
    const auto exec = gko::ReferenceExecutor::create();
    const auto a = gko::share(gko::initialize<Csr>({{2.0, 0.0}, {0.0, 2.0}}, exec));
    const auto factory =
        gko::solver::Cg<>::build()
            .with_criteria(gko::stop::ResidualNorm<>::build(), gko::stop::Iteration::build().with_max_iters(1000u))
            .on(exec);

    // Solvers without a system matrix.
    const auto solver = factory->generate(a);
    const auto empty = solver->create_default();
    const auto nothing = Dense::create(exec, gko::dim<2>{0, 1});
    check_throws<gko::NotSupported>([&] { empty->apply(nothing, nothing); }, "an empty solver refuses to be applied");
    empty->move_from(solver);
    check(empty->get_system_matrix() == a && solver->get_system_matrix() == nullptr &&
              solver->get_size() == gko::dim<2>{},
          "a solver that was moved from is empty");

    // Input that is not finite.
    const auto log = gko::share(gko::log::Convergence<>::create());
    empty->add_logger(log);
    empty->apply(gko::initialize<Dense>({std::nan(""), 1.0}, exec), gko::initialize<Dense>({0.0, 0.0}, exec));
    check(log->get_num_iterations() == 0 && !log->has_converged(), "NaN ends a solve");

    // Checks of arguments.
    check_throws<gko::Error>([&] { Dense::create(exec, gko::dim<2>{3, 3}, 2); }, "a stride below the columns");
    check(a->create_submatrix(gko::index_set<int>(exec), gko::index_set<int>(exec, 2, gko::array<int>(exec, {0})))
                  ->get_size() == gko::dim<2>(0, 1),
          "an empty set of rows leaves the columns as they are");

    // Matrices whose arrays are views.
    gko::array<int> idxs{exec, 2};
    gko::array<double> values{exec, 2};
    const auto views = gko::matrix::Coo<double, int>::create(exec, gko::dim<2>{2, 2}, values.as_view(), idxs.as_view(),
                                                             idxs.as_view());
    const gko::matrix_data<double, int> three{{{1.0, 2.0}, {0.0, 3.0}}};
    check_throws<gko::OutOfBoundsError>(
        [&] { views->read(gko::device_matrix_data<double, int>::create_from_host(exec, three)); },
        "what is read has to fit into views, also if it is given away");

    // A pattern made from blocks has all elements of the blocks.
    const auto blocks = gko::matrix::Fbcsr<double, int>::create(exec, 2);
    blocks->read({gko::dim<2>{4, 4}, {{0, 0, 1.0}, {3, 3, 2.0}}});
    const auto pattern = gko::matrix::SparsityCsr<double, int>::create(exec);
    blocks->convert_to(pattern);
    check(pattern->get_size() == gko::dim<2>{4, 4} && pattern->get_num_nonzeros() == 8,
          "Fbcsr to SparsityCsr gives the pattern of elements");

    // Text after the last number of a line.
    std::istringstream trailing{"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1.0 abc\n"};
    check_throws<gko::StreamError>([&] { gko::read_raw<double, int>(trailing); }, "text after an entry");
    std::istringstream header{"%%MatrixMarket matrix coordinate real general more\n1 1 1\n1 1 1.0\n"};
    check_throws<gko::StreamError>([&] { gko::read_raw<double, int>(header); }, "text after the header");

    // No difference from Ginkgo: the type of the matrix decides on the layout of its file.
    const std::unique_ptr<gko::LinOp> op = gko::initialize<Dense>({{1.0, 2.0}}, exec);
    std::ostringstream out;
    gko::write(out, op);
    check(out.str().find("matrix array") != std::string::npos, "a Dense is written as an array, also as a LinOp");
    return exit_status();
}
