// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests creation, copies, moves and views of Dense.

#include <spruce/matrix/dense.hpp>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::clone;
using spruce::dim;
using spruce::size_type;

class DenseMatrix : public kernel_test<types<double, spruce::int32>> {
protected:
    std::shared_ptr<Dense> padded{this->dense({{1, 2}, {3, 4}}, 5)};
};

TEST_F(DenseMatrix, IsEmptyByDefault)
{
    const auto x = Dense::create(exec);

    EXPECT_EQ(x->get_size(), (dim<2>{}));
    EXPECT_EQ(x->get_stride(), 0u);
    EXPECT_EQ(x->get_num_stored_elements(), 0u);
    EXPECT_EQ(x->get_executor(), exec);
}

TEST_F(DenseMatrix, HasSizeAndStride)
{
    EXPECT_EQ(Dense::create(exec, dim<2>{3, 2})->get_stride(), 2u);
    EXPECT_EQ(Dense::create(exec, dim<2>{3, 2}, 4)->get_stride(), 4u);
    EXPECT_EQ(Dense::create(exec, dim<2>{3, 2}, 4)->get_num_stored_elements(), 12u);
    EXPECT_EQ(Dense::create(exec, dim<2>{0, 2}, 4)->get_num_stored_elements(), 0u);
    EXPECT_THROW(Dense::create(exec, dim<2>{3, 2}, 1), spruce::BadDimension);
    EXPECT_THROW(Dense::create(exec, dim<2>{size_type{1} << 40, size_type{1} << 40}), spruce::OverflowError);
}

TEST_F(DenseMatrix, TakesAnArrayThatIsLongEnough)
{
    array<double> values{exec, {1, 2, 9, 3, 4}};
    const auto data = values.get_const_data();

    const auto x = Dense::create(exec, dim<2>{2, 2}, std::move(values), 3);

    EXPECT_EQ(x->get_const_values(), data);
    EXPECT_MTX_NEAR(x, this->dense({{1, 2}, {3, 4}}), 0.0);
    EXPECT_THROW_WITH(Dense::create(exec, dim<2>{2, 2}, array<double>{exec, {1, 2, 9, 3}}, 3), spruce::OutOfBoundsError,
                      "index 5 is not below the bound 4");
}

TEST_F(DenseMatrix, ViewsMemoryOfItsExecutorAndCopiesOther)
{
    std::vector<double> values{1, 2, 3};

    const auto view = Dense::create(ref, dim<2>{3, 1}, array<double>::view(ref, 3, values.data()), 1);
    const auto copy = Dense::create(exec, dim<2>{3, 1}, array<double>::view(ref, 3, values.data()), 1);
    const auto const_view = Dense::create_const(ref, dim<2>{3, 1}, array<double>::const_view(ref, 3, values.data()), 1);

    EXPECT_EQ(view->get_const_values(), values.data());
    EXPECT_EQ(const_view->get_const_values(), values.data());
    EXPECT_NE(copy->get_const_values(), values.data());
    EXPECT_MTX_NEAR(copy, view, 0.0);
}

TEST_F(DenseMatrix, AViewNeverReallocates)
{
    std::vector<double> values{1, 2, 3};
    const auto view = Dense::create(ref, dim<2>{3, 1}, array<double>::view(ref, 3, values.data()), 1);

    const auto shorter = this->dense({{1}, {2}});
    const auto row = this->dense({{4, 5, 6}});  // as many elements, but another shape
    EXPECT_THROW(view->copy_from(shorter), spruce::NotSupported);
    EXPECT_THROW(view->copy_from(row), spruce::NotSupported);
    EXPECT_EQ(view->get_size(), (dim<2>{3, 1}));
    EXPECT_EQ(values, (std::vector<double>{1, 2, 3}));
    const auto source = this->dense({{7}, {8}, {9}}, 4);
    view->copy_from(source);
    EXPECT_EQ(values, (std::vector<double>{7, 8, 9}));
    EXPECT_EQ(view->get_const_values(), values.data());
}

TEST_F(DenseMatrix, CloneDropsPadding)
{
    const auto copy = clone(padded);

    EXPECT_EQ(copy->get_stride(), 2u);
    EXPECT_MTX_NEAR(copy, padded, 0.0);
    EXPECT_EQ(clone(ref, padded)->get_stride(), 2u);
}

TEST_F(DenseMatrix, CopyKeepsStrideAndMemoryOfAnEquallyLargeTarget)
{
    for (const auto& source : {clone(exec, this->dense({{5, 6}, {7, 8}})), clone(ref, this->dense({{5, 6}, {7, 8}}))}) {
        const auto target = this->dense_of_nan(2, 2, 7);
        const auto data = target->get_const_values();

        target->copy_from(source.get());

        EXPECT_EQ(target->get_stride(), 7u);
        EXPECT_EQ(target->get_const_values(), data);
        EXPECT_TRUE(padding_is_intact(*target));
        EXPECT_MTX_NEAR(target, source, 0.0);
    }
}

TEST_F(DenseMatrix, CopyReallocatesTargetOfAnotherSize)
{
    const auto target = this->dense_of_nan(1, 3, 7);

    target->copy_from(padded);

    EXPECT_EQ(target->get_stride(), 2u);
    EXPECT_MTX_NEAR(target, padded, 0.0);
}

TEST_F(DenseMatrix, MoveTakesStorageAndStride)
{
    const auto data = padded->get_const_values();
    const auto target = this->dense({{9}});

    target->move_from(padded);

    EXPECT_EQ(target->get_const_values(), data);
    EXPECT_EQ(target->get_stride(), 5u);
    EXPECT_EQ(padded->get_size(), (dim<2>{}));
    EXPECT_EQ(padded->get_stride(), 0u);
    EXPECT_MTX_NEAR(target, this->dense({{1, 2}, {3, 4}}), 0.0);
}

TEST_F(DenseMatrix, MoveAcrossExecutorsTakesTheStrideToo)
{
    for (const auto& other : all_executors()) {
        const auto source = this->dense({{1, 2}, {3, 4}}, 5);
        const auto target = Dense::create(other);

        target->move_from(source);

        EXPECT_EQ(target->get_stride(), 5u);
        EXPECT_EQ(target->get_executor(), other);
        EXPECT_EQ(source->get_size(), (dim<2>{}));
        EXPECT_MTX_NEAR(target, this->dense({{1, 2}, {3, 4}}), 0.0);
    }
}

TEST_F(DenseMatrix, CopiesAndMovesByConstruction)
{
    Dense copy{*padded};
    Dense moved{std::move(copy)};

    EXPECT_MTX_NEAR(&moved, padded, 0.0);
    EXPECT_EQ(copy.get_size(), (dim<2>{}));
}

TEST_F(DenseMatrix, ClearsToNothing)
{
    padded->clear();

    EXPECT_EQ(padded->get_size(), (dim<2>{}));
    EXPECT_EQ(padded->get_num_stored_elements(), 0u);
}

TEST_F(DenseMatrix, GivesEntriesByRowAndColumnOrOneNumber)
{
    const auto x = clone(ref, this->dense({{1, 2, 3}, {4, 5, 6}}));
    const auto strided = make_dense<double>(ref, this->host({{1, 2, 3}, {4, 5, 6}}), 5);

    for (const auto matrix : {x.get(), strided.get()}) {
        EXPECT_EQ(matrix->at(1, 2), 6);
        EXPECT_EQ(matrix->at(4), 5);
        matrix->at(0, 1) = 22;
        matrix->at(5) = 66;
        const Dense* constant = matrix;
        EXPECT_EQ(constant->at(1), 22);
        EXPECT_EQ(constant->at(1, 2), 66);
    }
}

TEST_F(DenseMatrix, MakesOthersLikeItself)
{
    const auto same = Dense::create_with_config_of(padded);
    const auto other = Dense::create_with_type_of(padded, ref, dim<2>{7, 3});
    const auto wide = Dense::create_with_type_of(padded, ref, dim<2>{7, 3}, 9);

    EXPECT_EQ(same->get_size(), padded->get_size());
    EXPECT_EQ(same->get_stride(), 5u);
    EXPECT_EQ(same->get_executor(), exec);
    EXPECT_EQ(other->get_size(), (dim<2>{7, 3}));
    EXPECT_EQ(other->get_stride(), 3u);
    EXPECT_EQ(other->get_executor(), ref);
    EXPECT_EQ(wide->get_stride(), 9u);
}

TEST_F(DenseMatrix, GivesViewsOfItself)
{
    const auto view = Dense::create_view_of(padded);
    const auto const_view = Dense::create_const_view_of(padded);
    const auto free_view = spruce::make_dense_view(padded);
    const auto free_const_view = spruce::make_const_dense_view(std::shared_ptr<const Dense>(padded));

    for (const auto one : {static_cast<const Dense*>(view.get()), const_view.get(),
                           static_cast<const Dense*>(free_view.get()), free_const_view.get()}) {
        EXPECT_EQ(one->get_const_values(), padded->get_const_values());
        EXPECT_EQ(one->get_stride(), 5u);
        EXPECT_EQ(one->get_size(), padded->get_size());
    }
}

TEST_F(DenseMatrix, GivesViewsOfParts)
{
    const auto x = this->dense({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, 4);

    const auto part = x->create_submatrix({1, 3}, {0, 2});
    EXPECT_EQ(part->get_const_values(), x->get_const_values() + 4);
    EXPECT_EQ(part->get_stride(), 4u);
    EXPECT_MTX_NEAR(part, this->dense({{4, 5}, {7, 8}}), 0.0);
    EXPECT_MTX_NEAR(x->create_submatrix(2, 1), this->dense({{8}}), 0.0);
    EXPECT_MTX_NEAR(part->create_submatrix({1, 2}, {1, 2}), this->dense({{8}}), 0.0);
    EXPECT_EQ(x->create_submatrix({1, 1}, {0, 3})->get_size(), (dim<2>{0, 3}));
    EXPECT_THROW(x->create_submatrix({1, 4}, {0, 2}), spruce::OutOfBoundsError);
    EXPECT_THROW(x->create_submatrix({1, 2}, {0, 4}), spruce::OutOfBoundsError);
    EXPECT_THROW(x->create_submatrix({2, 1}, {0, 2}), spruce::OutOfBoundsError);
    const auto constant = static_cast<const Dense&>(*x).create_submatrix({0, 2}, {1, 2});
    EXPECT_EQ(constant->get_const_values(), x->get_const_values() + 1);
    EXPECT_MTX_NEAR(constant, this->dense({{2}, {5}}), 0.0);
    const auto local = x->create_submatrix(spruce::local_span{1, 2}, spruce::local_span{0, 3}, dim<2>{3, 3});
    EXPECT_MTX_NEAR(local, this->dense({{4, 5, 6}}), 0.0);
    // The last row of a view may be shorter than its stride.
    EXPECT_NO_THROW(x->create_submatrix({2, 3}, {1, 3}));
}

TEST_F(DenseMatrix, ComplexNumbersCanBeSeenAsPairs)
{
    using complex = std::complex<double>;
    const auto data = random_full(this->engine, 3, 2);
    const auto last = data.nonzeros.back().value;
    const auto x = make_dense<complex>(exec, data, 4);

    const auto real_view = x->create_real_view();

    EXPECT_EQ(real_view->get_size(), (dim<2>{3, 4}));
    EXPECT_EQ(real_view->get_stride(), 8u);
    EXPECT_EQ(static_cast<const void*>(real_view->get_const_values()), x->get_const_values());
    EXPECT_MTX_NEAR(real_view->create_submatrix({2, 3}, {2, 4}), this->dense({{last.real(), last.imag()}}), 0.0);
    EXPECT_EQ(padded->create_real_view()->get_const_values(), padded->get_const_values());
}

TEST_F(DenseMatrix, IsInitializedFromLists)
{
    const auto column = spruce::initialize<Dense>({1.0, 2.0}, exec);
    const auto rows = spruce::initialize<Dense>({{1.0, 2.0}, {3.0, 4.0}}, exec);
    const auto strided = spruce::initialize<Dense>(4, {{1.0, 2.0}, {3.0, 4.0}}, exec);
    const auto csr = spruce::initialize<Csr>({{1.0, 0.0}, {0.0, 4.0}}, exec, std::make_shared<Csr::classical>());

    EXPECT_EQ(column->get_size(), (dim<2>{2, 1}));
    EXPECT_MTX_NEAR(column, this->dense({{1}, {2}}), 0.0);
    EXPECT_MTX_NEAR(rows, this->dense({{1, 2}, {3, 4}}), 0.0);
    EXPECT_EQ(strided->get_stride(), 4u);
    EXPECT_MTX_NEAR(strided, rows, 0.0);
    EXPECT_EQ(csr->get_num_stored_elements(), 2u);
    EXPECT_THROW((spruce::initialize<Dense>({{1.0, 2.0}, {3.0}}, exec)), spruce::ValueMismatch);
}

}  // namespace
