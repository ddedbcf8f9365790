// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/bicgstab_kernels.hpp"

#include "test/solver/step_fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::stop_reason;
using spruce::stopping_status;

namespace bicgstab = spruce::kernels::bicgstab;

template <typename Types>
using BicgstabKernels = step_test<Types>;
TYPED_TEST_SUITE(BicgstabKernels, value_types, type_names);

TYPED_TEST(BicgstabKernels, UpdatePByHand)
{
    using V = typename TypeParam::value_type;
    const auto nan = spruce::nan<V>();
    // Columns: in progress, restarted, stopped.
    const auto p = this->dense({{1, nan, 1}, {2, nan, 2}});
    const auto shadow = this->dense({{7, nan, 7}, {8, nan, 8}});
    const auto status = this->statuses(this->some_stopped(3));

    bicgstab::update_p<V>(*this->exec, *p, *shadow, *this->dense({{10, 10, 10}, {20, 20, 20}}),
                          *this->dense({{3, nan, 3}, {4, nan, 4}}), *this->dense({{2, 0, 2}}),
                          *this->dense({{3, nan, 3}}), status);

    EXPECT_MTX_NEAR(p, this->dense({{-6, 10, 1}, {0, 20, 2}}), 0.0);
    EXPECT_MTX_NEAR(shadow, this->dense({{7, 10, 7}, {8, 20, 8}}), 0.0);
}

TYPED_TEST(BicgstabKernels, ComputeAlphaByHand)
{
    using V = typename TypeParam::value_type;
    // Columns: in progress; (shadow, v) is zero; stopped; not finite; rho is zero; rho and omega
    // are zero; rho, omega and alpha are zero.
    const auto shadow = this->dense({{1, 1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2, 2}});
    const auto v = this->dense({{4, 2, 4, spruce::nan<V>(), 4, 4, 4}, {3, -1, 3, 3, 3, 3, 3}});
    const auto alpha = this->dense({{1, 1, 1, 1, 1, 1, 0}});
    auto expected = this->some_stopped(7);
    expected[5] = {};
    auto status = this->statuses(expected);
    array<char> tmp{this->exec};

    bicgstab::compute_alpha<V>(*this->exec, *shadow, *v, *this->dense({{5, 5, 5, 5, 0, 0, 0}}),
                               *this->dense({{1, 1, 1, 1, 1, 0, 0}}), *alpha, status, tmp);

    EXPECT_MTX_NEAR(alpha, this->dense({{0.5, 0, 0, 0, 0, 0, 0}}), 0.0);
    expected[3].stop(stop_reason::not_finite);
    expected[4].stop(stop_reason::breakdown_inner_product);
    expected[5].stop(stop_reason::breakdown_stabilization);
    expected[6].stop(stop_reason::breakdown_curvature);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(BicgstabKernels, UpdateSByHand)
{
    const auto s = this->dense({{1, 1, 1}, {2, 2, 2}});

    bicgstab::update_s<typename TypeParam::value_type>(*this->exec, *s, *this->dense({{10, 10, 10}, {20, 20, 20}}),
                                                       *this->dense({{1, 2, 3}, {4, 5, 6}}), *this->dense({{2, 0, 2}}),
                                                       this->statuses(this->some_stopped(3)));

    EXPECT_MTX_NEAR(s, this->dense({{8, 10, 1}, {12, 20, 2}}), 0.0);
}

TYPED_TEST(BicgstabKernels, ComputeOmegaByHand)
{
    using V = typename TypeParam::value_type;
    // Columns: in progress, t orthogonal to s, stopped, t zero, not finite.
    const auto s = this->dense({{1, 1, 1, 1, 1}, {2, -1, 2, 2, 2}});
    const auto t = this->dense({{2, 1, 2, 0, spruce::nan<V>()}, {4, 1, 4, 0, 0}});
    const auto omega = this->dense_of_nan(1, 5);
    auto expected = this->some_stopped(5);
    auto status = this->statuses(expected);
    array<char> tmp{this->exec};

    bicgstab::compute_omega<V>(*this->exec, *s, *t, *omega, status, tmp);

    EXPECT_MTX_NEAR(omega, this->dense({{0.5, 0, 0, 0, 0}}), 0.0);
    expected[4].stop(stop_reason::not_finite);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(BicgstabKernels, UpdateXAndRByHand)
{
    using V = typename TypeParam::value_type;
    constexpr auto huge = std::numeric_limits<typename TestFixture::real>::max();
    // Columns: in progress; restarts because r is orthogonal to shadow; stopped; r is orthogonal to
    // shadow and not smaller than at the last restart; omega is zero; converges; x overflows.
    const auto x = this->dense({{1, 1, 1, 1, 1, 1, huge}, {2, 2, 2, 2, 2, 2, 2}});
    const auto r = this->dense({{6, 6, 6, 6, 6, 6, 6}, {8, 8, 8, 8, 8, 8, 8}});
    const auto y = this->dense({{1, 1, 1, 1, 1, 1, huge}, {2, 2, 2, 2, 2, 2, 2}});
    const auto z = this->dense({{3, 3, 3, 3, 3, 3, 3}, {4, 4, 4, 4, 4, 4, 4}});
    const auto s = this->dense({{5, 5, 5, 5, 3, 2, 5}, {2, 2, 2, 2, 4, 2, 2}});
    const auto t = this->dense({{2, 2, 2, 2, 2, 2, 2}, {-2, -2, -2, -2, -2, 2, -2}});
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

    bicgstab::update_x_and_r<V>(*this->exec, {*x, *r, *y, *z, *s, *t, *shadow},
                                {*this->dense({{2, 2, 2, 2, 2, 2, 2}}), *this->dense({{1, 1, 1, 1, 0, 1, 1}}), *rho,
                                 *beta, *rr, *norm, *shadow_norm},
                                status, {}, tmp);

    EXPECT_MTX_NEAR(x, this->dense({{6, 6, 1, 6, 3, 6, huge}, {10, 10, 2, 10, 6, 10, 10}}), 0.0);
    EXPECT_MTX_NEAR(r, this->dense({{3, 3, 6, 3, 3, 0, 3}, {4, 4, 8, 4, 4, 0, 4}}), 0.0);
    EXPECT_MTX_NEAR(rho, this->dense({{10, 25, 4, 0, 25, 4, 4}}), this->epsilon());
    EXPECT_MTX_NEAR(beta, this->dense({{5, 0, -1, 0, 0, -1, -1}}), 10 * this->epsilon());
    EXPECT_MTX_NEAR(rr, this->dense({{25, 25, 100, 25, 25, 0, spruce::nan<V>()}}), 0.0);
    const auto nan = spruce::nan<typename TestFixture::real>();
    EXPECT_MTX_NEAR(norm, this->real_dense({{5, 5, 10, 5, 5, 0, nan}}), this->epsilon());
    EXPECT_MTX_NEAR(shadow_norm, this->real_dense({{9, 5, 9, 5, 5, 9, 9}}), this->epsilon());
    expected[5].stop(stop_reason::converged);
    expected[6].stop(stop_reason::not_finite);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(BicgstabKernels, StepsLikeReference)
{
    using V = typename TypeParam::value_type;
    this->compare_on_every_shape([](auto& with) {
        auto& p = with.vectors();
        auto& shadow = with.vectors();
        auto& r = with.vectors();
        auto& v = with.vectors();
        auto& beta = with.scalars();
        bicgstab::update_p<V>(*with.exec, p, shadow, r, v, beta, with.scalars(), with.status);
    });
    this->compare_on_every_shape([](auto& with) {
        const auto& v = with.vectors();
        auto& rho = with.scalars();
        auto& omega = with.scalars();
        // (v, v) is not near zero.
        bicgstab::compute_alpha<V>(*with.exec, v, v, rho, omega, with.scalars(), with.status, with.reduction());
    });
    this->compare_on_every_shape([](auto& with) {
        auto& s = with.vectors();
        auto& r = with.vectors();
        auto& v = with.vectors();
        bicgstab::update_s<V>(*with.exec, s, r, v, with.scalars(), with.status);
    });
    this->compare_on_every_shape([](auto& with) {
        auto& s = with.vectors();
        auto& t = with.vectors();
        bicgstab::compute_omega<V>(*with.exec, s, t, with.scalars(), with.status, with.reduction());
    });
}

TYPED_TEST(BicgstabKernels, UpdateXAndRLikeReference)
{
    using V = typename TypeParam::value_type;
    this->compare_on_every_shape([](auto& with) {
        auto& x = with.vectors();
        auto& r = with.vectors();
        auto& y = with.vectors();
        auto& z = with.vectors();
        auto& s = with.vectors();
        auto& t = with.vectors();
        auto& alpha = with.scalars();
        auto& omega = with.scalars();
        auto& rho = with.filled_scalars(100);
        auto& beta = with.scalars();
        auto& rr = with.scalars();
        auto& norm = with.real_scalars();
        auto& shadow_norm = with.real_scalars();
        // (s, r) is not near zero.
        bicgstab::update_x_and_r<V>(*with.exec, {x, r, y, z, s, t, s}, {alpha, omega, rho, beta, rr, norm, shadow_norm},
                                    with.status, with.check(), with.reduction());
    });
}

}  // namespace
