// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/cg.hpp>

#include "test/solver/krylov_suite.hpp"

namespace spruce::test {

SPRUCE_TEST_KRYLOV_SOLVER(Cg, solver_cases);

template <typename Types>
using CgSolver = KrylovSolver<Types>;
TYPED_TEST_SUITE(CgSolver, solver_cases<solver::Cg>, type_names);

TYPED_TEST(CgSolver, StopsEachColumnByItself)
{
    // Columns: solved already, an eigenvector (one iteration), any other.
    const auto a = share(this->csr({{2, 0, 0}, {0, 3, 0}, {0, 0, 5}}));
    const auto b = this->dense({{2, 2, 1}, {3, 0, 1}, {5, 0, 1}});
    const auto x = this->dense({{1, 0, 0}, {1, 0, 0}, {1, 0, 0}});
    const auto early = this->dense({{1, 0, 0}, {1, 0, 0}, {1, 0, 0}});

    this->make_solver(a, 1)->apply(b, early);
    this->make_solver(a)->apply(b, x);

    EXPECT_TRUE(this->log->has_converged());
    EXPECT_EQ(this->log->get_num_iterations(), 3u);
    using V = typename TypeParam::value_type;
    const auto third = V(1) / V(3);
    const auto expected = this->dense({{1, 1, 0.5}, {1, 0, third}, {1, 0, V(0.2)}});
    EXPECT_MTX_NEAR(x, expected, 10 * this->reduction());
    // What has converged is not touched any more, to the last bit.
    const auto done = x->create_submatrix({0, 3}, {0, 2});
    EXPECT_MTX_NEAR(done, early->create_submatrix({0, 3}, {0, 2}), 0.0);
}

TYPED_TEST(CgSolver, NeverCallsIndefiniteProblemConvergedWrongly)
{
    const auto a = share(this->csr({{1, 0}, {0, -1}}));  // p^T A p is zero at once
    const auto x = this->dense({{0}, {0}});

    this->make_solver(a, 10)->apply(this->dense({{1}, {1}}), x);

    EXPECT_FALSE(this->log->has_converged());
}

}  // namespace spruce::test
