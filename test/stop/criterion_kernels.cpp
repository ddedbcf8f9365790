// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/stop/criterion_kernels.hpp"

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::size_type;
using spruce::stopping_status;

template <typename Types>
class StopKernels : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::real;

    struct outcome {
        std::vector<stopping_status> status;
        bool all_stopped;
        bool one_changed;
    };

    array<stopping_status> running(size_type size) const
    {
        const std::vector<stopping_status> status(size);
        return {this->exec, status.begin(), status.end()};
    }

    outcome check_norm(std::initializer_list<real> tau, std::initializer_list<real> baseline, real factor,
                       array<stopping_status>& status, bool finalize = true) const
    {
        outcome result{{}, false, false};
        array<char> tmp{this->exec};
        spruce::kernels::stop::residual_norm<real>(*this->exec, *this->real_dense({tau}), *this->real_dense({baseline}),
                                                   factor, 7, finalize, status, result.all_stopped, result.one_changed,
                                                   tmp);
        result.status = status.copy_to_host();
        return result;
    }

    outcome check_implicit_norm(std::initializer_list<V> tau, std::initializer_list<real> baseline, real factor,
                                array<stopping_status>& status,
                                const typename kernel_test<Types>::RealDense* norm = nullptr) const
    {
        outcome result{{}, false, false};
        array<char> tmp{this->exec};
        const auto root = this->real_dense({baseline});
        spruce::kernels::stop::implicit_norm<V>(*this->exec, *this->dense({tau}), norm, *root);
        spruce::kernels::stop::residual_norm<real>(*this->exec, *root, *this->real_dense({baseline}), factor, 7, true,
                                                   status, result.all_stopped, result.one_changed, tmp);
        result.status = status.copy_to_host();
        return result;
    }
};
TYPED_TEST_SUITE(StopKernels, value_types, type_names);

TYPED_TEST(StopKernels, CheckBoundsReportsTheChecksDoneAndThenTheEnd)
{
    using V = typename TestFixture::V;
    using real = typename TestFixture::real;
    namespace stop = spruce::kernels::stop;
    const auto first_baseline = this->real_dense({{10, 10, 10}});
    const auto second_baseline = this->real_dense({{1, 100, 1}});
    stop::device_check<real> check;
    auto& bounds = check.bounds;
    bounds.size = 2;
    bounds.baseline[0] = first_baseline->get_const_values();
    bounds.factor[0] = real(0.5);
    bounds.id[0] = 3;
    bounds.baseline[1] = second_baseline->get_const_values();
    bounds.factor[1] = real(0.25);
    bounds.id[1] = 4;
    auto status = this->running(3);
    array<stop::check_report> state{this->exec, 1};
    array<stop::check_report> report{this->exec, 1};
    state.fill(stop::encode_running(7));
    check.state = state.get_data();
    check.report = report.get_data();
    const auto report_of = [&](std::initializer_list<real> norm) {
        stop::check_bounds<V>(*this->exec, *this->real_dense({norm}), nullptr, check, status);
        return report.copy_to_host()[0];
    };
    std::vector<stopping_status> expected(3);

    EXPECT_EQ(report_of({5, 26, spruce::nan<real>()}), stop::encode_running(8));
    expected[0].converge(3);
    EXPECT_EQ(status.copy_to_host(), expected);
    EXPECT_EQ(report_of({100, 25, 6}), stop::encode_running(9));
    expected[1].converge(4);
    EXPECT_EQ(status.copy_to_host(), expected);
    const auto end = report_of({100, 100, 0});
    EXPECT_TRUE(stop::is_end(end));
    EXPECT_EQ(stop::iteration_of(end), 9u);
    expected[2].converge(3);
    EXPECT_EQ(status.copy_to_host(), expected);
    EXPECT_EQ(report_of({100, 100, 100}), end);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(StopKernels, CheckBoundsTakesTheRootOfImplicitNorms)
{
    using V = typename TestFixture::V;
    using real = typename TestFixture::real;
    namespace stop = spruce::kernels::stop;
    const auto baseline = this->real_dense({{2, 2, 2, 2, 2, 2}});
    const auto norm = this->real_dense({{100, 100, 100, 1, 100, 1}});
    const auto sq_norm = this->dense({{V(4), V(-4), V(5), spruce::nan<V>(), V(0), V(0)}});
    stop::device_check<real> check;
    auto& bounds = check.bounds;
    bounds.size = 1;
    bounds.baseline[0] = baseline->get_const_values();
    bounds.factor[0] = real(1);
    bounds.id[0] = 3;
    bounds.is_implicit[0] = true;
    auto status = this->running(6);
    array<stop::check_report> state{this->exec, 1};
    array<stop::check_report> report{this->exec, 1};
    state.fill(stop::encode_running(0));
    check.state = state.get_data();
    check.report = report.get_data();
    std::vector<stopping_status> expected(6);
    expected[0].converge(3);
    expected[1].converge(3);
    expected[5].converge(3);  // the norm decides if the recurrence has broken down

    stop::check_bounds<V>(*this->exec, *norm, sq_norm.get(), check, status);

    EXPECT_EQ(report.copy_to_host()[0], stop::encode_running(1));
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(StopKernels, MarkColumnsOneByOne)
{
    auto status = this->running(3);

    const auto first = this->check_norm({1, 100, 0.5}, {10, 10, 10}, typename TestFixture::real(0.1), status);
    EXPECT_TRUE(first.status[0].has_converged());  // equality suffices
    EXPECT_FALSE(first.status[1].has_stopped());
    EXPECT_TRUE(first.status[2].has_converged());
    EXPECT_TRUE(first.status[0].is_finalized());
    EXPECT_EQ(first.status[0].get_id(), 7);
    EXPECT_FALSE(first.all_stopped);
    EXPECT_TRUE(first.one_changed);

    const auto second = this->check_norm({1, 100, 0.5}, {10, 10, 10}, typename TestFixture::real(0.1), status);
    EXPECT_FALSE(second.all_stopped);
    EXPECT_FALSE(second.one_changed);

    // A stopped column remains stopped for any norm.
    const auto third = this->check_norm({100, 0, 100}, {10, 10, 10}, typename TestFixture::real(0.1), status);
    EXPECT_TRUE(third.status[0].has_converged());
    EXPECT_TRUE(third.all_stopped);
    EXPECT_TRUE(third.one_changed);
}

TYPED_TEST(StopKernels, NeverCallNanConverged)
{
    using real = typename TestFixture::real;
    const auto nan = spruce::nan<real>();
    auto status = this->running(4);

    const auto result =
        this->check_norm({nan, 0, nan, std::numeric_limits<real>::infinity()}, {1, nan, nan, 1}, 1, status);

    for (const auto& column : result.status) {
        EXPECT_FALSE(column.has_stopped());
    }
    EXPECT_FALSE(result.all_stopped);
    EXPECT_FALSE(result.one_changed);
}

TYPED_TEST(StopKernels, ZeroNormMeetsZeroBaseline)
{
    auto status = this->running(1);

    EXPECT_TRUE(this->check_norm({0}, {0}, 1, status).all_stopped);
}

TYPED_TEST(StopKernels, FinalizeOnlyWhenAsked)
{
    auto status = this->running(1);

    EXPECT_FALSE(this->check_norm({0}, {1}, 1, status, false).status[0].is_finalized());
}

TYPED_TEST(StopKernels, TakeRootOfImplicitNorm)
{
    using V = typename TypeParam::value_type;
    using real = typename TestFixture::real;
    auto status = this->running(3);

    // sqrt(|tau|) = 2, 3 and 3. A rounding error may make tau negative.
    const auto result = this->check_implicit_norm({V(4), V(9), V(-9)}, {2, 2, 3}, real(1), status);

    EXPECT_TRUE(result.status[0].has_converged());
    EXPECT_FALSE(result.status[1].has_stopped());
    EXPECT_TRUE(result.status[2].has_converged());
    EXPECT_TRUE(result.one_changed);
    EXPECT_FALSE(result.all_stopped);
}

TYPED_TEST(StopKernels, TakeTheNormWhereTheImplicitOneIsZero)
{
    using V = typename TestFixture::V;
    using real = typename TestFixture::real;
    auto status = this->running(2);

    const auto with_norm =
        this->check_implicit_norm({V(0), V(0)}, {2, 2}, real(1), status, this->real_dense({{3, 1}}).get());
    EXPECT_FALSE(with_norm.status[0].has_stopped());
    EXPECT_TRUE(with_norm.status[1].has_converged());

    const auto without = this->check_implicit_norm({V(0), V(0)}, {2, 2}, real(1), status);
    EXPECT_TRUE(without.status[0].has_converged());
}

TYPED_TEST(StopKernels, NeverCallImplicitNanConverged)
{
    using V = typename TypeParam::value_type;
    auto status = this->running(1);

    EXPECT_FALSE(this->check_implicit_norm({spruce::nan<V>()}, {1}, 1, status).one_changed);
}

TYPED_TEST(StopKernels, StopAllColumnsWithoutConvergence)
{
    auto status = this->running(3);
    this->check_norm({0, 1, 1}, {0.5, 0.5, 0.5}, 1, status);

    spruce::kernels::stop::set_all_statuses(*this->exec, 3, false, status);

    const auto result = status.copy_to_host();
    EXPECT_TRUE(result[0].has_converged());  // unchanged
    EXPECT_EQ(result[0].get_id(), 7);
    for (const int col : {1, 2}) {
        EXPECT_TRUE(result[col].has_stopped());
        EXPECT_FALSE(result[col].has_converged());
        EXPECT_FALSE(result[col].is_finalized());
        EXPECT_EQ(result[col].get_id(), 3);
    }
}

TYPED_TEST(StopKernels, ServeManyColumnsAndNone)
{
    using real = typename TestFixture::real;
    for (const size_type size : {0, 1, 31, 32, 33, 64, 65, 255, 257, 1025}) {
        SCOPED_TRACE(size);
        const auto tau = spruce::matrix::Dense<real>::create(this->exec, dim<2>{1, size});
        const auto baseline = spruce::matrix::Dense<real>::create(this->exec, dim<2>{1, size});
        tau->fill(1);
        baseline->fill(2);
        auto status = this->running(size);
        bool all_stopped = false;
        bool one_changed = true;
        array<char> tmp{this->exec};

        spruce::kernels::stop::residual_norm<real>(*this->exec, *tau, *baseline, real(0.1), 1, true, status,
                                                   all_stopped, one_changed, tmp);
        EXPECT_EQ(all_stopped, size == 0);
        EXPECT_FALSE(one_changed);
        spruce::kernels::stop::residual_norm<real>(*this->exec, *tau, *baseline, real(1), 1, true, status, all_stopped,
                                                   one_changed, tmp);
        EXPECT_TRUE(all_stopped);
        EXPECT_EQ(one_changed, size > 0);
        for (const auto& column : status.copy_to_host()) {
            EXPECT_TRUE(column.has_converged());
        }
    }
}

}  // namespace
