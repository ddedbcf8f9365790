// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests that every operation accepts matrices without rows or columns, and that empty sums are
// zero.

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::dim;
using spruce::size_type;

template <typename Types>
class EmptyMatrices : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Dense;
    using typename kernel_test<Types>::RealDense;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::Coo;

    static std::vector<dim<2>> sizes() { return {dim<2>{0, 0}, dim<2>{0, 3}, dim<2>{3, 0}}; }

    static host_matrix zeros(dim<2> size) { return host_matrix{size}; }

    std::unique_ptr<Dense> dense_of(dim<2> size, double value) const
    {
        auto result = Dense::create(this->exec, size);
        result->fill(V(value));
        return result;
    }

    /// Multiplies a matrix without entries by vectors. Expects zero or beta x.
    template <typename Matrix>
    void expect_applies(const Matrix& a) const
    {
        const auto size = a->get_size();
        for (const size_type num_rhs : {0, 1, 3}) {
            SCOPED_TRACE(std::to_string(num_rhs) + " right-hand sides");
            const auto b = this->dense_of_nan(size[1], num_rhs);
            const auto x = this->dense_of_nan(size[0], num_rhs);
            const auto two = this->dense({{2}});

            a->apply(b, x);
            EXPECT_MTX_NEAR(x, dense_of(x->get_size(), 0.0), 0.0);
            x->fill(V(3));
            a->apply(two, b, two, x);
            EXPECT_MTX_NEAR(x, dense_of(x->get_size(), 6.0), 0.0);
        }
    }
};
TYPED_TEST_SUITE(EmptyMatrices, value_and_index_types, type_names);

TYPED_TEST(EmptyMatrices, MultiplyAsDense)
{
    for (const auto size : this->sizes()) {
        SCOPED_TRACE(testing::Message() << size[0] << " x " << size[1]);
        this->expect_applies(this->dense_of(size, 1.0));
    }
}

TYPED_TEST(EmptyMatrices, MultiplyAsCsrWithEveryStrategy)
{
    using Csr = typename TestFixture::Csr;
    std::vector<std::shared_ptr<typename Csr::strategy_type>> strategies{
        std::make_shared<typename Csr::classical>(), std::make_shared<typename Csr::load_balance>(),
        std::make_shared<typename Csr::merge_path>(), std::make_shared<typename Csr::automatical>()};
    if (!is_simulated(*this->exec)) {
        strategies.push_back(std::make_shared<typename Csr::sparselib>());
    }
    for (const auto size : this->sizes()) {
        for (const auto& strategy : strategies) {
            SCOPED_TRACE(testing::Message() << size[0] << " x " << size[1] << ", " << strategy->get_name());
            const auto a = Csr::create(this->exec, strategy);
            a->read(spruce::matrix_data<typename TestFixture::V, typename TestFixture::I>{size});

            this->expect_applies(a);
        }
    }
}

TYPED_TEST(EmptyMatrices, MultiplyAsCoo)
{
    for (const auto size : this->sizes()) {
        SCOPED_TRACE(testing::Message() << size[0] << " x " << size[1]);
        const auto a = TestFixture::Coo::create(this->exec, size);
        const auto b = this->dense_of(dim<2>{size[1], 2}, 1.0);
        const auto x = this->dense_of(dim<2>{size[0], 2}, 7.0);

        this->expect_applies(a);
        a->apply2(b, x);
        a->apply2(this->dense({{2}}), b, x);
        EXPECT_MTX_NEAR(x, this->dense_of(x->get_size(), 7.0), 0.0);
    }
}

TYPED_TEST(EmptyMatrices, AreConvertedBetweenFormats)
{
    using Dense = typename TestFixture::Dense;
    using Csr = typename TestFixture::Csr;
    using Coo = typename TestFixture::Coo;
    for (const auto size : this->sizes()) {
        SCOPED_TRACE(testing::Message() << size[0] << " x " << size[1]);
        const auto dense = this->dense_of(size, 1.0);
        const auto csr = this->csr({{1, 2}, {3, 4}});  // the old entries disappear
        const auto coo = this->coo({{1, 2}, {3, 4}});
        const auto back = this->dense({{1, 2}, {3, 4}});

        dense->convert_to(csr.get());
        EXPECT_EQ(csr->get_size(), size);
        EXPECT_EQ(csr->get_num_stored_elements(), 0u);
        csr->convert_to(coo.get());
        EXPECT_EQ(coo->get_size(), size);
        EXPECT_EQ(coo->get_num_stored_elements(), 0u);
        coo->convert_to(back.get());
        EXPECT_EQ(back->get_size(), size);
        coo->convert_to(csr.get());
        EXPECT_EQ(csr->get_size(), size);
        csr->convert_to(back.get());
        dense->convert_to(coo.get());
        this->expect_applies(csr);
        for (const auto& other : all_executors()) {
            EXPECT_EQ(clone(other, dense)->get_size(), size);
            EXPECT_EQ(clone(other, csr)->get_size(), size);
            EXPECT_EQ(clone(other, coo)->get_size(), size);
        }
        static_assert(!std::is_same_v<Dense, Csr> && !std::is_same_v<Csr, Coo>);
    }
}

TYPED_TEST(EmptyMatrices, ChangePrecision)
{
    using other = spruce::next_precision<typename TestFixture::V>;
    for (const auto size : this->sizes()) {
        SCOPED_TRACE(testing::Message() << size[0] << " x " << size[1]);
        const auto dense = spruce::matrix::Dense<other>::create(this->exec);
        const auto csr = spruce::matrix::Csr<other, typename TestFixture::I>::create(this->exec);

        this->dense_of(size, 1.0)->convert_to(dense.get());
        TestFixture::Csr::create(this->exec, size)->convert_to(csr.get());

        EXPECT_EQ(dense->get_size(), size);
        EXPECT_EQ(csr->get_size(), size);
    }
}

TYPED_TEST(EmptyMatrices, AreTransposedAndSorted)
{
    for (const auto size : this->sizes()) {
        SCOPED_TRACE(testing::Message() << size[0] << " x " << size[1]);
        const auto csr = TestFixture::Csr::create(this->exec, size);
        const auto dense = this->dense_of(size, 1.0);

        EXPECT_EQ(csr->transpose()->get_size(), transpose(size));
        EXPECT_EQ(csr->conj_transpose()->get_size(), transpose(size));
        this->expect_applies(spruce::as<typename TestFixture::Csr>(csr->transpose()));
        csr->sort_by_column_index();
        EXPECT_TRUE(csr->is_sorted_by_column_index());
        EXPECT_EQ(dense->transpose()->get_size(), transpose(size));
        EXPECT_EQ(dense->conj_transpose()->get_size(), transpose(size));
    }
}

TYPED_TEST(EmptyMatrices, AreUpdatedAndReduced)
{
    using RealDense = typename TestFixture::RealDense;
    for (const auto size : this->sizes()) {
        SCOPED_TRACE(testing::Message() << size[0] << " x " << size[1]);
        const auto x = this->dense_of(size, 1.0);
        const auto alpha = this->dense_of(dim<2>{1, size[1]}, 2.0);
        const auto dot = this->dense_of_nan(1, size[1]);
        const auto norm = RealDense::create(this->exec, dim<2>{1, size[1]});
        const auto zeros = RealDense::create(this->exec, dim<2>{1, size[1]});
        zeros->fill(0);

        x->scale(alpha);
        x->inv_scale(this->dense({{2}}));
        x->add_scaled(alpha, x->clone());
        x->sub_scaled(alpha, x->clone());
        x->compute_dot(x, dot);
        EXPECT_MTX_NEAR(dot, zeros, 0.0);
        x->compute_conj_dot(x, dot);
        EXPECT_MTX_NEAR(dot, zeros, 0.0);
        norm->fill(9);
        x->compute_norm2(norm);
        EXPECT_MTX_NEAR(norm, zeros, 0.0);
        norm->fill(9);
        x->compute_norm1(norm);
        EXPECT_MTX_NEAR(norm, zeros, 0.0);
        norm->fill(9);
        x->compute_squared_norm2(norm);
        EXPECT_MTX_NEAR(norm, zeros, 0.0);
    }
}

TYPED_TEST(EmptyMatrices, HaveEmptyViews)
{
    const auto x = this->dense({{1, 2}, {3, 4}});

    EXPECT_EQ(x->create_submatrix({1, 1}, {0, 2})->get_size(), (dim<2>{0, 2}));
    EXPECT_EQ(x->create_submatrix({0, 2}, {1, 1})->get_size(), (dim<2>{2, 0}));
    EXPECT_EQ(this->dense_of(dim<2>{0, 3}, 1.0)->create_real_view()->get_size()[0], 0u);
}

TYPED_TEST(EmptyMatrices, AreReadAndWritten)
{
    using data = spruce::matrix_data<typename TestFixture::V, typename TestFixture::I>;
    for (const auto size : this->sizes()) {
        SCOPED_TRACE(testing::Message() << size[0] << " x " << size[1]);
        const auto csr = this->csr({{1, 2}, {3, 4}});
        const auto coo = this->coo({{1, 2}, {3, 4}});
        const auto dense = this->dense({{1, 2}, {3, 4}});
        data written;

        csr->read(data{size});
        coo->read(data{size});
        dense->read(data{size});

        EXPECT_EQ(csr->get_size(), size);
        EXPECT_EQ(coo->get_size(), size);
        EXPECT_EQ(dense->get_size(), size);
        csr->write(written);
        EXPECT_EQ(written.size, size);
        coo->write(written);
        EXPECT_EQ(written.size, size);
        dense->write(written);
        EXPECT_EQ(written.size, size);
        EXPECT_TRUE(written.nonzeros.empty());
    }
}

}  // namespace
