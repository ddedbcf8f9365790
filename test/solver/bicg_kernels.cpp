// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/bicg_kernels.hpp"

#include "test/solver/step_fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::stop_reason;

namespace bicg = spruce::kernels::bicg;

template <typename Types>
using BicgKernels = step_test<Types>;
TYPED_TEST_SUITE(BicgKernels, value_types, type_names);

TYPED_TEST(BicgKernels, UpdateDirectionsByHand)
{
    // Columns: in progress, restarted because prev_rho is zero, stopped.
    const auto p = this->dense({{1, 1, 1}, {2, 2, 2}});
    const auto shadow_p = this->dense({{3, 3, 3}, {4, 4, 4}});

    bicg::update_directions<typename TypeParam::value_type>(
        *this->exec, *p, *shadow_p, *this->dense({{10, 10, 10}, {20, 20, 20}}),
        *this->dense({{30, 30, 30}, {40, 40, 40}}), *this->dense({{6, 6, 6}}), *this->dense({{2, 0, 2}}),
        this->statuses(this->some_stopped(3)));

    EXPECT_MTX_NEAR(p, this->dense({{13, 10, 1}, {26, 20, 2}}), 0.0);
    EXPECT_MTX_NEAR(shadow_p, this->dense({{39, 30, 3}, {52, 40, 4}}), 0.0);
}

TYPED_TEST(BicgKernels, UpdateSolutionByHand)
{
    using V = typename TypeParam::value_type;
    // Columns: in progress, without progress, stopped, and one whose residual becomes zero.
    const auto x = this->dense({{1, 1, 1, 1}, {2, 2, 2, 2}});
    const auto r = this->dense({{8, 3, 6, 4}, {6, 4, 8, 3}});
    const auto shadow_r = this->dense({{1, 1, 1, 1}, {2, 2, 2, 2}});
    const auto rho = this->dense_of_nan(1, 4);
    const auto norm = this->real_dense({{-1, -1, -1, -1}});
    auto expected = this->some_stopped(4);
    auto status = this->statuses(expected);
    array<char> tmp{this->exec};

    bicg::update_solution<V>(*this->exec,
                             {*x, *r, *shadow_r, *this->dense({{1, 1, 1, 1}, {2, 2, 2, 2}}),
                              *this->dense({{4, 4, 4, 4}, {3, 3, 3, 3}}), *this->dense({{5, 5, 5, 5}, {6, 6, 6, 6}})},
                             *this->dense({{1, 0, 1, 1}}), *rho, *norm, status, {}, tmp);

    EXPECT_MTX_NEAR(x, this->dense({{2, 1, 1, 2}, {4, 2, 2, 4}}), 0.0);
    EXPECT_MTX_NEAR(r, this->dense({{4, 3, 6, 0}, {3, 4, 8, 0}}), 0.0);
    EXPECT_MTX_NEAR(shadow_r, this->dense({{-4, 1, 1, -4}, {-4, 2, 2, -4}}), 0.0);
    EXPECT_MTX_NEAR(rho, this->dense({{-28, 11, 22, 0}}), 0.0);
    EXPECT_MTX_NEAR(norm, this->real_dense({{5, 5, 10, 0}}), this->epsilon());
    expected[3].stop(stop_reason::converged);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(BicgKernels, StepsLikeReference)
{
    using V = typename TypeParam::value_type;
    this->compare_on_every_shape([](auto& with) {
        auto& p = with.vectors();
        auto& shadow_p = with.vectors();
        auto& z = with.vectors();
        auto& shadow_z = with.vectors();
        auto& rho = with.scalars();
        bicg::update_directions<V>(*with.exec, p, shadow_p, z, shadow_z, rho, with.scalars(), with.status);
    });
    this->compare_on_every_shape([](auto& with) {
        auto& x = with.vectors();
        auto& r = with.vectors();
        auto& shadow_r = with.vectors();
        auto& p = with.vectors();
        auto& q = with.vectors();
        auto& shadow_q = with.vectors();
        auto& alpha = with.scalars();
        auto& rho = with.scalars();
        bicg::update_solution<V>(*with.exec, {x, r, shadow_r, p, q, shadow_q}, alpha, rho, with.real_scalars(),
                                 with.status, with.check(), with.reduction());
    });
}

}  // namespace
