// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/idr_kernels.hpp"

#include "test/solver/two_parts.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::size_type;
using spruce::stop_reason;
using spruce::stopping_status;

namespace idr = spruce::kernels::idr;

constexpr auto inner_product = static_cast<size_type>(stop_reason::breakdown_inner_product);
constexpr auto stabilization = static_cast<size_type>(stop_reason::breakdown_stabilization);

template <typename Types>
class IdrKernels : public two_parts_test<Types> {
protected:
    using typename step_test<Types>::V;
    using typename step_test<Types>::real;
    using typename step_test<Types>::Dense;
    using typename step_test<Types>::RealDense;
    using typename step_test<Types>::operands;
    using counts = std::vector<size_type>;

    array<size_type> make_counts(const counts& values) const { return {this->exec, values.begin(), values.end()}; }

    /// Holds all scalars of num_cols columns. They are NaN, and no column has a breakdown.
    struct by_hand {
        by_hand(const IdrKernels& test, size_type subspace_dim, size_type num_cols)
            : m{test.dense_of_nan(subspace_dim * subspace_dim, num_cols)},
              f{test.dense_of_nan(subspace_dim, num_cols)},
              c{test.dense_of_nan(subspace_dim, num_cols)},
              alpha{test.dense_of_nan(subspace_dim, num_cols)},
              beta{test.dense_of_nan(1, num_cols)},
              omega{test.dense_of_nan(1, num_cols)},
              norm{RealDense::create(test.exec, dim<2>{1, num_cols})},
              start_norm{RealDense::create(test.exec, dim<2>{1, num_cols})},
              breakdown{test.make_counts(counts(num_cols))}
        {}
        operator idr::state<V>() { return {*m, *f, *c, *alpha, *beta, *omega, *norm, *start_norm, breakdown}; }

        std::unique_ptr<Dense> m, f, c, alpha, beta, omega;
        std::unique_ptr<RealDense> norm, start_norm;
        array<size_type> breakdown;
    };

    /// Returns a random state in which M has a dominant diagonal.
    static idr::state<V> random_state(operands& with, size_type subspace_dim, array<size_type>& breakdown)
    {
        auto& m = with.rows(subspace_dim * subspace_dim);
        const auto tenth = spruce::initialize<Dense>({V(0.1)}, with.exec);
        m.scale(tenth);
        for (size_type i = 0; i < subspace_dim; ++i) {
            const auto place = i + subspace_dim * i;
            m.create_submatrix({place, place + 1}, {0, with.size[1]})->fill(V(2.0));
        }
        auto& c = with.rows(subspace_dim);
        auto& alpha = with.rows(subspace_dim);
        c.scale(tenth);
        alpha.scale(tenth);
        auto& f = with.rows(subspace_dim);
        auto& beta = with.scalars();
        auto& omega = with.scalars();
        auto& norm = with.real_scalars();
        return {m, f, c, alpha, beta, omega, norm, with.real_scalars(), breakdown};
    }

    static std::unique_ptr<Dense> shadow_space(const operands& with, size_type subspace_dim)
    {
        auto p = Dense::create(with.exec, dim<2>{with.size[0], subspace_dim}, subspace_dim + 1);
        idr::fill_random<V>(*with.exec, *p, 0, true);
        return p;
    }

    static idr::vectors<V> random_vectors(operands& with, size_type num)
    {
        idr::vectors<V> result;
        for (size_type i = 0; i < num; ++i) {
            result.push_back(&with.vectors());
        }
        return result;
    }

    // Fewer vectors than one pass takes, as many, one more, and several passes.
    static inline const counts subspace_dims{1, 4, 9};
};
TYPED_TEST_SUITE(IdrKernels, value_types, type_names);

TYPED_TEST(IdrKernels, FillsWithTheSameNumbersOnEveryExecutor)
{
    using V = typename TypeParam::value_type;
    using Dense = typename TestFixture::Dense;
    for (const auto with_imaginary_part : {false, true}) {
        const auto p = this->dense_of_nan(101, 3, 4);
        const auto expected = Dense::create(this->ref, dim<2>{101, 3});

        idr::fill_random<V>(*this->exec, *p, 0, with_imaginary_part);
        idr::fill_random<V>(*this->ref, *expected, 0, with_imaginary_part);

        EXPECT_MTX_NEAR(p, expected, 0.0);
        double sum{};
        double sum_of_imaginary_parts{};
        for (size_type row = 0; row < 101; ++row) {
            for (size_type col = 0; col < 3; ++col) {
                const std::complex<double> value = expected->at(row, col);
                EXPECT_LT(std::abs(value.real()), 1);
                EXPECT_LT(std::abs(value.imag()), 1);
                sum += value.real();
                sum_of_imaginary_parts += std::abs(value.imag());
            }
        }
        EXPECT_NEAR(sum / 303, 0, 0.1);  // three times the expected deviation
        EXPECT_NEAR(sum_of_imaginary_parts / 303, with_imaginary_part && spruce::is_complex<V>() ? 0.5 : 0, 0.06);
    }
}

TYPED_TEST(IdrKernels, StartByHand)
{
    typename TestFixture::by_hand state{*this, 2, 1};
    state.norm->fill(5);
    state.breakdown.fill(7);
    array<char> tmp{this->exec};

    idr::start<typename TypeParam::value_type>(*this->exec, *this->dense({{1, 2}, {0, 3}}), *this->dense({{3}, {4}}),
                                               state, this->statuses({{}}), tmp);

    EXPECT_MTX_NEAR(state.f, this->dense({{3}, {18}}), 0.0);
    EXPECT_MTX_NEAR(state.c, this->dense({{0}, {0}}), 0.0);
    EXPECT_MTX_NEAR(state.omega, this->dense({{1}}), 0.0);
    EXPECT_MTX_NEAR(state.start_norm, this->real_dense({{5}}), 0.0);
    EXPECT_MTX_NEAR(state.m->create_submatrix({0, 1}, {0, 1}), this->dense({{0}}), 0.0);
    EXPECT_MTX_NEAR(state.m->create_submatrix({3, 4}, {0, 1}), this->dense({{0}}), 0.0);
    EXPECT_EQ(state.breakdown.copy_to_host(), (std::vector<size_type>{0}));
}

TYPED_TEST(IdrKernels, SubtractByHand)
{
    using V = typename TypeParam::value_type;
    typename TestFixture::by_hand state{*this, 3, 2};
    const auto nan = spruce::nan<V>();
    // The second column has no second vector.
    state.c = this->dense({{nan, nan}, {2, 3}, {4, 0}});
    const auto g_1 = this->dense({{1, 1}, {2, 2}});
    const auto g_2 = this->dense({{3, nan}, {4, nan}});
    const auto v = this->dense_of_nan(2, 2);

    idr::compute_v<V>(*this->exec, state, 1, {g_1.get(), g_2.get()}, *this->dense({{20, 20}, {30, 30}}), *v);

    EXPECT_MTX_NEAR(v, this->dense({{6, 17}, {10, 24}}), 0.0);
}

TYPED_TEST(IdrKernels, NextDirectionByHand)
{
    using V = typename TypeParam::value_type;
    typename TestFixture::by_hand state{*this, 2, 2};
    const auto nan = spruce::nan<V>();
    state.c = this->dense({{2, 0}, {3, 0}});
    state.omega = this->dense({{10, 1}});
    const auto g_0 = this->dense({{1, nan}, {2, nan}});
    const auto g_1 = this->dense({{0, nan}, {1, nan}});
    const auto u_0 = this->dense({{5, nan}, {6, nan}});
    const auto u_1 = this->dense({{7, nan}, {8, nan}});
    const auto z = this->dense({{3, 4}, {9, 5}});
    const auto again = clone(u_0);

    idr::compute_u<V>(*this->exec, state, 0, {g_0.get(), g_1.get()}, {u_0.get(), u_1.get()}, *z, *u_0);
    EXPECT_MTX_NEAR(u_0, this->dense({{41, 4}, {56, 5}}), 0.0);

    idr::compute_u<V>(*this->exec, state, 0, {}, {again.get(), u_1.get()}, *z, *again);
    EXPECT_MTX_NEAR(again, this->dense({{61, 4}, {126, 5}}), 0.0);

    idr::compute_u<V>(*this->exec, state, 1, {g_1.get()}, {u_1.get()}, *z, *u_1);
    EXPECT_MTX_NEAR(u_1, this->dense({{51, 4}, {84, 5}}), 0.0);
}

TYPED_TEST(IdrKernels, ProjectByHand)
{
    using V = typename TypeParam::value_type;
    // Columns: in progress; orthogonal to p_1 without the component of g_0; stopped; not finite;
    // has broken down before; without g_0.
    typename TestFixture::by_hand state{*this, 2, 6};
    state.m = this->dense({{2, 2, 2, 2, 2, 0}, {1, 1, 1, 1, 1, 1}, {7, 7, 7, 7, 7, 7}, {7, 7, 7, 7, 7, 7}});
    state.f = this->dense({{0, 0, 0, 0, 0, 0}, {6, 6, 6, 6, 6, 6}});
    state.c = this->dense({{5, 5, 5, 5, 5, 5}, {5, 5, 5, 5, 5, 5}});
    state.breakdown = this->make_counts({0, 0, 0, 0, stabilization, 0});
    auto expected = this->some_stopped(6);
    expected[5] = {};
    auto status = this->statuses(expected);
    array<char> tmp{this->exec};
    const auto g = this->dense({{4, 4, 4, 4, 4, 4}, {5, 2, 5, spruce::nan<V>(), 5, 5}});

    idr::project_g<V>(*this->exec, *this->dense({{1, 0}, {0, 1}}), *g, 1, state, status, tmp);

    const auto rows = [](const auto& matrix, size_type row) {
        return matrix->create_submatrix({row, row + 1}, {0, 6});
    };
    const auto nan = spruce::nan<V>();
    EXPECT_MTX_NEAR(rows(state.m, 2), this->dense({{4, 4, 4, nan, 4, 4}}), 0.0);
    EXPECT_MTX_NEAR(rows(state.m, 3), this->dense({{3, 0, 5, nan, 0, 5}}), 0.0);
    EXPECT_MTX_NEAR(state.beta, this->dense({{2, 0, 0, 0, 0, 1.2}}), 2 * this->epsilon());
    const auto alpha = clone(this->ref, state.alpha);
    EXPECT_EQ(alpha->at(0, 0), V(2));
    EXPECT_EQ(alpha->at(0, 1), V(0));
    EXPECT_EQ(alpha->at(0, 4), V(0));
    EXPECT_EQ(alpha->at(0, 5), V(0));
    EXPECT_EQ(state.breakdown.copy_to_host(), (std::vector<size_type>{0, inner_product, 0, 0, stabilization, 0}));
    expected[3].stop(stop_reason::not_finite);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(IdrKernels, ProjectGivesTheCoefficientsOfTheNextStep)
{
    using V = typename TypeParam::value_type;
    // Columns: in the first cycle, in a later one.
    typename TestFixture::by_hand state{*this, 2, 2};
    state.m = this->dense({{0, 9}, {0, 9}, {0, 0}, {0, 2}});
    state.f = this->dense({{6, 6}, {20, 20}});
    auto status = this->statuses({{}, {}});
    array<char> tmp{this->exec};

    idr::project_g<V>(*this->exec, *this->dense({{1, 0}, {0, 1}}), *this->dense({{3, 3}, {4, 4}}), 0, state, status,
                      tmp);

    EXPECT_MTX_NEAR(state.beta, this->dense({{2, 2}}), 0.0);
    EXPECT_MTX_NEAR(state.f->create_submatrix({1, 2}, {0, 2}), this->dense({{12, 12}}), 0.0);
    EXPECT_MTX_NEAR(state.c->create_submatrix({1, 2}, {0, 2}), this->dense({{0, 6}}), 0.0);
}

TYPED_TEST(IdrKernels, UpdateByHand)
{
    using V = typename TypeParam::value_type;
    constexpr auto huge = std::numeric_limits<typename TestFixture::real>::max();
    const auto nan = spruce::nan<V>();
    // Columns: in progress; without g_0; stopped; converges; x overflows.
    typename TestFixture::by_hand state{*this, 2, 5};
    state.alpha = this->dense({{2, 0, 2, 0, 0}, {nan, nan, nan, nan, nan}});
    state.beta = this->dense({{3, 3, 3, 1, 2}});
    state.norm->fill(-1);
    const auto g_0 = this->dense({{1, nan, 1, 1, 1}, {1, nan, 1, 1, 1}});
    const auto u_0 = this->dense({{2, nan, 2, 2, 2}, {3, nan, 3, 3, 3}});
    const auto g = this->dense({{3, 1, 3, 9, 3}, {2, 2, 2, 8, 2}});
    const auto u = this->dense({{5, 5, 5, 5, huge}, {7, 7, 7, 7, 7}});
    const auto r = this->dense({{6, 6, 6, 9, 6}, {4, 2, 4, 8, 4}});
    const auto x = this->dense({{10, 10, 10, 10, 10}, {20, 20, 20, 20, 20}});
    auto expected = this->some_stopped(5);
    auto status = this->statuses(expected);
    array<char> tmp{this->exec};

    idr::update_x_and_r<V>(*this->exec, {g_0.get()}, {u_0.get()}, {*g, *u}, state, *x, *r, status, tmp);

    EXPECT_MTX_NEAR(g, this->dense({{1, 1, 3, 9, 3}, {0, 2, 2, 8, 2}}), 0.0);
    EXPECT_MTX_NEAR(u, this->dense({{1, 5, 5, 5, huge}, {1, 7, 7, 7, 7}}), 0.0);
    EXPECT_MTX_NEAR(r, this->dense({{3, 3, 6, 0, 0}, {4, -4, 4, 0, 0}}), 0.0);
    EXPECT_MTX_NEAR(x, this->dense({{13, 25, 10, 15, 10}, {23, 41, 20, 27, 34}}), 0.0);
    const auto real_nan = spruce::nan<typename TestFixture::real>();
    EXPECT_MTX_NEAR(state.norm, this->real_dense({{5, 5, -1, 0, real_nan}}), 0.0);
    expected[3].stop(stop_reason::converged);
    expected[4].stop(stop_reason::not_finite);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(IdrKernels, ComputeOmegaByHand)
{
    using V = typename TypeParam::value_type;
    // Columns: small angle; large angle; stopped; right angle; t is zero; not finite; large angle
    // after a breakdown.
    typename TestFixture::by_hand state{*this, 1, 7};
    state.norm->fill(5);
    state.breakdown = this->make_counts({0, 0, 0, 0, 0, 0, inner_product});
    auto expected = this->some_stopped(7);
    expected[5] = {};
    auto status = this->statuses(expected);
    array<char> tmp{this->exec};
    const auto r = this->dense({{3, 3, 3, 3, 3, 3, 3}, {4, 4, 4, 4, 4, 4, 4}});
    const auto t = this->dense({{6, -5, 6, 8, 0, spruce::nan<V>(), 2}, {8, 0, 8, -6, 0, 1, 0}});

    idr::compute_omega<V>(*this->exec, *t, *r, 0.75, state, status, tmp);

    EXPECT_MTX_NEAR(state.omega, this->dense({{0.5, -0.75, 0, 0.375, 0, 0, 1.5}}), 2 * this->epsilon());
    EXPECT_EQ(state.breakdown.copy_to_host(), (std::vector<size_type>{0, 0, 0, 0, stabilization, 0, inner_product}));
    expected[5].stop(stop_reason::not_finite);
    EXPECT_EQ(status.copy_to_host(), expected);

    // The next call has no safeguard (kappa = 0).
    status = this->statuses(std::vector<stopping_status>(7));
    const auto finite_t = this->dense({{6, -5, 6, 8, 0, 1, 2}, {8, 0, 8, -6, 0, 1, 0}});
    idr::compute_omega<V>(*this->exec, *finite_t, *r, 0, state, status, tmp);
    EXPECT_MTX_NEAR(state.omega, this->dense({{0.5, -0.6, 0.5, 0, 0, 3.5, 1.5}}), 2 * this->epsilon());
    EXPECT_EQ(state.breakdown.copy_to_host(),
              (std::vector<size_type>{0, 0, 0, stabilization, stabilization, 0, inner_product}));
}

TYPED_TEST(IdrKernels, FinishCycleByHand)
{
    using V = typename TypeParam::value_type;
    constexpr auto huge = std::numeric_limits<typename TestFixture::real>::max();
    // Columns: in progress; restarts; stopped; may not restart; converges; x overflows.
    typename TestFixture::by_hand state{*this, 2, 6};
    state.m = this->dense({{3, 3, 3, 3, 3, 3}, {1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0}, {2, 2, 2, 2, 2, 2}});
    state.c = this->dense({{9, 9, 9, 9, 9, 9}, {9, 9, 9, 9, 9, 9}});
    state.f->fill(-1);
    state.omega = this->dense({{2, 2, 2, 2, 3, 2}});
    state.norm = this->real_dense({{7, 7, 7, 7, 7, 7}});
    state.start_norm = this->real_dense({{9, 9, 9, 5, 9, 9}});
    state.breakdown = this->make_counts({0, inner_product, 0, inner_product, 0, 0});
    const auto x = this->dense({{1, 1, 1, 1, 1, huge}, {2, 2, 2, 2, 2, 2}});
    const auto z = this->dense({{3, 3, 3, 3, 3, huge}, {4, 4, 4, 4, 4, 4}});
    const auto t = this->dense({{1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2}});
    const auto r = this->dense({{5, 5, 5, 5, 3, 5}, {8, 8, 8, 8, 6, 8}});
    auto expected = this->some_stopped(6);
    expected[5] = {};
    auto status = this->statuses(expected);
    array<char> tmp{this->exec};

    idr::finish_cycle<V>(*this->exec, *this->dense({{1, 1}, {0, 1}}), *z, *t, state, *x, *r, status, tmp);

    EXPECT_MTX_NEAR(x, this->dense({{7, 7, 1, 7, 10, huge}, {10, 10, 2, 10, 14, 10}}), 0.0);
    EXPECT_MTX_NEAR(r, this->dense({{3, 3, 5, 3, 0, 3}, {4, 4, 8, 4, 0, 4}}), 0.0);
    const auto real_nan = spruce::nan<typename TestFixture::real>();
    EXPECT_MTX_NEAR(state.norm, this->real_dense({{5, 5, 7, 5, 0, real_nan}}), 0.0);
    EXPECT_MTX_NEAR(state.start_norm, this->real_dense({{9, 5, 9, 5, 9, 9}}), 0.0);
    EXPECT_MTX_NEAR(state.omega, this->dense({{2, 1, 2, 2, 3, 2}}), 0.0);
    EXPECT_MTX_NEAR(state.c, this->dense({{1, 0, 9, 9, 9, 9}, {3, 0, 9, 9, 9, 9}}), 0.0);
    EXPECT_MTX_NEAR(state.m,
                    this->dense({{3, 0, 3, 3, 3, 3}, {1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0}, {2, 0, 2, 2, 2, 2}}), 0.0);
    expected[3].stop(stop_reason::breakdown_inner_product);
    expected[4].stop(stop_reason::converged);
    expected[5].stop(stop_reason::not_finite);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(IdrKernels, DirectionsLikeReference)
{
    using V = typename TypeParam::value_type;
    for (const auto subspace_dim : this->subspace_dims) {
        this->compare_on_every_shape(
            [&](auto& with) {
                array<size_type> breakdown{with.exec, with.size[1]};
                breakdown.fill(0);
                const auto state = this->random_state(with, subspace_dim, breakdown);
                const auto k = subspace_dim / 3;
                const auto gs = this->random_vectors(with, subspace_dim - k);
                auto us = this->random_vectors(with, subspace_dim - k - 1);
                auto& r = with.vectors();
                idr::compute_v<V>(*with.exec, state, k, gs, r, with.vectors());
                for (const auto with_gs : {false, true}) {
                    auto& u = with.vectors();
                    us.insert(us.begin(), &u);
                    idr::compute_u<V>(*with.exec, state, k, with_gs ? gs : idr::vectors<V>{}, us, r, u);
                    us.erase(us.begin());
                }
            },
            subspace_dim == 4 ? this->everything : this->few_entries);
    }
}

TYPED_TEST(IdrKernels, ProjectsLikeReference)
{
    using V = typename TypeParam::value_type;
    for (const auto subspace_dim : this->subspace_dims) {
        const auto k = subspace_dim / 2;
        this->compare_on_every_shape(
            [&](auto& with) {
                array<size_type> breakdown{with.exec, with.size[1]};
                breakdown.fill(0);
                const auto state = this->random_state(with, subspace_dim, breakdown);
                const auto p = this->shadow_space(with, subspace_dim);
                // p_k is the largest component of g, so their product is not near zero.
                auto& g = with.vectors();
                const auto tenth = spruce::initialize<typename TestFixture::Dense>({V(0.1)}, with.exec);
                g.scale(tenth);
                for (size_type col = 0; col < with.size[1]; ++col) {
                    g.create_submatrix({0, with.size[0]}, {col, col + 1})
                        ->add_scaled(spruce::initialize<typename TestFixture::Dense>({V(1)}, with.exec),
                                     p->create_submatrix({0, with.size[0]}, {k, k + 1}));
                }
                idr::project_g<V>(*with.exec, *p, g, k, state, with.status, with.tmp);
            },
            subspace_dim == 4 ? this->everything : this->few_entries);
    }
}

TYPED_TEST(IdrKernels, ScaleChangesNothing)
{
    using V = typename TypeParam::value_type;
    for (const auto subspace_dim : this->subspace_dims) {
        const auto k = subspace_dim / 2;
        this->expect_scale_changes_nothing([&](auto& with, auto& scaling) {
            array<size_type> breakdown{with.exec, with.size[1]};
            breakdown.fill(0);
            const auto state = this->random_state(with, subspace_dim, breakdown);
            scaling.enlarge(state.m);
            scaling.enlarge(state.f);
            scaling.enlarge(state.norm);
            scaling.enlarge(state.start_norm);
            const auto p = this->shadow_space(with, subspace_dim);
            auto& x = scaling.enlarge(with.vectors());
            auto& r = scaling.enlarge(with.vectors());
            auto& g = scaling.enlarge(with.vectors());
            auto& u = scaling.enlarge(with.vectors());
            auto& t = scaling.enlarge(with.vectors());
            auto& z = scaling.enlarge(with.vectors());
            idr::vectors<V> gs;
            idr::vectors<V> us;
            for (size_type i = 0; i < k; ++i) {
                gs.push_back(&scaling.enlarge(with.vectors()));
                us.push_back(&scaling.enlarge(with.vectors()));
            }
            idr::start<V>(*with.exec, *p, r, state, with.status, scaling.reduction);
            idr::project_g<V>(*with.exec, *p, g, k, state, with.status, scaling.reduction);
            idr::update_x_and_r<V>(*with.exec, gs, us, {g, u}, state, x, r, with.status, scaling.reduction);
            for (const auto kappa : {0.0, 0.7}) {
                idr::compute_omega<V>(*with.exec, t, r, static_cast<typename TestFixture::real>(kappa), state,
                                      with.status, scaling.reduction);
                idr::finish_cycle<V>(*with.exec, *p, z, t, state, x, r, with.status, scaling.reduction);
            }
        });
    }
}

TYPED_TEST(IdrKernels, UpdatesLikeReference)
{
    using V = typename TypeParam::value_type;
    for (const size_type k : {0, 1, 5}) {
        this->compare_on_every_shape(
            [&](auto& with) {
                array<size_type> breakdown{with.exec, with.size[1]};
                breakdown.fill(0);
                const auto state = this->random_state(with, k + 1, breakdown);
                const auto gs = this->random_vectors(with, k);
                const auto us = this->random_vectors(with, k);
                auto& g = with.vectors();
                auto& u = with.vectors();
                auto& x = with.vectors();
                idr::update_x_and_r<V>(*with.exec, gs, us, {g, u}, state, x, with.vectors(), with.status, with.tmp);
            },
            k == 1 ? this->everything : this->few_entries);
    }
}

TYPED_TEST(IdrKernels, EndsCyclesLikeReference)
{
    using V = typename TypeParam::value_type;
    for (const auto subspace_dim : this->subspace_dims) {
        this->compare_on_every_shape(
            [&](auto& with) {
                array<size_type> breakdown{with.exec, with.size[1]};
                breakdown.fill(0);
                const auto state = this->random_state(with, subspace_dim, breakdown);
                const auto p = this->shadow_space(with, subspace_dim);
                auto& t = with.vectors();
                auto& r = with.vectors();
                auto& z = with.vectors();
                idr::start<V>(*with.exec, *p, r, state, with.status, with.tmp);
                state.m.fill(V(0.1));
                for (size_type i = 0; i < subspace_dim; ++i) {
                    const auto place = i + subspace_dim * i;
                    state.m.create_submatrix({place, place + 1}, {0, with.size[1]})->fill(V(2.0));
                }
                idr::compute_omega<V>(*with.exec, t, r, 0, state, with.status, with.tmp);
                // A full step of one row would leave zero or a rounding error, depending on the
                // rounding of products.
                state.omega.scale(spruce::initialize<typename TestFixture::Dense>({V(0.9)}, with.exec));
                breakdown.fill(0);
                idr::finish_cycle<V>(*with.exec, *p, z, t, state, with.vectors(), r, with.status, with.tmp);
            },
            subspace_dim == 4 ? this->everything : this->few_entries);
    }
}

TYPED_TEST(IdrKernels, PartsLikeWhole)
{
    using V = typename TypeParam::value_type;
    using Dense = typename TestFixture::Dense;
    this->expect_parts_like_whole([](auto& with, const spruce::Reduction& reduction, size_type first_row) {
        array<size_type> breakdown{with.exec, with.size[1]};
        breakdown.fill(0);
        const idr::state<V> state{with.rows(9),        with.rows(3),        with.rows(3),
                                  with.rows(3),        with.scalars(),      with.scalars(),
                                  with.real_scalars(), with.real_scalars(), breakdown};
        const auto p = Dense::create(with.exec, dim<2>{with.size[0], 3});
        idr::fill_random<V>(*with.exec, *p, first_row, true);
        auto& x = with.vectors();
        auto& r = with.vectors();
        auto& g = with.vectors();
        auto& u = with.vectors();
        auto& t = with.vectors();
        auto& z = with.vectors();
        idr::start<V>(*with.exec, *p, r, state, with.status, reduction);
        idr::project_g<V>(*with.exec, *p, g, 0, state, with.status, reduction);
        idr::update_x_and_r<V>(*with.exec, {}, {}, {g, u}, state, x, r, with.status, reduction);
        idr::compute_omega<V>(*with.exec, t, r, typename TestFixture::real(0.7), state, with.status, reduction);
        idr::finish_cycle<V>(*with.exec, *p, z, t, state, x, r, with.status, reduction);
    });
}

}  // namespace
