// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/cgs_kernels.hpp"

#include "test/solver/step_fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::stop_reason;
using spruce::stopping_status;

namespace cgs = spruce::kernels::cgs;

template <typename Types>
using CgsKernels = step_test<Types>;
TYPED_TEST_SUITE(CgsKernels, value_types, type_names);

TYPED_TEST(CgsKernels, UpdateUAndPByHand)
{
    using V = typename TypeParam::value_type;
    const auto nan = spruce::nan<V>();
    // Columns: in progress, restarted, stopped.
    const auto u = this->dense_of_nan(2, 3);
    u->fill(-1);
    const auto p = this->dense({{1, nan, 1}, {2, nan, 2}});
    const auto shadow = this->dense({{7, nan, 7}, {8, nan, 8}});
    const auto status = this->statuses(this->some_stopped(3));

    cgs::update_u_and_p<V>(*this->exec, *u, *p, *shadow, *this->dense({{10, 10, 10}, {20, 20, 20}}),
                           *this->dense({{3, nan, 3}, {4, nan, 4}}), *this->dense({{2, 0, 2}}), status);

    EXPECT_MTX_NEAR(u, this->dense({{16, 10, -1}, {28, 20, -1}}), 0.0);
    EXPECT_MTX_NEAR(p, this->dense({{26, 10, 1}, {44, 20, 2}}), 0.0);
    EXPECT_MTX_NEAR(shadow, this->dense({{7, 10, 7}, {8, 20, 8}}), 0.0);
}

TYPED_TEST(CgsKernels, ComputeAlphaByHand)
{
    using V = typename TypeParam::value_type;
    // Columns: in progress; (shadow, v) is zero; stopped; not finite; rho is zero; rho and alpha
    // are zero.
    const auto shadow = this->dense({{1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2}});
    const auto v = this->dense({{4, 2, 4, spruce::nan<V>(), 4, 4}, {3, -1, 3, 3, 3, 3}});
    const auto alpha = this->dense({{1, 1, 1, 1, 1, 0}});
    auto expected = this->some_stopped(6);
    expected[5] = {};
    auto status = this->statuses(expected);
    array<char> tmp{this->exec};

    cgs::compute_alpha<V>(*this->exec, *shadow, *v, *this->dense({{5, 5, 5, 5, 0, 0}}), *alpha, status, tmp);

    EXPECT_MTX_NEAR(alpha, this->dense({{0.5, 0, 0, 0, 0, 0}}), 0.0);
    expected[3].stop(stop_reason::not_finite);
    expected[4].stop(stop_reason::breakdown_inner_product);
    expected[5].stop(stop_reason::breakdown_curvature);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(CgsKernels, UpdateQByHand)
{
    const auto u = this->dense({{10, 10, 10}, {20, 20, 20}});
    const auto q = this->dense({{1, 1, 1}, {2, 2, 2}});

    cgs::update_q<typename TypeParam::value_type>(*this->exec, *q, *u, *u, *this->dense({{1, 2, 3}, {4, 5, 6}}),
                                                  *this->dense({{2, 0, 2}}), this->statuses(this->some_stopped(3)));

    EXPECT_MTX_NEAR(q, this->dense({{8, 10, 1}, {12, 20, 2}}), 0.0);
    EXPECT_MTX_NEAR(u, this->dense({{18, 20, 10}, {32, 40, 20}}), 0.0);
}

TYPED_TEST(CgsKernels, UpdateXAndRByHand)
{
    using V = typename TypeParam::value_type;
    constexpr auto huge = std::numeric_limits<typename TestFixture::real>::max();
    const auto nan = spruce::nan<V>();
    // Columns: in progress; restarts because r is orthogonal to shadow; stopped; r is orthogonal to
    // shadow and not smaller than at the last restart; alpha is zero; converges; x overflows.
    const auto x = this->dense({{1, 1, 1, 1, 1, 1, huge}, {2, 2, 2, 2, 2, 2, 2}});
    const auto r = this->dense({{5, 5, 6, 5, 3, 4, 5}, {2, 2, 8, 2, 4, -4, 2}});
    const auto z = this->dense({{3, 3, 3, 3, nan, 3, huge}, {4, 4, 4, 4, nan, 4, 4}});
    const auto w = this->dense({{1, 1, 1, 1, nan, 2, 1}, {-1, -1, -1, -1, nan, -2, -1}});
    const auto shadow = this->dense({{2, 4, 2, 4, 2, 2, 2}, {1, -3, 1, -3, 1, 1, 1}});
    const auto rho = this->dense({{4, 4, 4, 4, 4, 4, 4}});
    const auto beta = this->dense({{-1, -1, -1, -1, -1, -1, -1}});
    const auto rr = this->dense_of_nan(1, 7);
    const auto norm = this->real_dense({{-1, -1, -1, -1, -1, -1, -1}});
    const auto shadow_norm = this->real_dense({{9, 9, 9, 5, 9, 9, 9}});
    auto expected = this->some_stopped(7);
    expected[5] = {};
    auto status = this->statuses(expected);
    array<char> tmp{this->exec};

    cgs::update_x_and_r<V>(*this->exec, {*x, *r, *z, *w, *shadow},
                           {*this->dense({{2, 2, 2, 2, 0, 2, 2}}), *rho, *beta, *rr, *norm, *shadow_norm}, status, {},
                           tmp);

    EXPECT_MTX_NEAR(x, this->dense({{7, 7, 1, 7, 1, 7, huge}, {10, 10, 2, 10, 2, 10, 10}}), 0.0);
    EXPECT_MTX_NEAR(r, this->dense({{3, 3, 6, 3, 3, 0, 3}, {4, 4, 8, 4, 4, 0, 4}}), 0.0);
    EXPECT_MTX_NEAR(rho, this->dense({{10, 25, 4, 0, 25, 4, 4}}), 0.0);
    EXPECT_MTX_NEAR(beta, this->dense({{2.5, 0, -1, 0, 0, -1, -1}}), 10 * this->epsilon());
    EXPECT_MTX_NEAR(rr, this->dense({{25, 25, 100, 25, 25, 0, nan}}), 0.0);
    EXPECT_MTX_NEAR(norm, this->real_dense({{5, 5, 10, 5, 5, 0, spruce::nan<typename TestFixture::real>()}}),
                    this->epsilon());
    EXPECT_MTX_NEAR(shadow_norm, this->real_dense({{9, 5, 9, 5, 5, 9, 9}}), this->epsilon());
    expected[5].stop(stop_reason::converged);
    expected[6].stop(stop_reason::not_finite);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(CgsKernels, StepsLikeReference)
{
    using V = typename TypeParam::value_type;
    this->compare_on_every_shape([](auto& with) {
        auto& u = with.vectors();
        auto& p = with.vectors();
        auto& shadow = with.vectors();
        auto& r = with.vectors();
        auto& q = with.vectors();
        cgs::update_u_and_p<V>(*with.exec, u, p, shadow, r, q, with.scalars(), with.status);
    });
    this->compare_on_every_shape([](auto& with) {
        const auto& v = with.vectors();
        auto& rho = with.scalars();
        // (v, v) is not near zero.
        cgs::compute_alpha<V>(*with.exec, v, v, rho, with.scalars(), with.status, with.reduction());
    });
    this->compare_on_every_shape([](auto& with) {
        auto& q = with.vectors();
        auto& u = with.vectors();
        auto& v = with.vectors();
        cgs::update_q<V>(*with.exec, q, u, u, v, with.scalars(), with.status);
    });
    this->compare_on_every_shape([](auto& with) {
        auto& x = with.vectors();
        auto& r = with.vectors();
        auto& z = with.vectors();
        auto& w = with.vectors();
        auto& shadow = with.vectors();
        auto& alpha = with.scalars();
        auto& rho = with.filled_scalars(100);
        auto& beta = with.scalars();
        auto& rr = with.scalars();
        auto& norm = with.real_scalars();
        auto& shadow_norm = with.real_scalars();
        cgs::update_x_and_r<V>(*with.exec, {x, r, z, w, shadow}, {alpha, rho, beta, rr, norm, shadow_norm}, with.status,
                               with.check(), with.reduction());
    });
}

}  // namespace
