// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests absolute values, real and imaginary parts, means and multiples of the identity, and the
// cost of reductions.

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::dim;
using spruce::size_type;

const std::vector<dim<2>> shapes{{0, 0},  {0, 3},  {3, 0},   {1, 1},   {1, 70},
                                 {70, 1}, {33, 9}, {64, 65}, {129, 4}, {3, 130}};

template <typename Types>
class DenseParts : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::real;
    using typename kernel_test<Types>::Dense;
    using complex = spruce::to_complex<V>;

    /// Compares matrix.function() with map(entry) for every shape. Compares also run(matrix,
    /// output), which writes into an output.
    template <typename Result, typename Map, typename Create, typename Run>
    void compare(Map map, Create create, Run run)
    {
        for (const auto& size : shapes) {
            SCOPED_TRACE(testing::Message() << size[0] << " x " << size[1]);
            const auto data = random_full(this->engine, size[0], size[1]);
            const auto x = make_dense<V>(this->exec, data, size[1] + 3);
            auto expected = data;
            for (auto& entry : expected.nonzeros) {
                const auto value = spruce::is_complex<V>() ? entry.value : entry.value.real();
                entry.value = map(value);
            }
            const auto output = make_dense_of_nan<Result>(this->exec, size, size[1] + 2);
            const auto host_output = make_dense_of_nan<Result>(this->ref, size);

            run(*x, output);
            run(*x, host_output);

            const auto expected_dense = make_dense<Result>(this->ref, expected);
            EXPECT_MTX_NEAR(output, expected_dense, 4 * this->epsilon());
            EXPECT_MTX_NEAR(host_output, expected_dense, 4 * this->epsilon());
            EXPECT_MTX_NEAR(create(*x), output, 0.0);
            EXPECT_TRUE(padding_is_intact(*output));
        }
    }
};
TYPED_TEST_SUITE(DenseParts, value_types, type_names);

TYPED_TEST(DenseParts, ComputesAbsoluteValues)
{
    using real = typename TestFixture::real;
    this->template compare<real>([](auto value) { return std::abs(value); },
                                 [](auto& x) { return x.compute_absolute(); },
                                 [](auto& x, auto& output) { x.compute_absolute(output); });
}

TYPED_TEST(DenseParts, ComputesAbsoluteValuesInPlace)
{
    for (const auto& size : shapes) {
        const auto x = this->random_dense(size[0], size[1], size[1] + 3);
        const auto expected = x->compute_absolute();

        x->compute_absolute_inplace();

        EXPECT_MTX_NEAR(x, expected, 0.0);
        EXPECT_TRUE(padding_is_intact(*x));
    }
}

TYPED_TEST(DenseParts, OffersAbsoluteValuesAsAbility)
{
    const auto x = this->dense({{-3, 4}, {0, -1}});

    const auto result = dynamic_cast<spruce::AbsoluteComputable&>(*x).compute_absolute_linop();

    EXPECT_MTX_NEAR(result, this->real_dense({{3, 4}, {0, 1}}), 0.0);
}

TYPED_TEST(DenseParts, MakesComplexNumbers)
{
    using complex = typename TestFixture::complex;
    this->template compare<complex>([](auto value) { return value; }, [](auto& x) { return x.make_complex(); },
                                    [](auto& x, auto& output) { x.make_complex(output); });
}

TYPED_TEST(DenseParts, GivesRealParts)
{
    using real = typename TestFixture::real;
    this->template compare<real>([](auto value) { return value.real(); }, [](auto& x) { return x.get_real(); },
                                 [](auto& x, auto& output) { x.get_real(output); });
}

TYPED_TEST(DenseParts, GivesImaginaryParts)
{
    using real = typename TestFixture::real;
    this->template compare<real>([](auto value) { return value.imag(); }, [](auto& x) { return x.get_imag(); },
                                 [](auto& x, auto& output) { x.get_imag(output); });
}

TYPED_TEST(DenseParts, RefusesOutputsOfAnotherSize)
{
    using RealDense = typename TestFixture::RealDense;
    const auto x = this->dense({{1, 2}});
    const auto wrong = RealDense::create(this->exec, dim<2>{2, 1});
    wrong->fill(0);

    EXPECT_THROW_WITH(x->compute_absolute(wrong), spruce::DimensionMismatch, "Dense::compute_absolute");
    EXPECT_THROW(x->get_real(wrong), spruce::DimensionMismatch);
    EXPECT_THROW(x->get_imag(wrong), spruce::DimensionMismatch);
    EXPECT_THROW(x->make_complex(wrong->make_complex()), spruce::DimensionMismatch);
}

TYPED_TEST(DenseParts, AddsMultiplesOfTheIdentity)
{
    const auto tall = this->dense({{1, 2}, {3, 4}, {5, 6}}, 3);
    const auto wide = this->dense({{1, 2, 3}, {4, 5, 6}});

    tall->add_scaled_identity(this->dense({{10}}), this->dense({{2}}));
    wide->add_scaled_identity(spruce::clone(this->ref, this->real_dense({{10}})), this->real_dense({{-1}}));

    EXPECT_MTX_NEAR(tall, this->dense({{12, 4}, {6, 18}, {10, 12}}), 0.0);
    EXPECT_MTX_NEAR(wide, this->dense({{9, -2, -3}, {-4, 5, -6}}), 0.0);
    EXPECT_TRUE(padding_is_intact(*tall));
    EXPECT_THROW(tall->add_scaled_identity(this->dense({{1, 2}}), this->dense({{2}})), spruce::Error);
}

TYPED_TEST(DenseParts, AddsTheIdentityToWhatIsNotReadWhereItsFactorIsZero)
{
    const auto x = this->dense_of_nan(2, 2);

    x->add_scaled_identity(this->dense({{3}}), this->dense({{0}}));

    EXPECT_MTX_NEAR(x, this->dense({{3, 0}, {0, 3}}), 0.0);
}

TYPED_TEST(DenseParts, AddsTheIdentityLikeReference)
{
    using V = typename TestFixture::V;
    const auto alpha = this->dense({{V(-1.25)}});
    const auto beta = this->dense({{V(0.75)}});
    for (const auto& size : shapes) {
        const auto x = this->random_dense(size[0], size[1], size[1] + 1);
        const auto expected = spruce::clone(this->ref, x);

        x->add_scaled_identity(alpha, beta);

        expected->add_scaled_identity(alpha, beta);
        EXPECT_MTX_NEAR(x, expected, 4 * this->epsilon());
    }
}

TYPED_TEST(DenseParts, AddsDiagonals)
{
    using V = typename TestFixture::V;
    using Diagonal = spruce::matrix::Diagonal<V>;
    const auto x = this->dense({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, 5);
    const std::shared_ptr<Diagonal> d =
        Diagonal::create(this->exec, 3, spruce::array<V>{this->exec, {V{1}, V{10}, V{100}}});

    x->add_scaled(this->dense({{2}}), d);
    EXPECT_MTX_NEAR(x, this->dense({{3, 2, 3}, {4, 25, 6}, {7, 8, 209}}), 0.0);
    x->sub_scaled(this->real_dense({{3}}), spruce::clone(this->ref, d));
    EXPECT_MTX_NEAR(x, this->dense({{0, 2, 3}, {4, -5, 6}, {7, 8, -91}}), 0.0);
    EXPECT_TRUE(padding_is_intact(*x));
    EXPECT_THROW(this->dense({{1, 2}})->add_scaled(this->dense({{2}}), d), spruce::DimensionMismatch);
    EXPECT_THROW(x->add_scaled(this->dense({{1, 2, 3}}), d), spruce::DimensionMismatch);
    EXPECT_NO_THROW(this->dense_of_nan(0, 0)->add_scaled(this->dense({{2}}), Diagonal::create(this->exec)));
}

TYPED_TEST(DenseParts, ExtractsDiagonals)
{
    using V = typename TestFixture::V;
    using Diagonal = spruce::matrix::Diagonal<V>;
    const auto x = this->dense({{1, 2, 3}, {4, 5, 6}});
    const auto output = Diagonal::create(this->ref, 2);

    x->extract_diagonal(output);

    EXPECT_EQ(output->get_const_values()[0], V{1});
    EXPECT_EQ(output->get_const_values()[1], V{5});
    EXPECT_THROW(x->extract_diagonal(Diagonal::create(this->exec, 3)), spruce::DimensionMismatch);
}

TYPED_TEST(DenseParts, TakesRealFactorsWithoutTheHost)
{
    const auto x = this->dense({{1, 2}, {3, 4}});
    const auto factor = this->real_dense({{2}});
    const auto before = this->exec->get_counters();

    x->scale(factor);
    x->inv_scale(factor);
    x->add_scaled(factor, x);

    const auto cost = this->exec->get_counters() - before;
    EXPECT_EQ(cost.copies, 0u);
    EXPECT_EQ(cost.waits, 0u);
    EXPECT_MTX_NEAR(x, this->dense({{3, 6}, {9, 12}}), 0.0);
}

template <typename Types>
class DenseMean : public kernel_test<Types> {};
TYPED_TEST_SUITE(DenseMean, value_types, type_names);

TYPED_TEST(DenseMean, ComputesByHand)
{
    const auto x = this->dense({{1, 2, -3}, {3, 5, 3}}, 5);
    const auto mean = this->dense_of_nan(1, 3);

    x->compute_mean(mean);

    EXPECT_MTX_NEAR(mean, this->dense({{2, 3.5, 0}}), 0.0);
    EXPECT_THROW(x->compute_mean(this->dense({{1}})), spruce::DimensionMismatch);
}

TYPED_TEST(DenseMean, IsNanWithoutRows)
{
    const auto mean = this->dense({{1, 2}});

    this->dense_of_nan(0, 2)->compute_mean(mean);

    for (size_type i = 0; i < 2; ++i) {
        EXPECT_TRUE(spruce::is_nan(spruce::clone(this->ref, mean)->at(0, i)));
    }
}

// Widths at which tiles of columns change: fewer than threads in a block, as many, one more,
// several tiles.
TYPED_TEST(DenseMean, MatchesReferenceForAnyNumberOfColumns)
{
    using V = typename TestFixture::V;
    for (const size_type cols : {1, 2, 3, 5, 31, 32, 33, 64, 100, 129, 255, 256, 257, 600}) {
        for (const size_type rows : {1, 7, 300}) {
            SCOPED_TRACE(testing::Message() << rows << " x " << cols);
            const auto x = this->random_dense(rows, cols, cols + 2);
            const auto ref_x = spruce::clone(this->ref, x);
            const auto mean = this->dense_of_nan(1, cols, cols + 1);
            const auto expected = make_dense_of_nan<V>(this->ref, dim<2>{1, cols});

            x->compute_mean(mean);

            ref_x->compute_mean(expected);
            EXPECT_MTX_NEAR(mean, expected, this->tolerance_of_sum(rows));
            EXPECT_TRUE(padding_is_intact(*mean));
        }
    }
}

TYPED_TEST(DenseMean, ReducesIntoGivenResultsWithoutMemoryCopiesOrWaits)
{
    for (const size_type cols : {1, 4}) {
        const auto x = this->random_dense(3000, cols);
        const auto y = this->random_dense(3000, cols);
        const auto result = this->dense_of_nan(1, cols);
        const auto norm = TestFixture::RealDense::create(this->exec, dim<2>{1, cols});
        spruce::array<char> tmp{this->exec};
        const auto reduce = [&] {
            x->compute_dot(y, result, tmp);
            x->compute_conj_dot(y, result, tmp);
            x->compute_mean(result, tmp);
            x->compute_norm2(norm, tmp);
            x->compute_norm1(norm, tmp);
            x->compute_squared_norm2(norm, tmp);
        };
        reduce();
        const auto before = this->exec->get_counters();

        reduce();

        const auto cost = this->exec->get_counters() - before;
        EXPECT_EQ(cost.kernels, 6u);
        EXPECT_EQ(cost.allocations, 0u);
        EXPECT_EQ(cost.copies, 0u);
        EXPECT_EQ(cost.waits, 0u);
    }
}

/// Counts updates and reductions, and performs them.
template <typename ValueType>
class CountingDense : public spruce::matrix::Dense<ValueType> {
public:
    using Dense = spruce::matrix::Dense<ValueType>;
    using Dense::Dense;
    explicit CountingDense(const Dense& other) : Dense(other) {}

    mutable int num_updates{};
    mutable int num_reductions{};

protected:
    using LinOp = spruce::LinOp;

    void scale_impl(const LinOp* alpha) override
    {
        ++num_updates;
        Dense::scale_impl(alpha);
    }
    void inv_scale_impl(const LinOp* alpha) override
    {
        ++num_updates;
        Dense::inv_scale_impl(alpha);
    }
    void add_scaled_impl(const LinOp* alpha, const LinOp* b) override
    {
        ++num_updates;
        Dense::add_scaled_impl(alpha, b);
    }
    void sub_scaled_impl(const LinOp* alpha, const LinOp* b) override
    {
        ++num_updates;
        Dense::sub_scaled_impl(alpha, b);
    }
    void compute_dot_impl(const LinOp* b, LinOp* result, spruce::array<char>& tmp) const override
    {
        ++num_reductions;
        Dense::compute_dot_impl(b, result, tmp);
    }
    void compute_conj_dot_impl(const LinOp* b, LinOp* result, spruce::array<char>& tmp) const override
    {
        ++num_reductions;
        Dense::compute_conj_dot_impl(b, result, tmp);
    }
    void compute_norm2_impl(LinOp* result, spruce::array<char>& tmp) const override
    {
        ++num_reductions;
        Dense::compute_norm2_impl(result, tmp);
    }
    void compute_norm1_impl(LinOp* result, spruce::array<char>& tmp) const override
    {
        ++num_reductions;
        Dense::compute_norm1_impl(result, tmp);
    }
    void compute_squared_norm2_impl(LinOp* result, spruce::array<char>& tmp) const override
    {
        ++num_reductions;
        Dense::compute_squared_norm2_impl(result, tmp);
    }
    void compute_mean_impl(LinOp* result, spruce::array<char>& tmp) const override
    {
        ++num_reductions;
        Dense::compute_mean_impl(result, tmp);
    }
};

TYPED_TEST(DenseParts, OperationsOnVectorsCanBeOverridden)
{
    CountingDense<typename TypeParam::value_type> x{*this->dense({{3, 0}, {4, 1}})};
    auto& as_base = static_cast<typename TestFixture::Dense&>(x);
    const auto two = this->dense({{2}});
    const auto b = this->dense({{1, 1}, {1, 1}});
    const auto dots = this->dense_of_nan(1, 2);
    const auto norms = this->real_dense({{9, 9}});
    spruce::array<char> tmp{this->exec};

    as_base.scale(two);
    as_base.add_scaled(two, b);
    as_base.sub_scaled(two, b);
    as_base.inv_scale(two);
    EXPECT_EQ(x.num_updates, 4);
    EXPECT_MTX_NEAR(&as_base, this->dense({{3, 0}, {4, 1}}), 0.0);

    as_base.compute_dot(b, dots);
    as_base.compute_conj_dot(b, dots, tmp);
    EXPECT_MTX_NEAR(dots, this->dense({{7, 1}}), 0.0);
    as_base.compute_mean(dots, tmp);
    as_base.compute_norm1(norms);
    as_base.compute_norm2(norms);
    EXPECT_MTX_NEAR(norms, this->real_dense({{5, 1}}), 0.0);
    as_base.compute_squared_norm2(norms, tmp);
    EXPECT_EQ(x.num_reductions, 6);
    EXPECT_MTX_NEAR(norms, this->real_dense({{25, 1}}), 0.0);
}

}  // namespace
