// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/stop/criterion_kernels.hpp"

#include "test/reference/reference_test.hpp"

namespace {

using namespace spruce;

template <typename V>
class ReferenceStop : public test::ReferenceTest<V> {
protected:
    using R = remove_complex<V>;

    std::unique_ptr<matrix::Dense<R>> real(test::rows<R> entries) const
    {
        return initialize<matrix::Dense<R>>(entries, this->exec);
    }

    /// Creates the statuses of running columns.
    array<stopping_status> running(size_type size) const
    {
        array<stopping_status> status{this->exec, size};
        for (size_type col = 0; col < size; ++col) {
            status.get_data()[col].reset();
        }
        return status;
    }

    bool all_stopped{};
    bool one_changed{};
    array<char> tmp{this->exec};
};

TYPED_TEST_SUITE(ReferenceStop, test::value_types, );

TYPED_TEST(ReferenceStop, ResidualNormStopsColumnsAtTheLimit)
{
    using R = typename TestFixture::R;
    auto status = this->running(3);

    kernels::stop::residual_norm<R>(*this->exec, *this->real({{1, 2, 3}}), *this->real({{4, 4, 4}}), R(0.5), 3, true,
                                    status, this->all_stopped, this->one_changed, this->tmp);

    EXPECT_TRUE(status.get_data()[0].has_converged());
    EXPECT_TRUE(status.get_data()[1].has_converged());
    EXPECT_TRUE(status.get_data()[1].is_finalized());
    EXPECT_EQ(status.get_data()[1].get_id(), 3);
    EXPECT_FALSE(status.get_data()[2].has_stopped());
    EXPECT_FALSE(this->all_stopped);
    EXPECT_TRUE(this->one_changed);
}

TYPED_TEST(ReferenceStop, ResidualNormReportsNoChangeWhereAllHadStopped)
{
    using R = typename TestFixture::R;
    auto status = this->running(1);
    status.get_data()[0].stop(7);

    kernels::stop::residual_norm<R>(*this->exec, *this->real({{0}}), *this->real({{1}}), R(1), 3, true, status,
                                    this->all_stopped, this->one_changed, this->tmp);

    EXPECT_EQ(status.get_data()[0].get_id(), 7);
    EXPECT_FALSE(status.get_data()[0].has_converged());
    EXPECT_TRUE(this->all_stopped);
    EXPECT_FALSE(this->one_changed);
}

TYPED_TEST(ReferenceStop, NanIsNeverConverged)
{
    using R = typename TestFixture::R;
    auto status = this->running(2);

    kernels::stop::residual_norm<R>(*this->exec, *this->real({{nan<R>(), 1}}), *this->real({{1, nan<R>()}}), R(1), 3,
                                    true, status, this->all_stopped, this->one_changed, this->tmp);

    EXPECT_FALSE(status.get_data()[0].has_stopped());
    EXPECT_FALSE(status.get_data()[1].has_stopped());
    EXPECT_FALSE(this->all_stopped);
    EXPECT_FALSE(this->one_changed);
}

TYPED_TEST(ReferenceStop, ImplicitNormIsTheRoot)
{
    using V = TypeParam;
    using R = typename TestFixture::R;
    const auto result = this->real({{0, 0, 0, 0}});

    kernels::stop::implicit_norm<V>(*this->exec, *this->dense({{4, -4, 0, nan<V>()}}), nullptr, *result);

    EXPECT_EQ(result->at(0, 0), R(2));
    EXPECT_EQ(result->at(0, 1), R(2));
    EXPECT_EQ(result->at(0, 2), R(0));
    EXPECT_TRUE(std::isnan(result->at(0, 3)));
}

TYPED_TEST(ReferenceStop, SetAllStatusesStopsRunningColumnsOnly)
{
    auto status = this->running(2);
    status.get_data()[0].converge(3);

    kernels::stop::set_all_statuses(*this->exec, 5, true, status);

    EXPECT_EQ(status.get_data()[0].get_id(), 3);
    EXPECT_EQ(status.get_data()[1].get_id(), 5);
    EXPECT_FALSE(status.get_data()[1].has_converged());
}

}  // namespace
