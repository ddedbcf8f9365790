// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Gets the matrix of triangular solvers, which is a Csr.

#include <ginkgo/ginkgo.hpp>

#include <memory>

#include "check.hpp"

int main()
{
    using Csr = gko::matrix::Csr<double, int>;
    const auto exec = gko::ReferenceExecutor::create();
    const auto a = gko::share(gko::initialize<Csr>({{1.0, 0.0}, {1.0, 1.0}}, exec));

    const auto lower = gko::solver::LowerTrs<>::build().on(exec)->generate(a);
    const auto upper = gko::solver::UpperTrs<>::build().on(exec)->generate(a);
    const std::shared_ptr<const Csr> matrix = lower->get_system_matrix();

    check(matrix == a, "the matrix that was given");
    print("stored elements of the matrix of LowerTrs", lower->get_system_matrix()->get_num_stored_elements());
    print("stored elements of the matrix of UpperTrs", upper->get_system_matrix()->get_num_stored_elements());
    return exit_status();
}
