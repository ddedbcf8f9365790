// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Solves Laplacians of two sizes by Cg with a multigrid preconditioner that has no options set.
// It needs at most 15 iterations for both sizes; Cg alone needs more for the larger one.
// usage: multigrid-preconditioned-solver [EXECUTOR]

#include "../shared.hpp"

namespace {

using namespace example;
using cg = spruce::solver::Cg<double>;

int solve(std::shared_ptr<spruce::Executor> exec)
{
    auto good = true;
    for (const index_type width : {24, 36}) {
        const auto data = laplacian(width);
        const auto a = spruce::share(spruce::matrix::Csr<double, index_type>::create(exec));
        a->read(data);
        const auto multigrid = spruce::share(spruce::solver::Multigrid::build().on(exec)->generate(a));

        const auto without = count_iterations<cg>(data, a, nullptr);
        const auto with = count_iterations<cg>(data, a, multigrid);

        std::cout << width << " x " << width << " points: " << without << " iterations, with multigrid " << with << "\n"
                  << multigrid->explain();
        good = good && with <= 15;
    }
    return conclude(good);
}

}  // namespace

int main(int argc, char* argv[]) { return run(argc, argv, solve); }
