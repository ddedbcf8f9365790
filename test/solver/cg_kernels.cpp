// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/cg_kernels.hpp"

#include "test/solver/step_fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::stop_reason;
using spruce::stopping_status;

namespace cg = spruce::kernels::cg;

template <typename Types>
using CgKernels = step_test<Types>;
TYPED_TEST_SUITE(CgKernels, value_types, type_names);

TYPED_TEST(CgKernels, UpdateDirectionByHand)
{
    // Columns: in progress, restarted because prev_rho is zero, stopped.
    const auto p = this->dense({{1, 1, 1}, {2, 2, 2}});
    const auto status = this->statuses(this->some_stopped(3));

    cg::update_direction<typename TypeParam::value_type>(*this->exec, *p, *this->dense({{10, 10, 10}, {20, 20, 20}}),
                                                         *this->dense({{6, 6, 6}}), *this->dense({{2, 0, 2}}), status);

    EXPECT_MTX_NEAR(p, this->dense({{13, 10, 1}, {26, 20, 2}}), 0.0);
}

TYPED_TEST(CgKernels, ComputeStepLengthByHand)
{
    using V = typename TypeParam::value_type;
    // Columns: in progress; stopped; (p, q) is zero; rho is zero; not finite.
    const auto p = this->dense({{1, 1, 1, 1, 1}, {2, 2, 2, 2, 2}});
    const auto q = this->dense({{4, 4, 2, 4, spruce::nan<V>()}, {3, 3, -1, 3, 3}});
    const auto alpha = this->dense_of_nan(1, 5);
    std::vector<stopping_status> expected(5);
    expected[1].converge(1);
    auto status = this->statuses(expected);
    array<char> tmp{this->exec};

    cg::compute_step_length<V>(*this->exec, *p, *q, *this->dense({{5, 5, 5, 0, 5}}), *alpha, status, tmp);

    EXPECT_MTX_NEAR(alpha, this->dense({{0.5, 0, 0, 0, 0}}), 0.0);
    expected[2].stop(stop_reason::breakdown_curvature);
    expected[3].stop(stop_reason::breakdown_inner_product);
    expected[4].stop(stop_reason::not_finite);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(CgKernels, UpdateSolutionByHand)
{
    using V = typename TypeParam::value_type;
    // Columns: in progress; stopped; (p, q) is zero; rho is zero; not finite.
    const auto x = this->dense({{1, 1, 1, 1, 1}, {2, 2, 2, 2, 2}});
    const auto r = this->dense({{8, 6, 6, 3, 3}, {6, 8, 8, 4, 4}});
    const auto p = this->dense({{1, 1, 1, 1, 1}, {2, 2, 2, 2, 2}});
    const auto q = this->dense({{4, 4, 2, 4, spruce::nan<V>()}, {3, 3, -1, 3, 3}});
    const auto rr = this->dense_of_nan(1, 5);
    const auto norm = this->real_dense({{-1, -1, -1, -1, -1}});
    std::vector<stopping_status> expected(5);
    expected[1].converge(1);
    auto status = this->statuses(expected);
    array<char> tmp{this->exec};

    cg::update_solution<V>(*this->exec, {*x, *r, *p, *q}, *this->dense({{10, 10, 10, 0, 10}}),
                           *this->dense({{10, 10, 0, 10, spruce::nan<V>()}}), *rr, *norm, status, {}, tmp);

    EXPECT_MTX_NEAR(x, this->dense({{2, 1, 1, 1, 1}, {4, 2, 2, 2, 2}}), 0.0);
    EXPECT_MTX_NEAR(r, this->dense({{4, 6, 6, 3, 3}, {3, 8, 8, 4, 4}}), 0.0);
    EXPECT_MTX_NEAR(rr, this->dense({{25, 100, 100, 25, 25}}), 0.0);
    EXPECT_MTX_NEAR(norm, this->real_dense({{5, 10, 10, 5, 5}}), this->epsilon());
    expected[2].stop(stop_reason::breakdown_curvature);
    expected[3].stop(stop_reason::breakdown_inner_product);
    expected[4].stop(stop_reason::not_finite);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(CgKernels, AdvanceByHand)
{
    using V = typename TypeParam::value_type;
    // Columns: in progress, without progress, stopped, and one whose residual becomes zero.
    const auto x = this->dense({{1, 1, 1, 1}, {2, 2, 2, 2}});
    const auto r = this->dense({{8, 3, 6, 4}, {6, 4, 8, 3}});
    const auto rr = this->dense_of_nan(1, 4);
    const auto norm = this->real_dense({{-1, -1, -1, -1}});
    std::vector<stopping_status> expected(4);
    expected[2].converge(1);
    auto status = this->statuses(expected);
    array<char> tmp{this->exec};

    cg::update_x_and_r<V>(*this->exec, *x, *r, *this->dense({{1, 1, 1, 1}, {2, 2, 2, 2}}),
                          *this->dense({{4, 4, 4, 4}, {3, 3, 3, 3}}), *this->dense({{1, 0, 1, 1}}), *rr, *norm, status,
                          tmp);

    EXPECT_MTX_NEAR(x, this->dense({{2, 1, 1, 2}, {4, 2, 2, 4}}), 0.0);
    EXPECT_MTX_NEAR(r, this->dense({{4, 3, 6, 0}, {3, 4, 8, 0}}), 0.0);
    EXPECT_MTX_NEAR(rr, this->dense({{25, 25, 100, 0}}), 0.0);
    EXPECT_MTX_NEAR(norm, this->real_dense({{5, 5, 10, 0}}), this->epsilon());
    expected[3].stop(stop_reason::converged);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(CgKernels, UpdateDirectionLikeReference)
{
    this->compare_on_every_shape([](auto& with) {
        auto& p = with.vectors();
        auto& z = with.vectors();
        auto& rho = with.scalars();
        cg::update_direction<typename TypeParam::value_type>(*with.exec, p, z, rho, with.scalars(), with.status);
    });
}

TYPED_TEST(CgKernels, ComputeStepLengthLikeReference)
{
    this->compare_on_every_shape([](auto& with) {
        const auto& p = with.vectors();
        const auto& rho = with.scalars();
        // (p, p) is not near zero.
        cg::compute_step_length<typename TypeParam::value_type>(*with.exec, p, p, rho, with.scalars(), with.status,
                                                                with.reduction());
    });
}

TYPED_TEST(CgKernels, UpdateSolutionLikeReference)
{
    this->compare_on_every_shape([](auto& with) {
        auto& x = with.vectors();
        auto& r = with.vectors();
        auto& p = with.vectors();
        auto& q = with.vectors();
        auto& rho = with.scalars();
        auto& pq = with.scalars();
        auto& rr = with.scalars();
        cg::update_solution<typename TypeParam::value_type>(*with.exec, {x, r, p, q}, rho, pq, rr, with.real_scalars(),
                                                            with.status, with.check(), with.reduction());
    });
}

TYPED_TEST(CgKernels, AdvanceLikeReference)
{
    this->compare_on_every_shape([](auto& with) {
        auto& x = with.vectors();
        auto& r = with.vectors();
        auto& p = with.vectors();
        auto& q = with.vectors();
        auto& alpha = with.scalars();
        auto& rr = with.scalars();
        cg::update_x_and_r<typename TypeParam::value_type>(*with.exec, x, r, p, q, alpha, rr, with.real_scalars(),
                                                           with.status, with.reduction());
    });
}

}  // namespace
