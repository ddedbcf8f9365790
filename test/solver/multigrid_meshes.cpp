// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests that multigrid with nothing set needs about as many iterations for fine meshes as for
// coarse ones.

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <spruce/solver/multigrid.hpp>

#include "test/solver/solver_fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::as;
using spruce::share;
using spruce::size_type;
using spruce::solver::Multigrid;

class MultigridMeshes : public kernel_test<types<double, spruce::int32>> {
protected:
    void SetUp() override
    {
        if (is_simulated(*exec)) {
            GTEST_SKIP() << "large for the simulated device, which has smaller meshes in solver/multigrid.cpp";
        }
    }

    struct result {
        double iterations;
        double complexity;  ///< entries of all levels divided by those of A
    };

    static size_type num_entries(const spruce::LinOp* op) { return as<Csr>(op)->get_num_stored_elements(); }

    /// Solves a system with a random right-hand side by Cg until the residual is 1e-8 of it.
    result solve(const host_matrix& data)
    {
        const auto a = share(make_csr<double, spruce::int32>(exec, data));
        const auto m = share(Multigrid::build().on(exec)->generate(a));
        const auto solver = spruce::solver::Cg<double>::build()
                                .with_criteria(spruce::stop::Iteration::build().with_max_iters(100u),
                                               spruce::stop::ResidualNorm<double>::build().with_reduction_factor(1e-8))
                                .with_generated_preconditioner(m)
                                .on(exec)
                                ->generate(a);
        const auto log = share(spruce::log::Convergence<double>::create());
        solver->add_logger(log);
        const auto b = this->random_dense(data.size[0], 1);
        const auto x = clone(b);
        x->fill(0.0);
        solver->apply(b, x);
        EXPECT_TRUE(log->has_converged());
        auto entries = num_entries(a.get());
        for (const auto& level : m->get_mg_level_list()) {
            entries += num_entries(level->get_coarse_op().get());
        }
        return {static_cast<double>(log->get_num_iterations()),
                static_cast<double>(entries) / static_cast<double>(num_entries(a.get()))};
    }

    /// Expects at most 13 iterations and 2.5 times the entries of A, and at most 25 % more
    /// iterations on the finest mesh than on the coarsest.
    void expect_independence(const std::string& family, const std::vector<int>& widths)
    {
        std::vector<double> iterations;
        for (const auto width : widths) {
            SCOPED_TRACE(family + std::to_string(width));
            const auto found = this->solve(generated_data(family + std::to_string(width)));
            EXPECT_LE(found.iterations, 13);
            EXPECT_LE(found.complexity, 2.5);
            iterations.push_back(found.iterations);
        }
        EXPECT_LE(iterations.back(), 1.25 * iterations.front()) << family;
    }

    /// Reorders the unknowns at random.
    host_matrix renumbered(host_matrix data)
    {
        std::vector<spruce::int64> numbers(data.size[0]);
        std::iota(numbers.begin(), numbers.end(), 0);
        std::shuffle(numbers.begin(), numbers.end(), engine);
        for (auto& entry : data.nonzeros) {
            entry.row = numbers[entry.row];
            entry.column = numbers[entry.column];
        }
        data.sort_row_major();
        return data;
    }
};

TEST_F(MultigridMeshes, IterationsDoNotDependOnTheWidth)
{
    this->expect_independence("poisson2d-5pt:", {50, 100, 200, 400});
    this->expect_independence("poisson3d-7pt:", {9, 18, 36, 72});
    this->expect_independence("poisson3d-27pt:", {9, 18, 36});
}

TEST_F(MultigridMeshes, IterationsDoNotDependOnTheNumberingOfUnknowns)
{
    for (const auto spec : {"poisson2d-5pt:200", "poisson3d-7pt:32", "poisson3d-27pt:24"}) {
        SCOPED_TRACE(spec);
        const auto data = generated_data(spec);

        const auto found = this->solve(this->renumbered(data));

        EXPECT_LE(found.iterations, this->solve(data).iterations + 1);
        EXPECT_LE(found.iterations, 13);
        EXPECT_LE(found.complexity, 2.5);
    }
}

TEST_F(MultigridMeshes, CoefficientsMayDifferByOrdersOfMagnitude)
{
    for (const std::string mesh : {"poisson2d-5pt:200", "poisson3d-7pt:32"}) {
        const auto limit = 1.5 * this->solve(generated_data(mesh)).iterations;
        for (const auto option : {",aniso=100", ",aniso=0.01", ",jump=10000"}) {
            EXPECT_LE(this->solve(generated_data(mesh + option)).iterations, limit) << mesh << option;
        }
    }
}

}  // namespace
