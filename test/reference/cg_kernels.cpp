// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/cg_kernels.hpp"

#include "test/reference/reference_test.hpp"

namespace {

using namespace spruce;

template <typename V>
class ReferenceCg : public test::ReferenceTest<V> {
protected:
    using R = remove_complex<V>;

    /// Two right-hand sides, the second of which has stopped.
    ReferenceCg()
    {
        status.get_data()[0].reset();
        status.get_data()[1].reset();
        status.get_data()[1].stop(1);
    }

    array<stopping_status> status{this->exec, 2};
    array<char> tmp{this->exec};
};

TYPED_TEST_SUITE(ReferenceCg, test::value_types, );

TYPED_TEST(ReferenceCg, InitializeRestartsEveryColumn)
{
    using V = TypeParam;
    const auto p = this->dense_of_nan(3, 2);
    const auto prev_rho = this->dense_of_nan(1, 2);
    const auto rho = this->dense_of_nan(1, 2);

    kernels::cg::initialize<V>(*this->exec, *p, *prev_rho, *rho, this->status);

    this->template expect_equal<V>(*p, {{0, 0}, {0, 0}, {0, 0}});
    this->template expect_equal<V>(*prev_rho, {{1, 1}});
    this->template expect_equal<V>(*rho, {{0, 0}});
    EXPECT_FALSE(this->status.get_data()[1].has_stopped());
}

TYPED_TEST(ReferenceCg, Step1UpdatesDirectionOfRunningColumns)
{
    using V = TypeParam;
    const auto p = this->dense({{1, 1}, {2, 2}});
    const auto z = this->dense({{10, 10}, {20, 20}});

    kernels::cg::step_1<V>(*this->exec, *p, *z, *this->dense({{6, 6}}), *this->dense({{2, 2}}), this->status);

    this->template expect_equal<V>(*p, {{13, 1}, {26, 2}});
}

TYPED_TEST(ReferenceCg, Step1StartsAnewWherePreviousRhoIsZero)
{
    using V = TypeParam;
    const auto p = this->dense_of_nan(2, 1);

    kernels::cg::step_1<V>(*this->exec, *p, *this->dense({{10}, {20}}), *this->dense({{6}}), *this->dense({{0}}),
                           this->status);

    this->template expect_equal<V>(*p, {{10}, {20}});
}

TYPED_TEST(ReferenceCg, Step2UpdatesRunningColumnsAndMeasuresResidual)
{
    using V = TypeParam;
    using R = typename TestFixture::R;
    const auto x = this->dense({{1, 1}, {2, 2}});
    const auto r = this->dense({{7, 5}, {10, 12}});
    const auto p = this->dense({{1, 1}, {-1, -1}});
    const auto q = this->dense({{2, 2}, {3, 3}});
    const auto rr = this->dense_of_nan(1, 2);
    const auto norm = matrix::Dense<R>::create(this->exec, dim<2>{1, 2});

    kernels::cg::step_2<V>(*this->exec, *x, *r, *p, *q, *this->dense({{3, 3}}), *this->dense({{6, 6}}), this->status,
                           *rr, *norm, this->tmp);  // alpha = 2

    this->template expect_equal<V>(*x, {{3, 1}, {0, 2}});
    this->template expect_equal<V>(*r, {{3, 5}, {4, 12}});
    EXPECT_EQ(rr->at(0, 0), V(25));
    EXPECT_EQ(norm->at(0, 0), R(5));
}

TYPED_TEST(ReferenceCg, Step2ChangesNothingWhereBetaIsZero)
{
    using V = TypeParam;
    using R = typename TestFixture::R;
    const auto x = this->dense({{1}, {2}});
    const auto r = this->dense({{3}, {4}});
    const auto p = this->dense({{1}, {1}});
    const auto rr = this->dense_of_nan(1, 1);
    const auto norm = matrix::Dense<R>::create(this->exec, dim<2>{1, 1});

    kernels::cg::step_2<V>(*this->exec, *x, *r, *p, *p, *this->dense({{0}}), *this->dense({{6}}), this->status, *rr,
                           *norm, this->tmp);

    this->template expect_equal<V>(*x, {{1}, {2}});
    this->template expect_equal<V>(*r, {{3}, {4}});
    EXPECT_EQ(norm->at(0, 0), R(5));
}

}  // namespace
