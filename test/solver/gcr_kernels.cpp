// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/gcr_kernels.hpp"

#include "test/solver/two_parts.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::size_type;
using spruce::stop_reason;
using spruce::stopping_status;

namespace gcr = spruce::kernels::gcr;

template <typename Types>
using GcrKernels = two_parts_test<Types>;
TYPED_TEST_SUITE(GcrKernels, value_types, type_names);

TYPED_TEST(GcrKernels, OrthogonalizeByHand)
{
    using V = typename TypeParam::value_type;
    using real = typename TestFixture::real;
    // Columns: in progress; nothing remains; not finite; stopped.
    const auto nan = spruce::nan<V>();
    const auto p0 = this->dense({{1, 1, 1, 1}, {3, 3, 3, 3}});
    const auto q0 = this->dense({{2, 2, 2, 2}, {0, 0, 0, 0}});
    const auto p = this->dense_of_nan(2, 4);
    const auto q = this->dense({{6, 6, nan, 6}, {5, 0, 5, 5}});
    const auto dots = this->dense({{12, 12, nan, 12}});
    const auto inv_qq = this->real_dense({{0.25, 0.25, 0.25, 0.25}, {-1, -1, -1, -1}});
    const auto alpha = this->dense_of_nan(1, 4);
    const auto size = this->real_dense({{0, 0, 0, 7}});
    std::vector<stopping_status> expected(4);
    expected[3].converge(1);
    auto status = this->statuses(expected);
    array<char> tmp{this->exec};

    gcr::orthogonalize<V>(*this->exec, {{p0.get()}, {q0.get()}, *dots, *inv_qq, *size},
                          *this->dense({{10, 10, 10, 10}, {20, 20, 20, 20}}),
                          *this->dense({{7, 7, 7, 7}, {10, 10, 10, 10}}), *p, *q, *alpha, status, tmp);

    EXPECT_MTX_NEAR(p->create_submatrix({0, 2}, {0, 2}), this->dense({{7, 7}, {11, 11}}), 0.0);
    EXPECT_MTX_NEAR(q->create_submatrix({0, 2}, {0, 2}), this->dense({{0, 0}, {5, 0}}), 0.0);
    EXPECT_MTX_NEAR(alpha, this->dense({{2, 0, 0, 0}}), 10 * this->epsilon());
    EXPECT_MTX_NEAR(size, this->real_dense({{std::sqrt(real(25) / real(170)), 0, 0, 7}}), 10 * this->epsilon());
    EXPECT_MTX_NEAR(inv_qq, this->real_dense({{0.25, 0.25, 0.25, 0.25}, {real(0.04), 0, 0, 0}}), this->epsilon());
    expected[1].stop(stop_reason::breakdown_subspace);
    expected[2].stop(stop_reason::not_finite);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(GcrKernels, OrthogonalizeStopsWhereTheImageIsRounding)
{
    using V = typename TypeParam::value_type;
    using real = typename TestFixture::real;
    // Columns: ||q|| / ||p|| is 5 epsilon or 20 epsilon times the largest one so far.
    const auto p = this->dense_of_nan(1, 2);
    const auto q = this->dense({{V(real(10) * this->epsilon()), V(real(40) * this->epsilon())}});
    const auto dots = this->dense_of_nan(0, 2);
    const auto inv_qq = this->real_dense({{-1, -1}});
    const auto alpha = this->dense_of_nan(1, 2);
    const auto size = this->real_dense({{2, 2}});
    std::vector<stopping_status> expected(2);
    auto status = this->statuses(expected);
    array<char> tmp{this->exec};

    gcr::orthogonalize<V>(*this->exec, {{}, {}, *dots, *inv_qq, *size}, *this->dense({{1, 1}}), *this->dense({{1, 1}}),
                          *p, *q, *alpha, status, tmp);

    expected[0].stop(stop_reason::breakdown_subspace);
    EXPECT_EQ(status.copy_to_host(), expected);
    EXPECT_MTX_NEAR(size, this->real_dense({{2, 2}}), 0.0);
    EXPECT_MTX_NEAR(alpha, this->dense({{0, V(real(1) / real(40 * this->epsilon()))}}), 1.0);
}

TYPED_TEST(GcrKernels, CoefficientsAreNoFourthPowers)
{
    using V = typename TypeParam::value_type;
    using real = typename TestFixture::real;
    // The squares of these values are finite, but their fourth powers are not.
    const auto large = std::ldexp(real{1}, std::numeric_limits<real>::max_exponent / 2 - 4);
    const auto p0 = this->dense({{1}, {3}});
    const auto q0 = this->dense({{2 * large}, {0}});
    const auto p = this->dense_of_nan(2, 1);
    const auto q = this->dense({{6 * large}, {5 * large}});
    const auto inv_qq = this->real_dense({{real(0.25) / large / large}, {-1}});
    const auto dots = this->dense({{V(12) * large * large}});
    const auto alpha = this->dense_of_nan(1, 1);
    const auto size = this->real_dense({{0}});
    auto status = this->statuses(std::vector<stopping_status>(1));
    array<char> tmp{this->exec};

    gcr::orthogonalize<V>(*this->exec, {{p0.get()}, {q0.get()}, *dots, *inv_qq, *size}, *this->dense({{10}, {20}}),
                          *this->dense({{7}, {10}}), *p, *q, *alpha, status, tmp);

    EXPECT_MTX_NEAR(p, this->dense({{7}, {11}}), 0.0);
    EXPECT_MTX_NEAR(q, this->dense({{0}, {5 * large}}), 0.0);
    EXPECT_MTX_NEAR(alpha, this->dense({{2 / large}}), 10 * this->epsilon());
    EXPECT_FALSE(status.copy_to_host()[0].has_stopped());
}

TYPED_TEST(GcrKernels, ScaleChangesNothing)
{
    using V = typename TypeParam::value_type;
    for (const size_type steps : {0, 2, 17}) {
        this->expect_scale_changes_nothing([&](auto& with, auto& scaling) {
            std::vector<const typename TestFixture::Dense*> ps;
            std::vector<const typename TestFixture::Dense*> qs;
            for (size_type i = 0; i < steps; ++i) {
                ps.push_back(&scaling.enlarge(with.vectors()));
                qs.push_back(&scaling.enlarge(with.vectors()));
            }
            auto& dots = with.rows(steps);
            auto& z = scaling.enlarge(with.vectors());
            auto& r = scaling.enlarge(with.vectors());
            auto& p = scaling.enlarge(with.vectors());
            auto& q = scaling.enlarge(with.vectors());
            auto& inv_qq = with.real_rows(steps + 1);
            auto& size = with.real_rows(1);
            gcr::multi_dot<V>(*with.exec, qs, q, dots, scaling.reduction);
            gcr::orthogonalize<V>(*with.exec, {ps, qs, dots, inv_qq, size}, z, r, p, q, with.scalars(), with.status,
                                  scaling.reduction);
        });
    }
}

TYPED_TEST(GcrKernels, MultiDotLikeReference)
{
    using V = typename TypeParam::value_type;
    for (const size_type steps : {1, 8, 9, 16, 17}) {
        this->compare_on_every_shape(
            [&](auto& with) {
                std::vector<const typename TestFixture::Dense*> qs;
                for (size_type i = 0; i < steps; ++i) {
                    qs.push_back(&with.vectors());
                }
                auto& dots = with.rows(steps);
                gcr::multi_dot<V>(*with.exec, qs, with.vectors(), dots, with.tmp);
            },
            steps == 9 ? this->everything : this->few_entries);
    }
}

TYPED_TEST(GcrKernels, OrthogonalizeLikeReference)
{
    using V = typename TypeParam::value_type;
    for (const size_type steps : {0, 1, 8, 9, 16, 17, 35}) {
        this->compare_on_every_shape(
            [&](auto& with) {
                std::vector<const typename TestFixture::Dense*> ps;
                std::vector<const typename TestFixture::Dense*> qs;
                for (size_type i = 0; i < steps; ++i) {
                    ps.push_back(&with.vectors());
                    qs.push_back(&with.vectors());
                }
                auto& dots = with.rows(steps);
                dots.scale(spruce::initialize<typename TestFixture::Dense>({V(0.1)}, with.exec));
                auto& z = with.vectors();
                auto& r = with.vectors();
                auto& p = with.vectors();
                auto& q = with.vectors();
                auto& inv_qq = with.real_rows(steps + 1);
                auto& size = with.real_rows(1);
                inv_qq.compute_absolute_inplace();
                gcr::orthogonalize<V>(*with.exec, {ps, qs, dots, inv_qq, size}, z, r, p, q, with.scalars(), with.status,
                                      with.tmp);
            },
            steps == 9 ? this->everything : this->few_entries);
    }
}

TYPED_TEST(GcrKernels, PartsLikeWhole)
{
    using V = typename TypeParam::value_type;
    this->expect_parts_like_whole([](auto& with, const spruce::Reduction& reduction, size_type) {
        std::vector<const typename TestFixture::Dense*> ps;
        std::vector<const typename TestFixture::Dense*> qs;
        for (size_type i = 0; i < 3; ++i) {
            ps.push_back(&with.vectors());
            qs.push_back(&with.vectors());
        }
        auto& dots = with.rows(3);
        auto& z = with.vectors();
        auto& r = with.vectors();
        auto& p = with.vectors();
        auto& q = with.vectors();
        auto& inv_qq = with.real_rows(4);
        auto& size = with.real_rows(1);
        auto& alpha = with.scalars();
        gcr::multi_dot<V>(*with.exec, qs, q, dots, reduction);
        inv_qq.fill(typename TestFixture::real(0.01));
        gcr::orthogonalize<V>(*with.exec, {ps, qs, dots, inv_qq, size}, z, r, p, q, alpha, with.status, reduction);
    });
}

}  // namespace
