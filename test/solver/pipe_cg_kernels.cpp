// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/pipe_cg_kernels.hpp"

#include "test/solver/step_fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::stop_reason;
using spruce::stopping_status;

namespace pipe_cg = spruce::kernels::pipe_cg;

template <typename Types>
using PipeCgKernels = step_test<Types>;
TYPED_TEST_SUITE(PipeCgKernels, value_types, type_names);

TYPED_TEST(PipeCgKernels, StartByHand)
{
    using V = typename TypeParam::value_type;
    // Columns: the first step; a later one; stopped; without residual; (w, u) is zero; not finite;
    // the recurrence had another residual, with some progress and without.
    const auto nan = spruce::nan<V>();
    const auto r = this->dense({{3, 3, 3, 0, 3, 3, 3, 3}, {4, 4, 4, 0, 4, 4, 4, 4}});
    const auto u = this->dense({{1, 1, 1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2, 2, 2}});
    const auto w = this->dense({{3, 3, 3, 3, 2, nan, 3, 3}, {4, 4, 4, 4, -1, 4, 4, 4}});
    const auto p = this->dense({{nan, 2, 2, 2, nan, 2, 2, 2}, {nan, 0, 0, 0, nan, 0, 0, 0}});
    const auto s = this->dense({{nan, 1, 1, 1, nan, 1, 1, 1}, {nan, 0, 0, 0, nan, 0, 0, 0}});
    const auto rest = this->dense_of_nan(2, 8);
    const auto rho = this->dense_of_nan(1, 8);
    const auto alpha = this->dense_of_nan(1, 8);
    const auto beta = this->dense_of_nan(1, 8);
    const auto norm = this->real_dense({{5, 5, 1, 5, 5, 5, 2, 2}});
    const auto largest_norm = this->real_dense({{9, 9, 9, 9, 9, 9, 9, 9}});
    const auto start_norm = this->real_dense({{9, 9, 9, 9, 9, 9, 11, 9}});
    auto expected = std::vector<stopping_status>(8);
    expected[2].converge(1);
    auto status = this->statuses(expected);
    array<char> tmp{this->exec};

    pipe_cg::start<V>(*this->exec, {*rest, *r, *u, *w, *p, *s, *rest, *rest, *rest, *rest},
                      {*this->dense({{0, 22, 22, 22, 0, 22, 22, 22}}), *this->dense({{1, 1, 1, 1, 1, 1, 1, 1}}), *rho,
                       *alpha, *beta, *norm, *largest_norm, *start_norm},
                      status, tmp);

    EXPECT_MTX_NEAR(rho, this->dense({{11, 11, 11, 0, 11, 11, 11, 11}}), 0.0);
    EXPECT_MTX_NEAR(beta, this->dense({{0, -0.5, 0, 0, 0, 0, -0.5, 0}}), 0.0);
    EXPECT_MTX_NEAR(alpha, this->dense({{1, V(22) / V(21), 0, 0, 0, 0, V(22) / V(21), 0}}), 4 * this->epsilon());
    EXPECT_MTX_NEAR(norm, this->real_dense({{5, 5, 1, 0, 5, 5, 5, 5}}), this->epsilon());
    EXPECT_MTX_NEAR(largest_norm, this->real_dense({{5, 5, 9, 0, 5, 5, 5, 5}}), this->epsilon());
    EXPECT_MTX_NEAR(start_norm, this->real_dense({{9, 9, 9, 9, 9, 9, 5, 5}}), this->epsilon());
    expected[3].stop(stop_reason::converged);
    expected[7].stop(stop_reason::stagnation);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(PipeCgKernels, StepWithoutPreconditionerByHand)
{
    using V = typename TypeParam::value_type;
    // Columns: the first step; a later one; stopped; broken down; down to rounding errors.
    const auto nan = spruce::nan<V>();
    const auto x = this->dense({{1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}});
    const auto r = this->dense({{3, 3, 3, 3, 3}, {4, 4, 4, 4, 4}});
    const auto w = this->dense({{1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}});
    const auto p = this->dense({{nan, 1, 1, 1, nan}, {nan, 0, 0, 0, nan}});
    const auto s = this->dense({{nan, 0, 0, 0, nan}, {nan, 1, 1, 1, nan}});
    const auto z = this->dense({{nan, 1, 1, 1, nan}, {nan, 1, 1, 1, nan}});
    const auto n = this->dense({{0, 0, 0, 0, 0}, {1, 1, 1, 1, 1}});
    const auto rho = this->dense_of_nan(1, 5);
    const auto alpha = this->dense_of_nan(1, 5);
    const auto beta = this->dense({{0, 2, 2, 2, 0}});
    const auto norm = this->real_dense({{-1, -1, -1, -1, -1}});
    const auto largest_norm = this->real_dense({{1, 100, 1, 1, 1e20f}});
    const auto start_norm = this->real_dense({{1, 1, 1, 1, 1}});
    auto expected = std::vector<stopping_status>(5);
    expected[2].converge(1);
    auto status = this->statuses(expected);
    array<char> tmp{this->exec};

    pipe_cg::step<V>(*this->exec, {*x, *r, *r, *w, *p, *s, *s, *z, *w, *n},
                     {*this->dense({{26, 5, 5, 5, 5}}), *this->dense({{1, 2, 2, 0, 1}}), *rho, *alpha, *beta, *norm,
                      *largest_norm, *start_norm},
                     status, tmp);

    EXPECT_MTX_NEAR(p, this->dense({{3, 5, 1, 1, 3}, {4, 4, 0, 0, 4}}), 0.0);
    EXPECT_MTX_NEAR(s, this->dense({{1, 1, 0, 0, 1}, {1, 3, 1, 1, 1}}), 0.0);
    EXPECT_MTX_NEAR(z, this->dense({{0, 2, 1, 1, 0}, {1, 3, 1, 1, 1}}), 0.0);
    EXPECT_MTX_NEAR(x, this->dense({{4, 11, 1, 1, 4}, {5, 9, 1, 1, 5}}), 0.0);
    EXPECT_MTX_NEAR(r, this->dense({{2, 1, 3, 3, 2}, {3, -2, 4, 4, 3}}), 0.0);
    EXPECT_MTX_NEAR(w, this->dense({{1, -3, 1, 1, 1}, {0, -5, 1, 1, 0}}), 0.0);
    EXPECT_MTX_NEAR(rho, this->dense({{13, 5, 25, 25, 13}}), 0.0);
    EXPECT_MTX_NEAR(beta, this->dense({{V(-5) / V(7), V(5) / V(17), 0, 0, 0}}), 4 * this->epsilon());
    EXPECT_MTX_NEAR(alpha, this->dense({{V(-91) / V(11), V(85) / V(94), 0, 0, 0}}), 4 * this->epsilon());
    EXPECT_MTX_NEAR(largest_norm, this->real_dense({{std::sqrt(13.f), 100, 1, 5, 1e20f}}), 1e-6);
    expected[3].stop(stop_reason::breakdown_curvature);
    expected[4].stop(stop_reason::stagnation);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(PipeCgKernels, StepWithPreconditionerByHand)
{
    using V = typename TypeParam::value_type;
    // Columns: in progress; (r, u) is zero; x would overflow.
    const auto max = std::numeric_limits<spruce::remove_complex<V>>::max();
    const auto x = this->dense({{1, 1, max}, {1, 1, 1}});
    const auto r = this->dense({{3, 2, 3}, {4, -1, 4}});
    const auto u = this->dense({{1, 1, max}, {2, 2, 2}});
    const auto w = this->dense({{1, 1, 1}, {1, 1, 1}});
    const auto p = this->dense({{1, 1, 1}, {0, 0, 0}});
    const auto s = this->dense({{0, 0, 0}, {1, 1, 1}});
    const auto q = this->dense({{1, 1, 1}, {2, 2, 2}});
    const auto z = this->dense({{1, 1, 1}, {1, 1, 1}});
    const auto m = this->dense({{3, 3, 3}, {1, 1, 1}});
    const auto n = this->dense({{0, 0, 0}, {1, 1, 1}});
    const auto rho = this->dense_of_nan(1, 3);
    const auto alpha = this->dense_of_nan(1, 3);
    const auto beta = this->dense({{2, 0, 0}});
    const auto norm = this->real_dense({{-1, -1, -1}});
    const auto largest_norm = this->real_dense({{1, 1, 1}});
    const auto start_norm = this->real_dense({{1, 1, 1}});
    auto expected = std::vector<stopping_status>(3);
    auto status = this->statuses(expected);
    array<char> tmp{this->exec};

    pipe_cg::step<V>(
        *this->exec, {*x, *r, *u, *w, *p, *s, *q, *z, *m, *n},
        {*this->dense({{-9, 5, 5}}), *this->dense({{1, 0, 1}}), *rho, *alpha, *beta, *norm, *largest_norm, *start_norm},
        status, tmp);

    const auto first = [](const auto& matrix) { return matrix->create_submatrix({0, matrix->get_size()[0]}, {0, 2}); };
    EXPECT_MTX_NEAR(first(p), this->dense({{3, 1}, {2, 0}}), 0.0);
    EXPECT_MTX_NEAR(first(s), this->dense({{1, 0}, {3, 1}}), 0.0);
    EXPECT_MTX_NEAR(first(q), this->dense({{5, 1}, {5, 2}}), 0.0);
    EXPECT_MTX_NEAR(first(z), this->dense({{2, 1}, {3, 1}}), 0.0);
    EXPECT_MTX_NEAR(x, this->dense({{4, 1, max}, {3, 1, 3}}), 0.0);
    EXPECT_MTX_NEAR(first(r), this->dense({{2, 2}, {1, -1}}), 0.0);
    EXPECT_MTX_NEAR(first(u), this->dense({{-4, 1}, {-3, 2}}), 0.0);
    EXPECT_MTX_NEAR(first(w), this->dense({{-1, 1}, {-2, 1}}), 0.0);
    EXPECT_MTX_NEAR(first(rho), this->dense({{-11, 0}}), 0.0);
    EXPECT_MTX_NEAR(first(beta), this->dense({{V(13) / V(9), 0}}), 4 * this->epsilon());
    EXPECT_MTX_NEAR(first(alpha), this->dense({{V(99) / V(79), 0}}), 4 * this->epsilon());
    expected[1].stop(stop_reason::breakdown_inner_product);
    expected[2].stop(stop_reason::not_finite);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(PipeCgKernels, StepsLikeReference)
{
    using V = typename TypeParam::value_type;
    // u = r, w = 2 r and p = s, so (r, u), (s, p) and the denominator of alpha are not near zero.
    for (const auto is_preconditioned : {false, true}) {
        for (const auto is_start : {false, true}) {
            this->compare_on_every_shape([=](auto& with) {
                const auto copy_if_preconditioned = [&](auto& vector) -> auto&
                {
                    if (!is_preconditioned) {
                        return vector;
                    }
                    auto& copy = with.vectors();
                    copy.copy_from(&vector);
                    return copy;
                };
                auto& x = with.vectors();
                auto& r = with.vectors();
                auto& w = with.vectors();
                w.copy_from(&r);
                w.scale(&with.filled_scalars(V{2}));
                auto& p = with.vectors();
                auto& s = with.vectors();
                s.copy_from(&p);
                auto& z = with.vectors();
                const auto& n = with.vectors();
                auto& u = copy_if_preconditioned(r);
                auto& q = copy_if_preconditioned(s);
                const auto& m = copy_if_preconditioned(w);
                const auto& prev_rho = with.filled_scalars(V(1e-3));
                const auto& prev_alpha = with.scalars();
                auto& rho = with.scalars();
                auto& alpha = with.scalars();
                auto& beta = with.scalars();
                auto& norm = with.real_scalars();
                auto& largest_norm = with.real_scalars();
                auto& start_norm = with.real_scalars();
                const auto& kernel = is_start ? pipe_cg::start<V> : pipe_cg::step<V>;
                kernel(*with.exec, {x, r, u, w, p, s, q, z, m, n},
                       {prev_rho, prev_alpha, rho, alpha, beta, norm, largest_norm, start_norm}, with.status,
                       with.reduction());
            });
        }
    }
}

}  // namespace
