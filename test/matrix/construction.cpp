// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests creation, copies and moves of matrices, and the messages for parts that do not match.

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::clone;
using spruce::dim;
using spruce::size_type;

template <typename Types>
class Construction : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::Coo;
    using typename kernel_test<Types>::Dense;

    array<V> values(std::initializer_list<V> list) const { return {this->exec, list}; }
    array<I> indices(std::initializer_list<I> list) const { return {this->exec, list}; }
};
TYPED_TEST_SUITE(Construction, value_and_index_types, type_names);

// ---- from arrays --------------------------------------------------------------------------------

TYPED_TEST(Construction, OfCsrFromArrays)
{
    using Csr = typename TestFixture::Csr;
    const auto expected = this->csr({{1, 0, 2}, {0, 3, 0}});

    const auto a = Csr::create(this->exec, dim<2>{2, 3}, this->values({1, 2, 3}), this->indices({0, 2, 1}),
                               this->indices({0, 2, 3}));

    EXPECT_MTX_STORED_ALIKE(a, expected);
    EXPECT_MTX_NEAR(this->apply(a, this->dense({{1}, {1}, {1}})), this->dense({{3}, {3}}), 0.0);
    EXPECT_THROW_WITH(
        Csr::create(this->exec, dim<2>{2, 3}, this->values({1, 2}), this->indices({0, 2, 1}), this->indices({0, 2, 3})),
        spruce::ValueMismatch, "2 and 3 differ: values and col_idxs need the same length");
    EXPECT_THROW_WITH(
        Csr::create(this->exec, dim<2>{2, 3}, this->values({1, 2, 3}), this->indices({0, 2, 1}), this->indices({0, 3})),
        spruce::ValueMismatch, "row_ptrs needs one element more than there are rows");
}

TYPED_TEST(Construction, OfCooFromArrays)
{
    using Coo = typename TestFixture::Coo;

    const auto a = Coo::create(this->exec, dim<2>{2, 3}, this->values({1, 2, 3}), this->indices({0, 2, 1}),
                               this->indices({0, 0, 1}));

    EXPECT_MTX_STORED_ALIKE(a, this->coo({{1, 0, 2}, {0, 3, 0}}));
    EXPECT_THROW_WITH(
        Coo::create(this->exec, dim<2>{2, 3}, this->values({1, 2}), this->indices({0, 2, 1}), this->indices({0, 0})),
        spruce::ValueMismatch, "2 and 3 differ");
    EXPECT_THROW_WITH(
        Coo::create(this->exec, dim<2>{2, 3}, this->values({1, 2}), this->indices({0, 2}), this->indices({0})),
        spruce::ValueMismatch, "2 and 1 differ");
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
TYPED_TEST(Construction, FromListsMeansFromArrays)
{
    using Csr = typename TestFixture::Csr;
    using Coo = typename TestFixture::Coo;

    const auto csr = Csr::create(this->exec, dim<2>{2, 3}, {1, 2, 3}, {0, 2, 1}, {0, 2, 3});
    const auto coo = Coo::create(this->exec, dim<2>{2, 3}, {1, 2, 3}, {0, 2, 1}, {0, 0, 1});

    EXPECT_MTX_STORED_ALIKE(csr, this->csr({{1, 0, 2}, {0, 3, 0}}));
    EXPECT_MTX_STORED_ALIKE(coo, this->coo({{1, 0, 2}, {0, 3, 0}}));
    EXPECT_THROW(Csr::create(this->exec, dim<2>{2, 3}, {1, 2}, {0, 2, 1}, {0, 2, 3}), spruce::ValueMismatch);
    EXPECT_THROW(Coo::create(this->exec, dim<2>{2, 3}, {1, 2}, {0, 2, 1}, {0, 0}), spruce::ValueMismatch);
}
#pragma GCC diagnostic pop

TYPED_TEST(Construction, FromViewsSharesTheirMemory)
{
    using Csr = typename TestFixture::Csr;
    using Coo = typename TestFixture::Coo;
    const auto values = this->values({1, 2, 3});
    const auto cols = this->indices({0, 2, 1});
    const auto row_ptrs = this->indices({0, 2, 3});
    const auto rows = this->indices({0, 0, 1});

    const auto csr = Csr::create_const(this->exec, dim<2>{2, 3}, values.as_const_view(), cols.as_const_view(),
                                       row_ptrs.as_const_view());
    const auto coo =
        Coo::create_const(this->exec, dim<2>{2, 3}, values.as_const_view(), cols.as_const_view(), rows.as_const_view());

    EXPECT_EQ(csr->get_const_values(), values.get_const_data());
    EXPECT_EQ(csr->get_const_col_idxs(), cols.get_const_data());
    EXPECT_EQ(csr->get_const_row_ptrs(), row_ptrs.get_const_data());
    EXPECT_EQ(coo->get_const_values(), values.get_const_data());
    EXPECT_EQ(coo->get_const_row_idxs(), rows.get_const_data());
    EXPECT_EQ(coo->get_const_col_idxs(), cols.get_const_data());
    const auto copy = clone(csr);
    EXPECT_NE(copy->get_const_values(), values.get_const_data());
    EXPECT_MTX_STORED_ALIKE(copy, csr);
}

TYPED_TEST(Construction, ViewsBecomeAsShortAsWhatIsReadIntoThem)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using Coo = typename TestFixture::Coo;
    auto values = this->values({9, 9, 9, 9, 9});
    auto cols = this->indices({4, 4, 4, 4, 4});
    auto rows = this->indices({4, 4, 4, 4, 4});
    const auto coo = Coo::create(this->exec, dim<2>{5, 5}, values.as_view(), cols.as_view(), rows.as_view());
    const auto diagonal = spruce::matrix::Diagonal<V>::create(this->exec, 5, values.as_view());

    coo->read(spruce::matrix_data<V, I>{{{V{1}, V{0}}, {V{0}, V{2}}}});
    EXPECT_EQ(coo->get_num_stored_elements(), 2u);
    EXPECT_EQ(coo->get_const_values(), values.get_const_data());
    EXPECT_MTX_NEAR(coo, this->dense({{1, 0}, {0, 2}}), 0.0);
    diagonal->copy_from(spruce::matrix::Diagonal<V>::create(this->exec, 2, this->values({3, 4})));
    EXPECT_MTX_NEAR(diagonal, this->dense({{3, 0}, {0, 4}}), 0.0);
}

TYPED_TEST(Construction, FromViewsKeepsAndWritesThemInReadsCopiesAndConversions)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using Csr = typename TestFixture::Csr;
    using Coo = typename TestFixture::Coo;
    using Ell = spruce::matrix::Ell<V, I>;
    using Fbcsr = spruce::matrix::Fbcsr<V, I>;
    using SparsityCsr = spruce::matrix::SparsityCsr<V, I>;
    using Diagonal = spruce::matrix::Diagonal<V>;
    using triples = spruce::matrix_data<V, I>;
    const auto exec = this->exec;
    const dim<2> size{4, 4};
    const auto unit_matrix = [](size_type num_rows) {
        triples data{dim<2>{num_rows, num_rows}};
        for (size_type i = 0; i < num_rows; ++i) {
            data.nonzeros.emplace_back(static_cast<I>(i), static_cast<I>(i), V{1});
        }
        return data;
    };
    const auto smaller = unit_matrix(2);
    const auto larger = unit_matrix(6);
    const auto expected = this->dense({{1, 0}, {0, 1}});
    const auto on_device = [&](const triples& data) {
        return spruce::device_matrix_data<V, I>::create_from_host(exec, data);
    };
    const auto check = [&](const char* name, const auto& original, auto create_view, auto get_elements) {
        using Matrix = std::decay_t<decltype(*original)>;
        SCOPED_TRACE(name);
        const auto create_from = [&](const triples& data) {
            auto result = clone(original);
            result->read(data);
            return result;
        };
        const auto expect_is_written = [&](const char* how, auto write) {
            SCOPED_TRACE(how);
            const auto owner = clone(original);
            const auto view = create_view(*owner);

            write(*view);

            EXPECT_EQ(get_elements(*view), get_elements(*owner));
            EXPECT_MTX_NEAR(view, expected, 0.0);
        };

        expect_is_written("read", [&](Matrix& view) { view.read(smaller); });
        expect_is_written("read of device data", [&](Matrix& view) {
            const auto data = on_device(smaller);
            view.read(data);
        });
        expect_is_written("read of device data that are given away",
                          [&](Matrix& view) { view.read(on_device(smaller)); });
        expect_is_written("copy", [&](Matrix& view) { view.copy_from(create_from(smaller).get()); });
        if constexpr (!std::is_same_v<Matrix, Diagonal>) {
            const auto csr = Csr::create(exec);
            csr->read(smaller);
            expect_is_written("conversion of Csr", [&](Matrix& view) { view.copy_from(csr.get()); });
            expect_is_written("conversion of Dense", [&](Matrix& view) { view.copy_from(expected.get()); });
        }
        const auto owner = clone(original);
        const auto replaced = create_view(*owner);
        auto other = create_from(smaller);
        const auto elements = get_elements(*other);
        replaced->move_from(std::move(other));
        EXPECT_EQ(get_elements(*replaced), elements);
        EXPECT_MTX_NEAR(replaced, expected, 0.0);
        expect_is_written("refusal", [&](Matrix& view) {
            view.read(smaller);
            EXPECT_THROW(view.read(larger), spruce::OutOfBoundsError);
            EXPECT_THROW(view.read(on_device(larger)), spruce::OutOfBoundsError);
            EXPECT_THROW(view.copy_from(create_from(larger).get()), spruce::OutOfBoundsError);
        });
    };
    const auto view = [&](size_type num, auto elements) { return spruce::make_array_view(exec, num, elements); };
    const auto get_values = [](const auto& a) { return a.get_const_values(); };
    const auto cols = this->indices({0, 1, 2, 3});
    const auto row_ptrs = this->indices({0, 1, 2, 3, 4});

    check(
        "Csr", Csr::create(exec, size, this->values({2, 3, 4, 5}), cols, row_ptrs),
        [&](Csr& a) {
            return Csr::create(exec, size, view(4, a.get_values()), view(4, a.get_col_idxs()),
                               view(5, a.get_row_ptrs()));
        },
        get_values);
    check(
        "Coo", Coo::create(exec, size, this->values({2, 3, 4, 5}), cols, cols),
        [&](Coo& a) {
            return Coo::create(exec, size, view(4, a.get_values()), view(4, a.get_col_idxs()),
                               view(4, a.get_row_idxs()));
        },
        get_values);
    check(
        "Ell", Ell::create(exec, size, this->values({2, 3, 4, 5}), cols, 1, 4),
        [&](Ell& a) { return Ell::create(exec, size, view(4, a.get_values()), view(4, a.get_col_idxs()), 1, 4); },
        get_values);
    check(
        "Fbcsr",
        Fbcsr::create(exec, size, 2, this->values({2, 0, 0, 3, 4, 0, 0, 5}), this->indices({0, 1}),
                      this->indices({0, 1, 2})),
        [&](Fbcsr& a) {
            return Fbcsr::create(exec, size, 2, view(8, a.get_values()), view(2, a.get_col_idxs()),
                                 view(3, a.get_row_ptrs()));
        },
        get_values);
    check(
        "SparsityCsr", SparsityCsr::create(exec, size, cols, row_ptrs, V{2}),
        [&](SparsityCsr& a) {
            return SparsityCsr::create(exec, size, view(4, a.get_col_idxs()), view(5, a.get_row_ptrs()), V{2});
        },
        [](const auto& a) { return a.get_const_col_idxs(); });
    check(
        "Diagonal", Diagonal::create(exec, 4, this->values({2, 3, 4, 5})),
        [&](Diagonal& a) { return Diagonal::create(exec, 4, view(4, a.get_values())); }, get_values);
}

TYPED_TEST(Construction, FromArraysOfAnotherExecutorCopiesThem)
{
    using Csr = typename TestFixture::Csr;
    using I = typename TestFixture::I;
    for (const auto& other : all_executors()) {
        const array<typename TestFixture::V> values{other, {1, 2, 3}};
        const auto a =
            Csr::create(this->exec, dim<2>{2, 3}, values, array<I>{other, {0, 2, 1}}, array<I>{other, {0, 2, 3}});

        EXPECT_NE(a->get_const_values(), values.get_const_data());
        EXPECT_MTX_STORED_ALIKE(a, this->csr({{1, 0, 2}, {0, 3, 0}}));
    }
}

TYPED_TEST(Construction, OfDenseNeedsEnoughMemoryAndStride)
{
    using Dense = typename TestFixture::Dense;

    const auto x = Dense::create(this->exec, dim<2>{2, 2}, this->values({1, 2, 9, 3, 4}), 3);

    EXPECT_MTX_NEAR(x, this->dense({{1, 2}, {3, 4}}), 0.0);
    EXPECT_THROW(Dense::create(this->exec, dim<2>{2, 2}, this->values({1, 2, 9, 3}), 3), spruce::OutOfBoundsError);
    EXPECT_THROW_WITH(Dense::create(this->exec, dim<2>{2, 3}, 2), spruce::BadDimension, "the stride is 2");
    EXPECT_NO_THROW(Dense::create(this->exec, dim<2>{3, 0}, this->values({}), 5));
}

TYPED_TEST(Construction, OfDenseLikeAnother)
{
    using Dense = typename TestFixture::Dense;
    const auto x = this->dense({{1, 2}, {3, 4}}, 5);
    const auto host = this->exec->get_master();

    const auto alike = Dense::create_with_config_of(x);
    EXPECT_EQ(alike->get_size(), x->get_size());
    EXPECT_EQ(alike->get_stride(), 5u);
    EXPECT_EQ(Dense::create_with_type_of(x, host)->get_size(), (dim<2>{}));
    EXPECT_EQ(Dense::create_with_type_of(x, host, dim<2>{3, 2})->get_executor(), host);
    EXPECT_EQ(Dense::create_with_type_of(x, host, dim<2>{3, 2}, 4)->get_stride(), 4u);
    EXPECT_EQ(Dense::create_with_type_of(x, host, dim<2>{3, 2}, dim<2>{3, 2}, 4)->get_stride(), 4u);
    EXPECT_EQ(Dense::create_view_of(x)->get_values(), x->get_values());
    EXPECT_EQ(Dense::create_const_view_of(x)->get_const_values(), x->get_const_values());
    EXPECT_EQ(spruce::make_dense_view(x)->get_stride(), 5u);
    EXPECT_EQ(spruce::make_const_dense_view(x)->get_stride(), 5u);
}

TYPED_TEST(Construction, OfSubmatricesStaysInside)
{
    const auto x = this->dense({{1, 2, 3}, {4, 5, 6}});

    EXPECT_MTX_NEAR(x->create_submatrix({1, 2}, {1, 3}), this->dense({{5, 6}}), 0.0);
    EXPECT_MTX_NEAR(x->create_submatrix(1, 2), this->dense({{6}}), 0.0);
    EXPECT_THROW(x->create_submatrix({0, 3}, {0, 1}), spruce::OutOfBoundsError);
    EXPECT_THROW(x->create_submatrix({0, 1}, {0, 4}), spruce::OutOfBoundsError);
    EXPECT_THROW(x->create_submatrix({1, 0}, {0, 1}), spruce::OutOfBoundsError);
}

// ---- sizes that no memory holds -----------------------------------------------------------------

constexpr dim<2> uncountable{size_type{1} << 33, size_type{1} << 33};
// The size exceeds the address space, so allocation fails even if the system overcommits memory.
constexpr dim<2> too_large{size_type{1} << 23, size_type{1} << 23};

TYPED_TEST(Construction, OfHugeMatricesThrowsAndGoesOn)
{
    using Dense = typename TestFixture::Dense;
    using Csr = typename TestFixture::Csr;
    using Coo = typename TestFixture::Coo;

    EXPECT_THROW(Dense::create(this->exec, uncountable), spruce::OverflowError);
    EXPECT_THROW(Dense::create(this->exec, uncountable, this->values({1}), uncountable[1]), spruce::OverflowError);
    EXPECT_THROW(Dense::create(this->exec, too_large), spruce::AllocationError);
    EXPECT_THROW(Csr::create(this->exec, dim<2>{2, 2}, size_type{1} << 46), spruce::AllocationError);
    EXPECT_THROW(Csr::create(this->exec, dim<2>{size_type{1} << 46, 2}), spruce::Error);  // int32 cannot count the rows
    EXPECT_THROW(Coo::create(this->exec, dim<2>{2, 2}, size_type{1} << 46), spruce::AllocationError);

    EXPECT_MTX_NEAR(this->apply(this->csr({{2}}), this->dense({{3}})), this->dense({{6}}), 0.0);
}

TYPED_TEST(Construction, OfDenseCountsElementsWithoutWrappingAround)
{
    using Dense = typename TestFixture::Dense;
    constexpr auto largest = std::numeric_limits<size_type>::max();

    EXPECT_THROW(Dense::create(this->exec, dim<2>{size_type{1} << 40, size_type{1} << 24},
                               this->values({1, 2, 3, 4, 5}), size_type{1} << 24),
                 spruce::OverflowError);
    EXPECT_THROW(Dense::create(this->exec, dim<2>{2, 1}, this->values({1, 2}), largest), spruce::OverflowError);
    EXPECT_THROW(this->dense({{1}, {2}})->create_submatrix({0, 2}, {0, 1}, largest), spruce::OverflowError);
    EXPECT_THROW(this->dense({{1}, {2}})->create_submatrix({0, 2}, {0, 1}, largest - 1), spruce::OutOfBoundsError);
}

/// Calls function with an empty matrix on exec of each sparse format for these types.
template <typename V, typename I, typename Function>
void for_each_sparse_format(std::shared_ptr<const spruce::Executor> exec, Function function)
{
    namespace matrix = spruce::matrix;
    function(matrix::Coo<V, I>::create(exec));
    function(matrix::Csr<V, I>::create(exec));
    function(matrix::Ell<V, I>::create(exec));
    function(matrix::Sellp<V, I>::create(exec));
    function(matrix::Hybrid<V, I>::create(exec));
    function(matrix::Fbcsr<V, I>::create(exec));
    function(matrix::SparsityCsr<V, I>::create(exec));
}

TYPED_TEST(Construction, OfSparseMatricesNeedsIndicesForAllRowsAndColumns)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    constexpr auto too_many = static_cast<size_type>(std::numeric_limits<I>::max()) + 5;
    const auto type = sizeof(I) == 4 ? "int32: a matrix of " : "int64: a matrix of ";

    for (const auto& size : {dim<2>{too_many, 1}, dim<2>{1, too_many}, dim<2>{too_many, too_many},
                             dim<2>{std::numeric_limits<size_type>::max(), 1}}) {
        const auto named = type + std::to_string(size[0]) + " x " + std::to_string(size[1]);
        for_each_sparse_format<V, I>(this->exec, [&](auto format) {
            using Matrix = std::remove_reference_t<decltype(*format)>;
            const auto create = [&] {
                if constexpr (std::is_same_v<Matrix, spruce::matrix::Fbcsr<V, I>>) {
                    return Matrix::create(this->exec, size, 0, 1);
                } else {
                    return Matrix::create(this->exec, size);
                }
            };
            EXPECT_THROW_WITH(create(), spruce::OverflowError, named);
        });
    }
    EXPECT_EQ(TestFixture::Coo::create(this->exec, dim<2>{too_many - 5, too_many - 5})->get_size()[1], too_many - 5);
}

TYPED_TEST(Construction, OfSparseMatricesFromDataNeedsIndicesForAllRowsAndColumns)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using device_data = spruce::device_matrix_data<V, I>;
    constexpr auto too_many = static_cast<size_type>(std::numeric_limits<I>::max()) + 5;
    const auto small = this->csr({{1, 2}, {0, 3}});

    for (const auto& size : {dim<2>{too_many, 2}, dim<2>{2, too_many}}) {
        const spruce::matrix_data<V, I> data{size, {{0, 1, V(1)}}};
        for_each_sparse_format<V, I>(this->exec, [&](auto format) {
            format->copy_from(small);
            const auto before = clone(format);

            EXPECT_THROW(format->read(data), spruce::OverflowError);
            EXPECT_THROW(format->read(device_data::create_from_host(this->exec, data)), spruce::OverflowError);

            EXPECT_MTX_STORED_ALIKE(format, before);
        });
    }
}

TYPED_TEST(Construction, OfSparseFromDenseNeedsIndicesForAllRowsAndColumns)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // The view claims to be longer than its memory, which is not accessed.
    constexpr auto too_many = static_cast<size_type>(std::numeric_limits<I>::max()) + 5;
    V value{};
    const auto row = TestFixture::Dense::create(this->exec, dim<2>{1, too_many},
                                                array<V>::view(this->exec, too_many, &value), too_many);
    const auto small = this->csr({{1, 2}, {0, 3}});

    for_each_sparse_format<V, I>(this->exec, [&](auto format) {
        format->copy_from(small);
        const auto before = clone(format);

        EXPECT_THROW(row->convert_to(format.get()), spruce::OverflowError);

        EXPECT_MTX_STORED_ALIKE(format, before);
    });
    spruce::matrix_data<V, I> data;
    EXPECT_THROW(row->write(data), spruce::OverflowError);
}

TYPED_TEST(Construction, OfDenseFromHugeSparseThrowsAndLeavesAUsableTarget)
{
    using data = spruce::matrix_data<typename TestFixture::V, typename TestFixture::I>;
    const auto x = this->dense({{1, 2}, {3, 4}});
    const auto coo = TestFixture::Coo::create(this->exec, too_large);

    EXPECT_THROW(x->read(data{uncountable}), spruce::Error);
    EXPECT_MTX_NEAR(x, this->dense({{1, 2}, {3, 4}}), 0.0);
    EXPECT_THROW(coo->convert_to(x.get()), spruce::AllocationError);
    EXPECT_EQ(x->get_size()[0] * x->get_size()[1], x->get_num_stored_elements());
    x->fill(1);
    x->copy_from(this->dense({{5}}));
    EXPECT_MTX_NEAR(x, this->dense({{5}}), 0.0);
}

TYPED_TEST(Construction, OfDenseViewsKeepsTheirSize)
{
    using Dense = typename TestFixture::Dense;
    const auto x = this->dense({{1, 2}, {3, 4}});
    const auto view = Dense::create_view_of(x);
    const auto other_size = this->dense({{1, 2, 3}});
    const auto other_shape = this->dense({{1, 2, 3, 4}});
    const auto same_size = this->dense({{5, 6}, {7, 8}});

    EXPECT_THROW(view->copy_from(other_size), spruce::NotSupported);
    EXPECT_THROW(view->copy_from(other_shape), spruce::NotSupported);
    EXPECT_MTX_NEAR(view, this->dense({{1, 2}, {3, 4}}), 0.0);
    view->copy_from(same_size);
    EXPECT_MTX_NEAR(x, this->dense({{5, 6}, {7, 8}}), 0.0);
}

// ---- copies and moves ---------------------------------------------------------------------------

template <typename Matrix>
void expect_copies_and_moves(const std::unique_ptr<Matrix>& a)
{
    const auto original = a->clone();

    Matrix copy{*a};
    EXPECT_MTX_STORED_ALIKE(&copy, original);
    EXPECT_EQ(copy.get_executor(), a->get_executor());
    Matrix moved{std::move(copy)};
    EXPECT_MTX_STORED_ALIKE(&moved, original);
    EXPECT_EQ(copy.get_size(), (dim<2>{}));
    EXPECT_EQ(copy.get_num_stored_elements(), 0u);
    copy = moved;
    EXPECT_MTX_STORED_ALIKE(&copy, original);
    const auto& same = copy;
    copy = same;
    EXPECT_MTX_STORED_ALIKE(&copy, original);
    moved = std::move(copy);
    EXPECT_MTX_STORED_ALIKE(&moved, original);
    for (const auto& other : all_executors()) {
        SCOPED_TRACE(other->get_description());
        const auto there = Matrix::create(other);
        there->copy_from(a);
        EXPECT_MTX_STORED_ALIKE(there, original);
        EXPECT_EQ(there->get_executor(), other);
        const auto back = Matrix::create(a->get_executor());
        back->move_from(there);
        EXPECT_MTX_STORED_ALIKE(back, original);
        EXPECT_EQ(there->get_size(), (dim<2>{}));
    }
    moved.clear();
    EXPECT_EQ(moved.get_size(), (dim<2>{}));
    EXPECT_EQ(moved.get_num_stored_elements(), 0u);
}

TYPED_TEST(Construction, OfCopiesOfCsr) { expect_copies_and_moves(this->csr({{1, 0, 2}, {0, 0, 0}, {0, 3, 0}})); }
TYPED_TEST(Construction, OfCopiesOfCoo) { expect_copies_and_moves(this->coo({{1, 0, 2}, {0, 0, 0}, {0, 3, 0}})); }
TYPED_TEST(Construction, OfCopiesOfDense) { expect_copies_and_moves(this->dense({{1, 0, 2}, {0, 0, 4}})); }

TYPED_TEST(Construction, OfEmptiedMatricesLeavesThemUsable)
{
    using Csr = typename TestFixture::Csr;
    const auto a = this->csr({{1, 2}, {3, 4}});
    const auto b = Csr::create(this->exec);
    b->move_from(a);

    EXPECT_EQ(this->apply(a, this->dense_of_nan(0, 1))->get_size(), (dim<2>{0, 1}));
    // Triples are given because rows in braces would be pairs of parts for complex values.
    a->read(spruce::matrix_data<typename TestFixture::V, typename TestFixture::I>{
        dim<2>{2, 2}, {{0, 0, 1}, {0, 1, 2}, {1, 0, 3}, {1, 1, 4}}});
    EXPECT_MTX_STORED_ALIKE(a, b);
    a->clear();
    EXPECT_EQ(this->apply(a, this->dense_of_nan(0, 2))->get_size(), (dim<2>{0, 2}));
}

TYPED_TEST(Construction, OfMovedConversionsKeepsEntries)
{
    using Csr = typename TestFixture::Csr;
    using Coo = typename TestFixture::Coo;
    using Dense = typename TestFixture::Dense;
    const auto expected = this->dense({{1, 0, 2}, {0, 3, 0}});
    const auto csr = Csr::create(this->exec);
    const auto coo = Coo::create(this->exec);
    const auto dense = Dense::create(this->exec);

    csr->move_from(this->coo({{1, 0, 2}, {0, 3, 0}}));
    EXPECT_MTX_NEAR(csr, expected, 0.0);
    coo->move_from(csr);
    EXPECT_MTX_NEAR(coo, expected, 0.0);
    dense->move_from(coo);
    EXPECT_MTX_NEAR(dense, expected, 0.0);
    dense->move_from(this->csr({{1, 0, 2}, {0, 3, 0}}));
    EXPECT_MTX_NEAR(dense, expected, 0.0);
    coo->move_from(dense);
    EXPECT_MTX_NEAR(coo, expected, 0.0);
    csr->move_from(expected->clone());
    EXPECT_MTX_NEAR(csr, expected, 0.0);
}

TYPED_TEST(Construction, OfStridedCopiesAcrossExecutorsKeepsStrides)
{
    for (const auto& other : all_executors()) {
        SCOPED_TRACE(other->get_description());
        const auto from = this->dense({{1, 2}, {3, 4}}, 5);
        const auto to = make_dense_of_nan<typename TestFixture::V>(other, dim<2>{2, 2}, 3);

        to->copy_from(from);

        EXPECT_MTX_NEAR(to, from, 0.0);
        EXPECT_EQ(to->get_stride(), 3u);
        EXPECT_TRUE(padding_is_intact(*to));
    }
}

// ---- strategies of Csr --------------------------------------------------------------------------

TYPED_TEST(Construction, OfCsrKeepsTheStrategy)
{
    using Csr = typename TestFixture::Csr;
    const auto a = this->csr({{1, 2}, {0, 3}});
    const auto b = this->dense({{1}, {1}});
    for (const auto& strategy : std::initializer_list<std::shared_ptr<typename Csr::strategy_type>>{
             std::make_shared<typename Csr::classical>(), std::make_shared<typename Csr::load_balance>(),
             std::make_shared<typename Csr::merge_path>()}) {
        SCOPED_TRACE(strategy->get_name());
        a->set_strategy(strategy);
        EXPECT_EQ(a->get_strategy()->get_name(), strategy->get_name());
        EXPECT_EQ(a->clone()->get_strategy()->get_name(), strategy->get_name());
        for (const auto& other : all_executors()) {
            // A strategy is tuned again for another device, and products are right in any case.
            const auto there = clone(other, a);
            EXPECT_MTX_NEAR(this->apply(clone(this->exec, there), b), this->dense({{3}, {3}}), 0.0);
            const auto x = clone(other, this->dense_of_nan(2, 1));
            there->apply(clone(other, b), x);
            EXPECT_MTX_NEAR(x, this->dense({{3}, {3}}), 0.0);
        }
    }
    EXPECT_THROW_WITH(a->set_strategy(nullptr), spruce::NotSupported, "Csr::set_strategy");
    EXPECT_EQ(a->get_strategy()->get_name(), "merge_path");
}

TYPED_TEST(Construction, OfCsrWithVendorStrategiesKeepsTheirNames)
{
    using Csr = typename TestFixture::Csr;

    EXPECT_EQ(Csr::create(this->exec, std::make_shared<typename Csr::sparselib>())->get_strategy()->get_name(),
              "sparselib");
    EXPECT_EQ(Csr::create(this->exec, std::make_shared<typename Csr::cusparse>())->clone()->get_strategy()->get_name(),
              "cusparse");
}

TYPED_TEST(Construction, OfCsrWithAutomaticalStrategyLooksAtRows)
{
    using Csr = typename TestFixture::Csr;
    std::vector<size_type> lengths(1000, 2);
    const auto even = make_csr<typename TestFixture::V, typename TestFixture::I>(
        this->exec, random_sparse(this->engine, lengths, 1000), std::make_shared<typename Csr::automatical>());
    lengths[500] = 900;
    const auto uneven = make_csr<typename TestFixture::V, typename TestFixture::I>(
        this->exec, random_sparse(this->engine, lengths, 1000), std::make_shared<typename Csr::automatical>());

    EXPECT_EQ(even->get_strategy()->get_name(), "classical");
    EXPECT_EQ(uneven->get_strategy()->get_name(), "merge_path");
    EXPECT_EQ(even->get_strategy()->get_max_length_per_row(), 2);
    EXPECT_EQ(uneven->get_strategy()->get_max_length_per_row(), 900);
    EXPECT_EQ(typename Csr::automatical{}.get_max_length_per_row(), -1);
    EXPECT_EQ(typename Csr::classical{}.get_max_length_per_row(), -1);
    const auto b = this->random_dense(1000, 1);
    EXPECT_MTX_NEAR(this->apply(uneven, b), this->apply_on_reference(uneven, b), this->tolerance_of_sum(900));
}

TYPED_TEST(Construction, OfCsrFromAnotherExecutorPreparesTheStrategyForThisOne)
{
    using Csr = typename TestFixture::Csr;
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    std::vector<size_type> lengths(3000, 2);
    std::fill(lengths.begin() + 1500, lengths.end(), 40);  // equal numbers of rows do not fill tiles equally
    const auto data = random_sparse(this->engine, lengths, 1000);
    const auto check = [&](std::shared_ptr<typename Csr::strategy_type> strategy) {
        const auto expected = make_csr<V, I>(this->exec, data, strategy);
        const auto copy = clone(this->exec, make_csr<V, I>(this->ref, data, strategy));

        EXPECT_EQ(copy->get_strategy()->get_name(), expected->get_strategy()->get_name());
        EXPECT_EQ(copy->get_strategy()->get_max_length_per_row(), expected->get_strategy()->get_max_length_per_row());
        EXPECT_EQ(copy->get_num_srow_elements(), expected->get_num_srow_elements());
    };
    check(std::make_shared<typename Csr::classical>());
    check(std::make_shared<typename Csr::merge_path>());
}

// ---- identity -----------------------------------------------------------------------------------

TYPED_TEST(Construction, OfIdentity)
{
    using Identity = spruce::matrix::Identity<typename TestFixture::V>;
    const auto a = Identity::create(this->exec, 2);
    const auto b = this->dense({{1, 2}, {3, 4}});
    const auto x = this->dense_of_nan(2, 2);

    a->apply(b, x);
    EXPECT_MTX_NEAR(x, b, 0.0);
    a->apply(this->dense({{2}}), b, this->dense({{-1}}), x);
    EXPECT_MTX_NEAR(x, b, 0.0);
    EXPECT_EQ(a->transpose()->get_size(), (dim<2>{2, 2}));
    EXPECT_EQ(a->conj_transpose()->get_size(), (dim<2>{2, 2}));
    EXPECT_EQ(Identity::create(this->exec, dim<2>{3, 3})->get_size(), (dim<2>{3, 3}));
    EXPECT_THROW_WITH(Identity::create(this->exec, dim<2>{3, 2}), spruce::DimensionMismatch, "an identity is square");
    EXPECT_THROW(a->apply(this->dense({{1}}), x), spruce::DimensionMismatch);
}

TYPED_TEST(Construction, OfIdentityIgnoresOperandsWithFactorZero)
{
    using Identity = spruce::matrix::Identity<typename TestFixture::V>;
    const auto a = Identity::create(this->exec, 2);
    const auto zero = this->dense({{0}});
    const auto one = this->dense({{1}});
    const auto b = this->dense({{1}, {2}});
    const auto x = this->dense_of_nan(2, 1);

    a->apply(one, b, zero, x);
    EXPECT_MTX_NEAR(x, b, 0.0);
    a->apply(zero, this->dense_of_nan(2, 1), one, x);
    EXPECT_MTX_NEAR(x, b, 0.0);
}

TYPED_TEST(Construction, OfScaledSumsIgnoresOperandsWithFactorZero)
{
    const auto x = this->dense({{1, 2}, {3, 4}});
    const auto nan = this->dense_of_nan(2, 2);

    x->add_scaled(this->dense({{0}}), nan);
    x->sub_scaled(this->dense({{0, 0}}), nan);

    EXPECT_MTX_NEAR(x, this->dense({{1, 2}, {3, 4}}), 0.0);
}

TYPED_TEST(Construction, OfIdentityByItsFactory)
{
    using Factory = spruce::matrix::IdentityFactory<typename TestFixture::V>;

    const auto a = Factory::create(this->exec)->generate(spruce::share(this->csr({{1, 2}, {3, 4}})));

    EXPECT_EQ(a->get_size(), (dim<2>{2, 2}));
    EXPECT_THROW(Factory::create(this->exec)->generate(spruce::share(this->csr({{1, 2}}))), spruce::DimensionMismatch);
}

// ---- composition --------------------------------------------------------------------------------

TYPED_TEST(Construction, OfRealCompositionsServesComplexVectors)
{
    using V = typename TestFixture::V;
    using complex = spruce::to_complex<V>;
    if constexpr (!spruce::is_complex<V>()) {
        using ComplexDense = spruce::matrix::Dense<complex>;
        const auto a = spruce::Composition<V>::create(spruce::share(this->csr({{1, 2}, {3, 4}})),
                                                      spruce::share(this->csr({{0, 1}, {1, 0}})));
        const auto b = spruce::initialize<ComplexDense>({complex(0, 1), complex(1, 2)}, this->exec);
        const auto x = ComplexDense::create(this->exec, dim<2>{2, 1});
        const auto expected = spruce::initialize<ComplexDense>({complex(1, 4), complex(3, 10)}, this->exec);

        a->apply(b, x);
        EXPECT_MTX_NEAR(x, expected, 0.0);
        a->apply(this->dense({{2}}), b, this->dense({{-1}}), x);
        EXPECT_MTX_NEAR(x, expected, 0.0);
    }
}

}  // namespace
