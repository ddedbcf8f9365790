// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/fcg_kernels.hpp"

#include "test/solver/step_fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::stop_reason;

namespace fcg = spruce::kernels::fcg;

template <typename Types>
using FcgKernels = step_test<Types>;
TYPED_TEST_SUITE(FcgKernels, value_types, type_names);

TYPED_TEST(FcgKernels, UpdateSolutionByHand)
{
    using V = typename TypeParam::value_type;
    // Columns: in progress, no curvature, stopped, one whose residual becomes zero, no inner
    // product, not finite.
    const auto x = this->dense({{1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2}});
    const auto r = this->dense({{8, 3, 6, 4, 3, 3}, {6, 4, 8, 3, 4, 4}});
    const auto alpha = this->dense_of_nan(1, 6);
    const auto rho = this->dense_of_nan(1, 6);
    const auto rho_change = this->dense_of_nan(1, 6);
    const auto norm = this->real_dense({{-1, -1, -1, -1, -1, -1}});
    auto expected = this->some_stopped(6);
    auto status = this->statuses(expected);
    array<char> tmp{this->exec};

    fcg::update_solution<V>(*this->exec,
                            {*x, *r, *this->dense({{1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2}}),
                             *this->dense({{4, 4, 4, 4, 4, 4}, {3, 3, 3, 3, 3, 3}})},
                            {*this->dense({{6, 6, 6, 6, 0, 6}}), *this->dense({{6, 0, 6, 6, 6, spruce::nan<V>()}}),
                             *alpha, *rho, *rho_change, *norm},
                            status, {}, tmp);

    EXPECT_MTX_NEAR(x, this->dense({{2, 1, 1, 2, 1, 1}, {4, 2, 2, 4, 2, 2}}), 0.0);
    EXPECT_MTX_NEAR(r, this->dense({{4, 3, 6, 0, 3, 3}, {3, 4, 8, 0, 4, 4}}), 0.0);
    EXPECT_MTX_NEAR(alpha, this->dense({{1, 0, 0, 1, 0, 0}}), 0.0);
    EXPECT_MTX_NEAR(rho, this->dense({{25, 25, 100, 0, 25, 25}}), 0.0);
    EXPECT_MTX_NEAR(rho_change, this->dense({{-25, 0, 0, 0, 0, 0}}), 0.0);
    EXPECT_MTX_NEAR(norm, this->real_dense({{5, 5, 10, 0, 5, 5}}), this->epsilon());
    expected[1].stop(stop_reason::breakdown_curvature);
    expected[3].stop(stop_reason::converged);
    expected[4].stop(stop_reason::breakdown_inner_product);
    expected[5].stop(stop_reason::not_finite);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(FcgKernels, ComputeRhoByHand)
{
    const auto rho = this->dense_of_nan(1, 2);
    const auto rho_change = this->dense_of_nan(1, 2);
    array<char> tmp{this->exec};

    fcg::compute_rho<typename TypeParam::value_type>(*this->exec, *this->dense({{1, 2}, {3, 4}}),
                                                     *this->dense({{5, 6}, {7, 8}}), *this->dense({{1, -1}, {2, -2}}),
                                                     *this->dense({{0, 3}}), *rho, *rho_change, tmp);

    EXPECT_MTX_NEAR(rho, this->dense({{26, 44}}), 0.0);
    EXPECT_MTX_NEAR(rho_change, this->dense({{0, 30}}), 0.0);
}

TYPED_TEST(FcgKernels, StepsLikeReference)
{
    using V = typename TypeParam::value_type;
    this->compare_on_every_shape([](auto& with) {
        auto& x = with.vectors();
        auto& r = with.vectors();
        auto& p = with.vectors();
        auto& q = with.vectors();
        auto& rho = with.scalars();
        auto& pq = with.scalars();
        if (with.size[1] > 1) {
            pq.create_submatrix({0, 1}, {0, with.size[1] / 2})->fill(0);
        }
        auto& alpha = with.scalars();
        auto& next_rho = with.scalars();
        fcg::update_solution<V>(*with.exec, {x, r, p, q},
                                {rho, pq, alpha, next_rho, with.scalars(), with.real_scalars()}, with.status,
                                with.check(), with.reduction());
    });
    this->compare_on_every_shape([](auto& with) {
        auto& z = with.vectors();
        auto& r = with.vectors();
        auto& q = with.vectors();
        auto& alpha = with.scalars();
        auto& rho = with.scalars();
        fcg::compute_rho<V>(*with.exec, z, r, q, alpha, rho, with.scalars(), with.reduction());
    });
}

}  // namespace
