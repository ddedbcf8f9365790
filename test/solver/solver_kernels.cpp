// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/solver_kernels.hpp"

#include "test/solver/step_fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::stop_reason;
using spruce::stopping_status;

namespace kernel = spruce::kernels::solver;

template <typename Types>
using SolverKernels = step_test<Types>;
TYPED_TEST_SUITE(SolverKernels, value_types, type_names);

TYPED_TEST(SolverKernels, ReopenByHand)
{
    using real = spruce::remove_complex<typename TypeParam::value_type>;
    // Columns: running; converged by a criterion and by the solver itself, rightly and wrongly; converged to NaN; broken down and
    // stagnated, with progress and without; limits and what is not finite.
    const auto nan = spruce::nan<real>();
    std::vector<stopping_status> status(11);
    status[1].converge(1);
    status[2].converge(1);
    status[3].stop(stop_reason::converged);
    status[4].converge(2);
    status[5].stop(stop_reason::breakdown_curvature);
    status[6].stop(stop_reason::breakdown_inner_product);
    status[7].stop(stop_reason::stagnation);
    status[8].stop(stop_reason::stagnation);
    status[9].stop(1);
    status[10].stop(stop_reason::not_finite);
    auto found = this->statuses(status);

    kernel::reopen<real>(*this->exec, *this->real_dense({{4, 4, 5, 1, nan, 4, 5, 4, nan, 1, 1}}),
                         *this->real_dense({{1, 4, 4, 0, 4, 4, 4, 0, 0, 4, 4}}),
                         *this->real_dense({{10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10}}), found);

    for (const auto col : {2, 3, 4, 5, 7}) {
        status[col].reset();
    }
    EXPECT_EQ(found.copy_to_host(), status);
}

TYPED_TEST(SolverKernels, RequireProgressByHand)
{
    using real = spruce::remove_complex<typename TypeParam::value_type>;
    // Columns: with progress, without, not finite, stopped.
    std::vector<stopping_status> status(4);
    status[3].converge(1);
    auto found = this->statuses(status);
    const auto start_norm = this->real_dense({{10, 10, 10, 10}});

    kernel::require_progress<real>(*this->exec, *this->real_dense({{4, 5, spruce::nan<real>(), 7}}), *start_norm,
                                   found);

    status[1].stop(stop_reason::stagnation);
    status[2].stop(stop_reason::stagnation);
    EXPECT_EQ(found.copy_to_host(), status);
    EXPECT_MTX_NEAR(start_norm->create_submatrix({0, 1}, {0, 2}), this->real_dense({{4, 5}}), 0.0);
    EXPECT_MTX_NEAR(start_norm->create_submatrix({0, 1}, {3, 4}), this->real_dense({{10}}), 0.0);
}

}  // namespace
