// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/minres_kernels.hpp"

#include "test/solver/two_parts.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::size_type;
using spruce::stop_reason;
using spruce::stopping_status;

namespace minres = spruce::kernels::minres;

template <typename Types>
class MinresKernels : public two_parts_test<Types> {
protected:
    using typename step_test<Types>::V;
    using typename step_test<Types>::real;
    using typename step_test<Types>::RealDense;
    using typename step_test<Types>::operands;

    /// Returns the state whose rows are given; all other rows are 1.
    std::unique_ptr<RealDense> state(size_type num_cols,
                                     const std::vector<std::pair<minres::state_row, std::vector<double>>>& rows) const
    {
        auto result = RealDense::create(this->ref, dim<2>{minres::num_state_rows, num_cols});
        result->fill(1);
        for (const auto& row : rows) {
            for (size_type col = 0; col < num_cols; ++col) {
                result->at(row.first, col) = static_cast<real>(row.second[col]);
            }
        }
        return clone(this->exec, result);
    }

    void expect_row(const std::unique_ptr<RealDense>& state, minres::state_row row, const std::vector<double>& values)
    {
        const auto found = clone(this->ref, state);
        for (size_type col = 0; col < values.size(); ++col) {
            EXPECT_NEAR(found->at(row, col), values[col], 8 * this->epsilon() * (1 + std::abs(values[col])))
                << "row " << row << ", column " << col;
        }
    }

    /// Returns a random state away from zero, as in a process that continues.
    static RealDense& random_state(operands& with)
    {
        auto& result = with.real_rows(minres::num_state_rows);
        auto host = clone(with.exec->get_master(), &result);
        for (size_type row = 0; row < minres::num_state_rows; ++row) {
            for (size_type col = 0; col < host->get_size()[1]; ++col) {
                host->at(row, col) = std::abs(host->at(row, col)) + real{0.5};
            }
        }
        result.copy_from(host);
        return result;
    }
};
TYPED_TEST_SUITE(MinresKernels, value_types, type_names);

TYPED_TEST(MinresKernels, StartByHand)
{
    using V = typename TypeParam::value_type;
    // Columns: a norm; stopped; negative; zero although v is not.
    const auto v = this->dense({{3, 3, 3, 3}, {4, 4, 4, 4}});
    const auto z = this->dense({{4, 4, -4, 4}, {1, 1, 1, -3}});
    const auto state = this->state(4, {{minres::exhausted_row, {0, 1, 1, 0}}, {minres::size_row, {7, 7, 7, 7}}});
    const auto norm = this->real_dense({{-1, -1, -1, -1}});
    const auto rho = this->dense({{-1, -1, -1, -1}});
    std::vector<stopping_status> expected(4);
    expected[1].converge(1);
    auto status = this->statuses(expected);
    array<char> tmp{this->exec};

    minres::start<V>(*this->exec, *v, *z, *state, *norm, *rho, status, tmp);

    this->expect_row(state, minres::gamma_row, {4, 1, 0, 0});
    this->expect_row(state, minres::eta_row, {4, 1, 0, 0});
    this->expect_row(state, minres::start_eta_row, {4, 1, 1, 0});
    this->expect_row(state, minres::size_row, {0, 7, 7, 0});
    this->expect_row(state, minres::exhausted_row, {0, 1, 0, 0});
    this->expect_row(state, minres::beta_row, {0, 1, 0, 0});
    this->expect_row(state, minres::sin_row, {0, 1, 0, 0});
    this->expect_row(state, minres::prev_sin_row, {0, 1, 0, 0});
    this->expect_row(state, minres::cos_row, {1, 1, 1, 1});
    EXPECT_MTX_NEAR(norm, this->real_dense({{5, -1, 5, 5}}), this->epsilon());
    EXPECT_MTX_NEAR(rho, this->dense({{16, -1, -8, 0}}), 0.0);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(MinresKernels, ProductByHand)
{
    using V = typename TypeParam::value_type;
    // Columns: in progress; stopped; gamma is zero; not finite.
    const auto state = this->state(4, {{minres::gamma_row, {2, 2, 0, 2}}});
    std::vector<stopping_status> expected(4);
    expected[1].converge(1);
    auto status = this->statuses(expected);
    array<char> tmp{this->exec};

    minres::compute_delta<V>(*this->exec, *this->dense({{1, 1, 1, spruce::nan<V>()}, {2, 2, 2, 2}}),
                             *this->dense({{4, 4, 4, 4}, {1, 1, 1, 1}}), *state, status, tmp);

    const auto found = clone(this->ref, state);
    EXPECT_EQ(found->at(minres::delta_row, 0), 1.5);
    EXPECT_EQ(found->at(minres::delta_row, 1), 1);
    expected[2].stop(stop_reason::breakdown_inner_product);
    expected[3].stop(stop_reason::not_finite);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(MinresKernels, AdvanceByHand)
{
    using V = typename TypeParam::value_type;
    // Columns: the first step; a later one; stopped.
    const auto nan = spruce::nan<V>();
    for (const auto is_preconditioned : {false, true}) {
        const auto prev_v = this->dense({{nan, 1, 7}, {nan, -2, 8}});
        const auto state = this->state(3, {{minres::gamma_row, {2, 2, 2}},
                                           {minres::delta_row, {4, 4, 4}},
                                           {minres::beta_row, {0, 2, 2}},
                                           {minres::prev_gamma_row, {1, 0.5, 1}}});
        auto expected = this->some_stopped(3);
        auto status = this->statuses(expected);
        array<char> tmp{this->exec};

        minres::compute_next_v<V>(*this->exec, *this->dense({{10, 10, 10}, {12, 12, 12}}),
                                  *this->dense({{1, 1, 1}, {1, 1, 1}}), *prev_v, *state, is_preconditioned, status,
                                  tmp);

        EXPECT_MTX_NEAR(prev_v, this->dense({{3, -1, 7}, {4, 12, 8}}), 0.0);
        this->expect_row(
            state, minres::gamma_row,
            is_preconditioned ? std::vector<double>{2, 2, 2} : std::vector<double>{5, std::sqrt(145.0), 2});
        EXPECT_EQ(status.copy_to_host(), expected);
    }
}

TYPED_TEST(MinresKernels, RotateByHand)
{
    using V = typename TypeParam::value_type;
    // Columns: the first step; the last step in an exhausted space; stopped; (v, z) is negative;
    // not finite; only v remains of a residual that A maps to zero.
    const auto v = this->dense({{3, 0, 3, 3, spruce::nan<V>(), 0}, {4, 0, 4, 4, 4, 0}});
    const auto z = this->dense({{4, 0, 4, -4, 4, 0}, {1, 0, 1, 1, 1, 0}});
    const auto state = this->state(6, {{minres::gamma_row, {2, 2, 2, 2, 2, 2}},
                                       {minres::delta_row, {3, 3, 3, 3, 3, 2}},
                                       {minres::beta_row, {0, 2, 2, 2, 2, 2}},
                                       {minres::cos_row, {1, 0.6, 1, 1, 1, 1}},
                                       {minres::prev_cos_row, {1, 0.5, 1, 1, 1, 1}},
                                       {minres::sin_row, {0, 0.8, 0, 0, 0, 1}},
                                       {minres::prev_sin_row, {0, 0.25, 0, 0, 0, 0}},
                                       {minres::eta_row, {10, 10, 10, 10, 10, 10}},
                                       {minres::size_row, {0, 9, 0, 0, 0, 0}},
                                       {minres::exhausted_row, {0, 0, 0, 0, 0, 0}}});
    std::vector<stopping_status> expected(6);
    expected[2].converge(1);
    auto status = this->statuses(expected);
    array<char> tmp{this->exec};

    minres::rotate<V>(*this->exec, *v, *z, *state, status, tmp);

    // (v, z) = 16, and the column (3, 4) becomes 5. In the second column 0.6 * 3 - 0.5 * 0.8 * 2 =
    // 1, and nothing remains to be rotated.
    this->expect_row(state, minres::gamma_row, {4, 0, 2, 2, 2, 2});
    this->expect_row(state, minres::prev_gamma_row, {2, 2, 1, 1, 1, 1});
    this->expect_row(state, minres::beta_row, {4, 0, 2, 2, 2, 2});
    this->expect_row(state, minres::cos_row, {0.6, 1, 1, 1, 1, 1});
    this->expect_row(state, minres::sin_row, {0.8, 0, 0, 0, 0, 1});
    this->expect_row(state, minres::prev_cos_row, {1, 0.6, 1, 1, 1, 1});
    this->expect_row(state, minres::prev_sin_row, {0, 0.8, 0, 0, 0, 0});
    this->expect_row(state, minres::eta_row, {-8, 0, 10, 10, 10, 10});
    this->expect_row(state, minres::size_row, {7, 9, 0, 0, 0, 4});
    this->expect_row(state, minres::exhausted_row, {0, 0, 0, 0, 0, 1});
    this->expect_row(state, minres::z_factor_row, {0.1, 0.5, 1, 1, 1, 1});
    this->expect_row(state, minres::w_factor_row, {0, 3, 1, 1, 1, 1});  // 0.8 * 3 + 0.5 * 0.6 * 2
    this->expect_row(state, minres::prev_w_factor_row, {0, 0.5, 1, 1, 1, 1});
    this->expect_row(state, minres::step_row, {6, 10, 1, 1, 1, 1});
    this->expect_row(state, minres::r_factor_row, {0.64, 0, 1, 1, 1, 1});
    this->expect_row(state, minres::v_factor_row, {-1.2, 0, 1, 1, 1, 1});
    // w is z / 5 in units of 7 and z - 3 w - 0.5 w_prev. The inner products of the old vectors are
    // 1.
    this->expect_row(state, minres::unit_row, {7, 1, 1, 1, 1, 4});
    this->expect_row(state, minres::w_w_row, {1.96, 13.25, 1, 1, 1, 1});
    this->expect_row(state, minres::w_prev_w_row, {0, -3.5, 1, 1, 1, 1});
    this->expect_row(state, minres::prev_w_prev_w_row, {1, 1, 1, 1, 1, 1});
    this->expect_row(state, minres::x_w_row, {6 * 1.96, -3.5 + 10 * 13.25, 1, 1, 1, 1});
    this->expect_row(state, minres::x_prev_w_row, {1, -34, 1, 1, 1, 1});
    this->expect_row(state, minres::x_x_row, {1 + 36 * 1.96, 1 - 2 * 35 + 100 * 13.25, 1, 1, 1, 1});
    expected[3].stop(stop_reason::breakdown_inner_product);
    expected[4].stop(stop_reason::not_finite);
    expected[5].stop(stop_reason::breakdown_subspace);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(MinresKernels, RotateStopsAtRoundingErrorsOfTheFirstResidualAndOfX)
{
    using V = typename TypeParam::value_type;
    // Columns 1 to 3: ||A r|| is 100 epsilon of the matrix times ||r||. ||r|| is 0.7 and 0.6 of the
    // first residual, and 0.7 with a nonzero x. Columns 4 and 5: ||A r|| is about ||r|| / 2. ||r||
    // is 4 epsilon of the first residual, with a nonzero x and with x = 0.
    const auto eps = static_cast<double>(this->epsilon());
    const auto state = this->state(5, {{minres::delta_row, {100 * eps, 100 * eps, 100 * eps, 0.5, 0.5}},
                                       {minres::beta_row, {0, 0, 0, 0, 0}},
                                       {minres::sin_row, {0, 0, 0, 0, 0}},
                                       {minres::eta_row, {0.7, -0.6, 0.7, 4 * eps, 4 * eps}},
                                       {minres::size_row, {1, 1, 1, 1, 1}},
                                       {minres::x_x_row, {0, 0, 1, 9, 0}},
                                       {minres::exhausted_row, {0, 0, 0, 0, 0}}});
    std::vector<stopping_status> expected(5);
    auto status = this->statuses(expected);
    array<char> tmp{this->exec};
    const auto v = this->dense({{0, 0, 0, 0, 0}});

    minres::rotate<V>(*this->exec, *v, *v, *state, status, tmp);

    this->expect_row(state, minres::exhausted_row, {0, 1, 1, 0, 0});
    expected[1].stop(stop_reason::breakdown_subspace);
    expected[2].stop(stop_reason::breakdown_subspace);
    expected[3].stop(stop_reason::stagnation);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(MinresKernels, UpdateByHand)
{
    using V = typename TypeParam::value_type;
    // Columns: the first step; a later one; stopped; without residual; down to rounding errors; x
    // would overflow.
    const auto nan = spruce::nan<V>();
    const auto max = std::numeric_limits<spruce::remove_complex<V>>::max();
    for (const auto is_preconditioned : {false, true}) {
        SCOPED_TRACE(is_preconditioned);
        const auto z = this->dense({{2, 2, 2, 2, 2, 2}, {4, 4, 4, 4, 4, 4}});
        const auto w = this->dense({{nan, 1, 1, 1, 1, 1}, {nan, 2, 2, 2, 2, 2}});
        const auto prev_w = this->dense({{nan, 3, 3, 3, 3, 3}, {nan, -1, -1, -1, -1, -1}});
        const auto x = this->dense({{1, 1, 1, 1, 1, max}, {1, 1, 1, 1, 1, 1}});
        const auto r = this->dense({{1, 1, 1, 0, 1, 1}, {0, 0, 0, 0, 0, 0}});
        const auto next_v = this->dense({{1, 1, 1, 0, 1, 1}, {2, 2, 2, 0, 2, 2}});
        const auto state = this->state(6, {{minres::z_factor_row, {0.5, 0.5, 0.5, 0.5, 0.5, 0.5}},
                                           {minres::w_factor_row, {0, 2, 2, 0, 0, 0}},
                                           {minres::prev_w_factor_row, {0, 1, 1, 0, 0, 0}},
                                           {minres::step_row, {3, 3, 3, 3, 3, static_cast<double>(max)}},
                                           {minres::eta_row, {-6, 7, 7, 0, 6, 6}},
                                           {minres::r_factor_row, {1, 1, 1, 1, 1, 1}},
                                           {minres::v_factor_row, {2, 2, 2, 2, 2, 2}}});
        const auto start_norm = this->real_dense({{9, 9, 9, 9, 1e20f, 9}});
        const auto norm = this->real_dense({{-1, -1, -1, -1, -1, -1}});
        const auto rho = this->dense({{-1, -1, -1, -1, -1, -1}});
        std::vector<stopping_status> expected(6);
        expected[2].converge(1);
        auto status = this->statuses(expected);
        array<char> tmp{this->exec};

        minres::update_solution<V>(*this->exec, {*z, *w, *next_v, *prev_w, *x, *r}, {*state, *start_norm, *norm, *rho},
                                   is_preconditioned, status, tmp);

        EXPECT_MTX_NEAR(prev_w, this->dense({{1, -4, 3, 1, 1, 1}, {2, -1, -1, 2, 2, 2}}), 0.0);
        EXPECT_MTX_NEAR(x, this->dense({{4, -11, 1, 4, 4, max}, {7, -2, 1, 7, 7, 1}}), 0.0);
        EXPECT_MTX_NEAR(rho, this->dense({{36, 49, -1, 0, 36, 36}}), 0.0);
        const auto first = norm->create_submatrix({0, 1}, {0, 5});
        if (is_preconditioned) {
            EXPECT_MTX_NEAR(r, this->dense({{3, 3, 1, 0, 3, 3}, {4, 4, 0, 0, 4, 4}}), 0.0);
            EXPECT_MTX_NEAR(first, this->real_dense({{5, 5, -1, 0, 5}}), this->epsilon());
        } else {
            EXPECT_MTX_NEAR(r, this->dense({{1, 1, 1, 0, 1, 1}, {0, 0, 0, 0, 0, 0}}), 0.0);
            EXPECT_MTX_NEAR(first, this->real_dense({{6, 7, -1, 0, 6}}), 0.0);
        }
        expected[3].stop(stop_reason::converged);
        expected[4].stop(stop_reason::stagnation);
        expected[5].stop(stop_reason::not_finite);
        EXPECT_EQ(status.copy_to_host(), expected);
    }
}

TYPED_TEST(MinresKernels, ScaleChangesNothing)
{
    using V = typename TypeParam::value_type;
    this->expect_scale_changes_nothing([](auto& with, auto& scaling) {
        auto& state = TestFixture::random_state(with);
        scaling.enlarge_row(state, minres::gamma_row);
        scaling.enlarge_row(state, minres::eta_row);
        auto& v = scaling.enlarge(with.vectors());
        auto& norm = scaling.enlarge(with.real_scalars());
        minres::start<V>(*with.exec, v, v, state, norm, with.scalars(), with.status, scaling.reduction);
        minres::compute_delta<V>(*with.exec, scaling.enlarge(with.vectors()), v, state, with.status, scaling.reduction);
    });
    for (const auto is_preconditioned : {false, true}) {
        this->expect_scale_changes_nothing([=](auto& with, auto& scaling) {
            auto& state = TestFixture::random_state(with);
            scaling.enlarge_row(state, minres::eta_row);
            const auto& z = with.vectors();
            const auto& w = with.vectors();
            const auto& next_v = scaling.enlarge(with.vectors());
            auto& prev_w = with.vectors();
            auto& x = with.vectors();
            auto& r = scaling.enlarge(with.vectors());
            const auto& start_norm = scaling.enlarge(with.real_scalars());
            auto& norm = scaling.enlarge(with.real_scalars());
            minres::update_solution<V>(*with.exec, {z, w, next_v, prev_w, x, r},
                                       {state, start_norm, norm, with.scalars()}, is_preconditioned, with.status,
                                       scaling.reduction);
        });
    }
}

// (v, A v) contains the third power of A in every step but the first.
TYPED_TEST(MinresKernels, ProductIsFiniteWhereDeltaIs)
{
    using V = typename TypeParam::value_type;
    using real = typename TestFixture::real;
    for (const auto exponent :
         {std::numeric_limits<real>::max_exponent / 2 - 2, std::numeric_limits<real>::min_exponent / 2 + 2}) {
        const auto large = std::ldexp(real{1}, exponent);
        const auto state = this->state(1, {{minres::gamma_row, {5 * static_cast<double>(large)}}});
        auto status = this->statuses(std::vector<stopping_status>(1));
        array<char> tmp{this->exec};

        minres::compute_delta<V>(*this->exec, *this->dense({{3 * large * large}, {4 * large * large}}),
                                 *this->dense({{3 * large}, {4 * large}}), *state, status, tmp);

        EXPECT_NEAR(clone(this->ref, state)->at(minres::delta_row, 0) / large, 1, 10 * this->epsilon());
        EXPECT_FALSE(status.copy_to_host()[0].has_stopped());
    }
}

TYPED_TEST(MinresKernels, StepsLikeReference)
{
    using V = typename TypeParam::value_type;
    for (const auto is_preconditioned : {false, true}) {
        this->compare_on_every_shape([=](auto& with) {
            auto& state = TestFixture::random_state(with);
            const auto& y = with.vectors();
            const auto& v = with.vectors();
            auto& prev_v = with.vectors();
            minres::compute_next_v<V>(*with.exec, y, v, prev_v, state, is_preconditioned, with.status, with.tmp);
        });
        this->compare_on_every_shape([=](auto& with) {
            const auto& state = TestFixture::random_state(with);
            const auto& z = with.vectors();
            const auto& w = with.vectors();
            const auto& next_v = with.vectors();
            auto& prev_w = with.vectors();
            auto& x = with.vectors();
            auto& r = with.vectors();
            const auto& start_norm = with.real_scalars();
            auto& norm = with.real_scalars();
            minres::update_solution<V>(*with.exec, {z, w, next_v, prev_w, x, r},
                                       {state, start_norm, norm, with.scalars()}, is_preconditioned, with.status,
                                       with.tmp);
        });
    }
    // (v, v) is a norm.
    this->compare_on_every_shape([](auto& with) {
        auto& state = TestFixture::random_state(with);
        const auto& v = with.vectors();
        auto& norm = with.real_scalars();
        minres::start<V>(*with.exec, v, v, state, norm, with.scalars(), with.status, with.tmp);
        minres::compute_delta<V>(*with.exec, v, v, state, with.status, with.tmp);
        minres::rotate<V>(*with.exec, v, v, state, with.status, with.tmp);
    });
}

TYPED_TEST(MinresKernels, PartsLikeWhole)
{
    using V = typename TypeParam::value_type;
    for (const auto is_preconditioned : {false, true}) {
        this->expect_parts_like_whole([=](auto& with, const spruce::Reduction& reduction, size_type) {
            auto& state = with.real_rows(minres::num_state_rows);
            auto& v = with.vectors();
            auto& y = with.vectors();
            auto& prev_v = with.vectors();
            auto& w = with.vectors();
            auto& prev_w = with.vectors();
            auto& x = with.vectors();
            auto& r = with.vectors();
            auto& norm = with.real_scalars();
            auto& start_norm = with.real_scalars();
            auto& rho = with.scalars();
            minres::start<V>(*with.exec, v, v, state, norm, rho, with.status, reduction);
            minres::compute_delta<V>(*with.exec, y, v, state, with.status, reduction);
            minres::compute_next_v<V>(*with.exec, y, v, prev_v, state, is_preconditioned, with.status, reduction);
            if (is_preconditioned) {
                minres::rotate<V>(*with.exec, prev_v, prev_v, state, with.status, reduction);
            }
            minres::update_solution<V>(*with.exec, {v, w, prev_v, prev_w, x, r}, {state, start_norm, norm, rho},
                                       is_preconditioned, with.status, reduction);
        });
    }
}

}  // namespace
