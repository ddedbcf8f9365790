// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/solver_kernels.hpp"

#include "test/solver/step_fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::size_type;
using spruce::stop_reason;
using spruce::stopping_status;

namespace solver = spruce::kernels::solver;

template <typename Types>
using SolverKernels = step_test<Types>;
TYPED_TEST_SUITE(SolverKernels, value_types, type_names);

/// Creates vectors. If there are several, one has an entry in the last row that is not finite.
template <typename Operands>
auto with_lost_entry(Operands& with)
{
    auto result = clone(with.exec, &with.vectors());
    using V = typename decltype(result)::element_type::value_type;
    const auto num_rows = with.size[0];
    if (num_rows > 0 && with.size[1] > 1) {
        result->create_submatrix({num_rows - 1, num_rows}, {0, 1})->fill(spruce::nan<V>());
    }
    return result;
}

TYPED_TEST(SolverKernels, ResidualAndStartByHand)
{
    using V = typename TestFixture::V;
    using real = typename TestFixture::real;
    const auto nan = spruce::nan<V>();
    const auto tiny = 4 * std::numeric_limits<real>::min();
    // Columns: running, without residual, not finite, stopped, and stopped. Only a new start resets
    // these states.
    const auto r = this->dense_of_nan(2, 5);
    const auto norm = this->real_dense({{-1, -1, -1, -1, -1}});
    std::vector<stopping_status> expected(5);
    expected[3].converge(1);
    expected[4].stop(2);
    auto found = this->statuses(expected);
    spruce::array<char> tmp{this->exec};

    solver::residual<V>(*this->exec, *this->dense({{5, 2, nan, 5, tiny}, {7, 1, 0, 7, 1}}),
                        *this->dense({{2, 2, 1, 2, 0}, {3, 1, 2, 3, 1}}), *r, *norm, found, tmp);

    EXPECT_MTX_NEAR(r, this->dense({{3, 0, nan, 3, tiny}, {4, 0, -2, 4, 0}}), 0.0);
    EXPECT_MTX_NEAR(norm, this->real_dense({{5, 0, spruce::nan<real>(), 5, tiny}}), 0.0);
    expected[1].stop(stop_reason::converged);
    expected[2].stop(stop_reason::not_finite);
    EXPECT_EQ(found.copy_to_host(), expected);

    // In the last column the squares of all entries underflow to zero.
    solver::start<V>(*this->exec, *this->dense({{2, 0, 1, 0, 0}, {0, 0, 1, 2, tiny}}), *norm, found, tmp);

    expected[3] = expected[4] = {};
    expected[4].stop(stop_reason::breakdown_inner_product);
    EXPECT_EQ(found.copy_to_host(), expected);
}

TYPED_TEST(SolverKernels, ResidualsMayHaveSquaresThatLeaveTheRange)
{
    using V = typename TypeParam::value_type;
    using real = typename TestFixture::real;
    const auto tiny = std::numeric_limits<real>::denorm_min();
    const auto huge = std::ldexp(real(1), std::numeric_limits<real>::max_exponent - 4);
    const auto r = this->dense_of_nan(2, 3);
    const auto norm = this->real_dense({{-1, -1, -1}});
    auto status = this->statuses(std::vector<stopping_status>(3));
    spruce::array<char> tmp{this->exec};

    solver::residual<V>(*this->exec, *this->dense({{5 * tiny, 5 * huge, 5}, {7 * tiny, 7 * huge, 7}}),
                        *this->dense({{2 * tiny, 2 * huge, 2}, {3 * tiny, 3 * huge, 3}}), *r, *norm, status, tmp);

    EXPECT_MTX_NEAR(r, this->dense({{3 * tiny, 3 * huge, 3}, {4 * tiny, 4 * huge, 4}}), 0.0);
    EXPECT_MTX_NEAR(norm, this->real_dense({{5 * tiny, 5 * huge, 5}}), 0.0);
    EXPECT_EQ(status.copy_to_host(), std::vector<stopping_status>(3));
}

TYPED_TEST(SolverKernels, NextDirectionByHand)
{
    using V = typename TestFixture::V;
    const auto nan = spruce::nan<V>();
    constexpr auto huge = std::numeric_limits<typename TestFixture::real>::max();
    // Columns: running, not finite, stopped, with squares that overflow, stopped.
    const auto p = this->dense({{1, 1, 1, 1, nan}, {2, 2, 2, 2, 2}});
    const auto alpha = this->dense_of_nan(1, 5);
    auto expected = this->some_stopped(5);
    expected[4].stop(stop_reason::stagnation);
    auto status = this->statuses(expected);
    spruce::array<char> tmp{this->exec};

    solver::next_direction<V>(*this->exec, *p, *this->dense({{10, 20, 30, 0, 10}, {40, nan, 60, huge, 20}}), V{3}, V{5},
                              *alpha, status, tmp);

    EXPECT_MTX_NEAR(p, this->dense({{13, 23, 1, 3, nan}, {46, nan, 2, huge, 2}}), 0.0);
    EXPECT_MTX_NEAR(alpha, this->dense({{5, 0, 0, 5, 0}}), 0.0);
    expected[1].stop(stop_reason::not_finite);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(SolverKernels, CheckDirectionByHand)
{
    using V = typename TestFixture::V;
    const auto nan = spruce::nan<V>();
    constexpr auto huge = std::numeric_limits<typename TestFixture::real>::max();
    // Columns: running, not finite, stopped, zero, with squares that overflow.
    auto expected = this->some_stopped(5);
    auto status = this->statuses(expected);
    spruce::array<char> tmp{this->exec};

    solver::check_direction<V>(*this->exec, *this->dense({{1, 1, nan, 0, 1}, {2, nan, 2, 0, huge}}), status, tmp);

    expected[1].stop(stop_reason::not_finite);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(SolverKernels, AddDirectionByHand)
{
    using V = typename TestFixture::V;
    // Columns: running; stopped; x would overflow.
    constexpr auto huge = std::numeric_limits<typename TestFixture::real>::max();
    std::vector<stopping_status> status(3);
    status[1].converge(1);
    const auto x = this->dense({{1, 1, huge}, {2, 2, 2}});

    solver::add_direction<V>(*this->exec, *x, *this->dense({{3, 3, huge}, {4, 4, 4}}), V{2}, this->statuses(status));

    EXPECT_MTX_NEAR(x, this->dense({{7, 1, huge}, {10, 2, 10}}), 0.0);
}

TYPED_TEST(SolverKernels, ResumeUnconfirmedByHand)
{
    using real = spruce::remove_complex<typename TypeParam::value_type>;
    // Columns: running; converged by a criterion, confirmed and not; converged by the solver, not
    // confirmed; converged to NaN; broken down, with progress and without; stagnated, with progress
    // and without; limit reached; not finite.
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

    solver::resume_unconfirmed<real>(*this->exec, *this->real_dense({{4, 4, 5, 1, nan, 4, 5, 4, nan, 1, 1}}),
                                     *this->real_dense({{1, 4, 4, 0, 4, 4, 4, 0, 0, 4, 4}}),
                                     *this->real_dense({{10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10}}), found);

    for (const auto col : {2, 3, 4, 5, 7}) {
        status[col].reset();
    }
    EXPECT_EQ(found.copy_to_host(), status);
}

TYPED_TEST(SolverKernels, StopIfNotHalvedByHand)
{
    using real = spruce::remove_complex<typename TypeParam::value_type>;
    // Columns: with progress, without, not finite, stopped.
    std::vector<stopping_status> status(4);
    status[3].converge(1);
    auto found = this->statuses(status);
    const auto start_norm = this->real_dense({{10, 10, 10, 10}});

    solver::stop_if_not_halved<real>(*this->exec, *this->real_dense({{4, 5, spruce::nan<real>(), 7}}), *start_norm,
                                     found);

    status[1].stop(stop_reason::stagnation);
    status[2].stop(stop_reason::stagnation);
    EXPECT_EQ(found.copy_to_host(), status);
    EXPECT_MTX_NEAR(start_norm->create_submatrix({0, 1}, {0, 2}), this->real_dense({{4, 5}}), 0.0);
    EXPECT_MTX_NEAR(start_norm->create_submatrix({0, 1}, {3, 4}), this->real_dense({{10}}), 0.0);
}

TYPED_TEST(SolverKernels, StopIfStagnatedByHand)
{
    using real = typename TestFixture::real;
    // Columns: with progress, without, not finite, stopped, with too little progress.
    std::vector<stopping_status> status(5);
    status[3].converge(1);
    auto found = this->statuses(status);
    const auto nan = spruce::nan<real>();
    const auto earlier_norm = this->real_dense({{3, 2, 2, 1, 2.5}});

    solver::stop_if_stagnated<real>(*this->exec, *this->real_dense({{2, 2, nan, 2, 2}}), real(0.75), *earlier_norm,
                                    found);

    status[1].stop(stop_reason::stagnation);
    status[2].stop(stop_reason::stagnation);
    status[4].stop(stop_reason::stagnation);
    EXPECT_EQ(found.copy_to_host(), status);
    EXPECT_MTX_NEAR(earlier_norm, this->real_dense({{2, 2, nan, 2, 2}}), 0.0);
}

TYPED_TEST(SolverKernels, UpdateBestByHand)
{
    using V = typename TypeParam::value_type;
    const auto nan = spruce::nan<V>();
    using real = typename TestFixture::real;
    // Columns: better; not better; not finite; too large for any accuracy, running and stopped;
    // better but stopped.
    const auto best = this->dense({{1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2}});
    const auto best_norm = this->real_dense({{5, 5, 5, 5, 5, 5}});
    const auto huge = 6 / static_cast<real>(this->epsilon());
    std::vector<stopping_status> status(6);
    status[4].converge(1);
    status[5].stop(stop_reason::stagnation);
    auto found = this->statuses(status);

    solver::update_best<V>(*this->exec, *this->dense({{3, 3, nan, 3, 3, 3}, {4, 4, nan, 4, 4, 4}}),
                           *this->real_dense({{4, 5, spruce::nan<real>(), huge, huge, 4}}), *best, *best_norm, found);

    EXPECT_MTX_NEAR(best, this->dense({{3, 1, 1, 1, 1, 1}, {4, 2, 2, 2, 2, 2}}), 0.0);
    EXPECT_MTX_NEAR(best_norm, this->real_dense({{4, 5, 5, 5, 5, 5}}), 0.0);
    status[3].stop(stop_reason::stagnation);
    EXPECT_EQ(found.copy_to_host(), status);
}

TYPED_TEST(SolverKernels, CopyUnstoppedColumnsLeavesStoppedOnes)
{
    using real = typename TestFixture::real;
    std::vector<stopping_status> status(3);
    status[0].converge(1);
    status[2].stop(stop_reason::stagnation);
    const auto to = this->real_dense({{1, 2, 3}});

    solver::copy_unstopped_columns<real>(*this->exec, *this->real_dense({{4, 5, 6}}), *to, this->statuses(status));

    EXPECT_MTX_NEAR(to, this->real_dense({{1, 5, 3}}), 0.0);
}

TYPED_TEST(SolverKernels, UnscaleSqNormByHand)
{
    using V = typename TypeParam::value_type;
    using real = typename TestFixture::real;
    const auto tiny = std::numeric_limits<real>::min();
    // Columns: an ordinary one, negative, zero, and a square that overflows without the scale.
    const auto small_scale = std::ldexp(real{1}, -std::numeric_limits<real>::max_exponent + 2);
    const auto sq_norm = this->dense({{0, 0, 0, 0}});
    const auto implicit_norm = this->real_dense({{0, 0, 0, 0}});

    solver::unscale_sq_norm<V>(*this->exec, *this->dense({{4, -4, V(tiny / 2), 4}}),
                               *this->real_dense({{0.5, 2, 0.5, small_scale}}), *this->real_dense({{9, 9, 7, 9}}),
                               *sq_norm, *implicit_norm);

    EXPECT_MTX_NEAR(implicit_norm, this->real_dense({{4, 1, 7, 2 / small_scale}}), 0.0);
    const auto found = clone(this->ref, sq_norm);
    EXPECT_EQ(found->at(0, 0), V(16));
    EXPECT_EQ(found->at(0, 1), V(-1));
    EXPECT_FALSE(spruce::is_finite(found->at(0, 3)));
}

TYPED_TEST(SolverKernels, ReplaceIfBetterByHand)
{
    using V = typename TypeParam::value_type;
    using real = typename TestFixture::real;
    const auto nan = spruce::nan<V>();
    // Columns: better; equal; worse; not finite; x not finite; better but converged, stopped by a
    // criterion, running.
    const auto x = this->dense({{1, 1, 1, 1, nan, 1, 1, 1}, {2, 2, 2, 2, nan, 2, 2, 2}});
    const auto norm = this->real_dense({{5, 5, 5, 5, spruce::nan<real>(), 5, 5, 5}});
    std::vector<stopping_status> status(8);
    for (const int failed : {0, 1, 2, 3}) {
        status[failed].stop(failed % 2 == 0 ? stop_reason::stagnation : stop_reason::breakdown_inner_product);
    }
    status[4].stop(stop_reason::not_finite);
    status[5].converge(1);
    status[6].stop(1);

    solver::replace_if_better<V>(*this->exec, *this->dense({{3, 3, 3, 3, 3, 3, 3, 3}, {4, 4, 4, 4, 4, 4, 4, 4}}),
                                 *this->real_dense({{4, 5, 6, spruce::nan<real>(), 4, 4, 4, 4}}), *x, *norm,
                                 this->statuses(status));

    EXPECT_MTX_NEAR(x, this->dense({{3, 3, 1, 1, 3, 1, 3, 1}, {4, 4, 2, 2, 4, 2, 4, 2}}), 0.0);
    EXPECT_MTX_NEAR(norm, this->real_dense({{4, 5, 5, 5, 4, 5, 4, 5}}), 0.0);
}

TYPED_TEST(SolverKernels, ReplaceIfBetterLikeReference)
{
    this->compare_on_every_shape([](auto& with) {
        auto& norm = with.real_scalars();
        auto& other_norm = with.real_scalars();
        auto& x = with.vectors();
        solver::replace_if_better<typename TestFixture::V>(*with.exec, with.vectors(), other_norm, x, norm,
                                                           with.status);
    });
}

TYPED_TEST(SolverKernels, StopIfStagnatedAndUpdateBestLikeReference)
{
    this->compare_on_every_shape([](auto& with) {
        auto& norm = with.real_scalars();
        auto& best_norm = with.real_scalars();
        auto& x = with.vectors();
        solver::update_best<typename TestFixture::V>(*with.exec, x, norm, with.vectors(), best_norm, with.status);
        solver::stop_if_stagnated<typename TestFixture::real>(*with.exec, norm, 1, best_norm, with.status);
    });
}

TYPED_TEST(SolverKernels, ResidualLikeReference)
{
    using V = typename TestFixture::V;
    this->compare_on_every_shape([](auto& with) {
        auto& b = with.vectors();
        auto& q = with.vectors();
        if (with.size[1] > 1) {
            const spruce::span cols{0, with.size[1] / 2};
            b.create_submatrix({0, with.size[0]}, cols)->fill(1);
            q.create_submatrix({0, with.size[0]}, cols)->fill(1);
        }
        auto& r = with.vectors();
        solver::residual<V>(*with.exec, b, q, r, with.real_scalars(), with.status, with.tmp);
    });
}

TYPED_TEST(SolverKernels, StartLikeReference)
{
    using V = typename TestFixture::V;
    this->compare_on_every_shape([](auto& with) {
        auto& r = with.vectors();
        auto& norm = with.real_scalars();
        // Some columns are zero, and the squares of some have underflowed to zero.
        norm.create_submatrix({0, 1}, {0, with.size[1] / 2})->fill(0);
        r.create_submatrix({0, with.size[0]}, {0, with.size[1] / 4})->fill(0);
        solver::start<V>(*with.exec, r, norm, with.status, with.tmp);
    });
}

TYPED_TEST(SolverKernels, NextDirectionLikeReference)
{
    using V = typename TestFixture::V;
    this->compare_on_every_shape([](auto& with) {
        auto& p = with.vectors();
        const auto z = with_lost_entry(with);
        solver::next_direction<V>(*with.exec, p, *z, V(0.75), V(0.5), with.scalars(), with.status, with.tmp);
    });
}

TYPED_TEST(SolverKernels, CheckDirectionLikeReference)
{
    this->compare_on_every_shape([](auto& with) {
        const auto z = with_lost_entry(with);
        solver::check_direction<typename TestFixture::V>(*with.exec, *z, with.status, with.tmp);
    });
}

TYPED_TEST(SolverKernels, AddDirectionLikeReference)
{
    using V = typename TestFixture::V;
    this->compare_on_every_shape([](auto& with) {
        auto& x = with.vectors();
        solver::add_direction<V>(*with.exec, x, with.vectors(), V(0.75), with.status);
    });
}

TYPED_TEST(SolverKernels, ResumeAndStopIfNotHalvedLikeReference)
{
    using real = typename TestFixture::real;
    this->compare_on_every_shape([](auto& with) {
        const auto num_cols = with.size[1];
        std::vector<stopping_status> status(num_cols);
        for (size_type col = 0; col < num_cols; ++col) {
            const std::vector<stop_reason> reasons{stop_reason::converged, stop_reason::breakdown_inner_product,
                                                   stop_reason::stagnation, stop_reason::not_finite};
            if (col % 5 > 0) {
                status[col].stop(reasons[col % 5 - 1]);
            }
        }
        with.status = spruce::array<stopping_status>{with.exec, status.begin(), status.end()};
        auto& true_norm = with.real_scalars();
        auto& norm = with.real_scalars();
        auto& start_norm = with.real_scalars();
        solver::resume_unconfirmed<real>(*with.exec, true_norm, norm, start_norm, with.status);
        solver::stop_if_not_halved<real>(*with.exec, true_norm, start_norm, with.status);
    });
}

}  // namespace
