// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/coo_kernels.hpp"

#include "test/reference/reference_test.hpp"

namespace {

using namespace spruce;

template <typename Types>
class ReferenceCoo : public test::ReferenceTest<typename Types::first_type> {
protected:
    using V = typename Types::first_type;
    using I = typename Types::second_type;

    /// Creates this matrix. Its first row is stored from right to left, and its 7 as 3 and 4.
    /// 1 0 2
    /// 0 0 0
    /// 0 7 0
    std::unique_ptr<matrix::Coo<V, I>> unsorted() const
    {
        const auto& exec = this->exec;
        return matrix::Coo<V, I>::create(exec, dim<2>{3, 3}, array<V>{exec, {2, 1, 3, 4}}, array<I>{exec, {2, 0, 1, 1}},
                                         array<I>{exec, {0, 0, 2, 2}});
    }
};

TYPED_TEST_SUITE(ReferenceCoo, test::value_and_index_types, );

TYPED_TEST(ReferenceCoo, SpmvOverwritesResult)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto b = this->dense({{1, 10}, {2, 20}, {3, 30}});
    const auto x = this->dense_of_nan(3, 2);

    kernels::coo::spmv<V, I>(*this->exec, *this->unsorted(), *b, *x);

    this->template expect_equal<V>(*x, {{7, 70}, {0, 0}, {14, 140}});
}

TYPED_TEST(ReferenceCoo, AdvancedSpmvCombines)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto b = this->dense({{1}, {2}, {3}});
    const auto x = this->dense({{1}, {2}, {3}});

    kernels::coo::advanced_spmv<V, I>(*this->exec, *this->dense({{2}}), *this->unsorted(), *b, *this->dense({{-3}}),
                                      *x);

    this->template expect_equal<V>(*x, {{11}, {-6}, {19}});
}

TYPED_TEST(ReferenceCoo, AdvancedSpmvIgnoresOperandsOfZeroFactors)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto zero = this->dense({{0}});
    const auto one = this->dense({{1}});
    const auto scaled = this->dense({{1}, {2}, {3}});
    const auto product = this->dense_of_nan(3, 1);

    kernels::coo::advanced_spmv<V, I>(*this->exec, *zero, *this->unsorted(), *this->dense_of_nan(3, 1), *one, *scaled);
    kernels::coo::advanced_spmv<V, I>(*this->exec, *one, *this->unsorted(), *scaled, *zero, *product);

    this->template expect_equal<V>(*scaled, {{1}, {2}, {3}});
    this->template expect_equal<V>(*product, {{7}, {0}, {14}});
}

TYPED_TEST(ReferenceCoo, Spmv2Adds)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto x = this->dense({{1}, {2}, {3}});

    kernels::coo::spmv2<V, I>(*this->exec, *this->unsorted(), *this->dense({{1}, {2}, {3}}), *x);

    this->template expect_equal<V>(*x, {{8}, {2}, {17}});
}

TYPED_TEST(ReferenceCoo, AdvancedSpmv2AddsMultiple)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto x = this->dense({{1}, {2}, {3}});

    kernels::coo::advanced_spmv2<V, I>(*this->exec, *this->dense({{-1}}), *this->unsorted(),
                                       *this->dense({{1}, {2}, {3}}), *x);
    kernels::coo::advanced_spmv2<V, I>(*this->exec, *this->dense({{0}}), *this->unsorted(), *this->dense_of_nan(3, 1),
                                       *x);

    this->template expect_equal<V>(*x, {{-6}, {2}, {-11}});
}

}  // namespace
