// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests entries in any order and several entries at one position in all formats (doc/formats.md):
// none is lost.

#include <algorithm>
#include <random>

#include "test/utils/formats.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::as;
using spruce::dim;
using spruce::LinOp;
using spruce::size_type;

/// Describes how a format stores several entries at one position.
enum class storing { each_entry, each_position, sums, sums_in_blocks };

struct storing_format {
    format kind;
    storing what;
};

template <typename Types>
class DuplicateEntries : public formats_test<Types> {
protected:
    using ordered_data = std::pair<std::string, host_matrix>;
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::Coo;
    using typename kernel_test<Types>::Dense;
    using typename formats_test<Types>::Fbcsr;
    using typename formats_test<Types>::SparsityCsr;
    using triples = spruce::matrix_data<V, I>;
    using device_triples = spruce::device_matrix_data<V, I>;
    using readable = spruce::ReadableFromMatrixData<V, I>;
    using writable = spruce::WritableToMatrixData<V, I>;

    static std::vector<storing_format> storing_formats()
    {
        std::vector<storing_format> result;
        for (auto& one : formats_test<Types>::all_formats()) {
            const auto what = one.name == "SparsityCsr"                    ? storing::each_position
                              : one.name == "Dense" || one.name == "Fbcsr" ? storing::sums
                                                                           : storing::each_entry;
            result.push_back({std::move(one), what});
        }
        result.push_back({make_format<Fbcsr>("Fbcsr, blocks of 2", 2), storing::sums_in_blocks});
        return result;
    }

    /// Returns thirteen entries at eight positions, sorted.
    static host_matrix sorted()
    {
        return {dim<2>{4, 6},
                {{0, 0, 1.0},
                 {0, 0, 2.0},
                 {0, 3, 4.0},
                 {1, 1, 2.0},
                 {1, 1, 3.0},
                 {1, 4, 6.0},
                 {2, 0, 8.0},
                 {2, 5, 7.0},
                 {2, 5, 9.0},
                 {3, 2, 10.0},
                 {3, 2, 20.0},
                 {3, 2, 30.0},
                 {3, 3, 11.0}}};
    }
    static constexpr size_type num_entries = 13;

    std::unique_ptr<Dense> sums() const
    {
        return this->dense({{3, 0, 0, 4, 0, 0}, {0, 5, 0, 0, 6, 0}, {8, 0, 0, 0, 0, 16}, {0, 0, 60, 11, 0, 0}});
    }
    std::unique_ptr<Dense> numbers_of_entries() const
    {
        return this->dense({{2, 0, 0, 1, 0, 0}, {0, 2, 0, 0, 1, 0}, {1, 0, 0, 0, 0, 2}, {0, 0, 3, 1, 0, 0}});
    }
    std::unique_ptr<Dense> places() const
    {
        return this->dense({{1, 0, 0, 1, 0, 0}, {0, 1, 0, 0, 1, 0}, {1, 0, 0, 0, 0, 1}, {0, 0, 1, 1, 0, 0}});
    }
    /// Returns the pattern of 2 x 2 blocks: each of them contains an entry.
    std::unique_ptr<Dense> places_in_blocks() const
    {
        return this->dense({{1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}});
    }

    template <typename Compare>
    static host_matrix sorted_by(Compare compare)
    {
        auto data = sorted();
        std::stable_sort(data.nonzeros.begin(), data.nonzeros.end(), compare);
        return data;
    }

    /// Returns the entries of sorted() in other orders of columns.
    std::vector<ordered_data> rows_in_order()
    {
        const auto by_row = [](const auto& a, const auto& b) { return a.row < b.row; };
        auto backwards = sorted();
        std::reverse(backwards.nonzeros.begin(), backwards.nonzeros.end());
        std::stable_sort(backwards.nonzeros.begin(), backwards.nonzeros.end(), by_row);
        auto apart = sorted();  // entries at one position are not neighbours
        std::swap(apart.nonzeros[1], apart.nonzeros[2]);
        std::swap(apart.nonzeros[11], apart.nonzeros[12]);
        return {{"sorted", sorted()}, {"columns backwards", backwards}, {"duplicates apart", apart}};
    }
    /// Returns the entries of sorted() in other orders of rows and columns.
    std::vector<ordered_data> all_orders()
    {
        auto result = this->rows_in_order();
        result.emplace_back("by columns", sorted_by([](const auto& a, const auto& b) {
                                return std::pair{a.column, a.row} < std::pair{b.column, b.row};
                            }));
        result.emplace_back("by blocks", sorted_by([](const auto& a, const auto& b) {
                                return std::pair{a.row / 2, a.column / 2} < std::pair{b.row / 2, b.column / 2};
                            }));
        auto backwards = sorted();
        std::reverse(backwards.nonzeros.begin(), backwards.nonzeros.end());
        result.emplace_back("backwards", backwards);
        auto shuffled = sorted();
        std::shuffle(shuffled.nonzeros.begin(), shuffled.nonzeros.end(), this->engine);
        result.emplace_back("shuffled", shuffled);
        return result;
    }

    static triples with_types(const host_matrix& data)
    {
        triples result{data.size};
        for (const auto& entry : data.nonzeros) {
            result.nonzeros.emplace_back(static_cast<I>(entry.row), static_cast<I>(entry.column),
                                         V(static_cast<spruce::remove_complex<V>>(entry.value.real())));
        }
        return result;
    }

    /// Returns the matrix of these entries as the format stores it.
    std::unique_ptr<Dense> expected(storing what) const
    {
        return what == storing::each_position ? this->numbers_of_entries() : this->sums();
    }
    /// Returns the matrix of these entries as one format stores it after a conversion from another
    /// one.
    std::unique_ptr<Dense> expected(storing from, storing to) const
    {
        if (to != storing::each_position || from == storing::each_position) {
            return this->expected(from);
        }
        return from == storing::sums             ? this->places()
               : from == storing::sums_in_blocks ? this->places_in_blocks()
                                                 : this->numbers_of_entries();
    }

    static size_type count_entries(const LinOp* a)
    {
        triples written;
        as<writable>(a)->write(written);
        return written.nonzeros.size();
    }

    /// Checks the conversion to Dense, the product and the diagonal of a. Values are small
    /// integers, so all sums are exact.
    void expect_is(spruce::ptr_param<const LinOp> a, spruce::ptr_param<const Dense> expected_matrix) const
    {
        const auto dense = this->dense_of_nan(1, 1);
        const auto num_cols = expected_matrix->get_size()[1];
        host_matrix factors{dim<2>{num_cols, 2}};
        for (size_type row = 0; row < num_cols; ++row) {
            factors.nonzeros.emplace_back(row, 0, row % 7 + 1.0);
            factors.nonzeros.emplace_back(row, 1, row % 2 + 1.0);
        }
        const auto b = make_dense<V>(this->exec, factors);
        const auto x = this->dense_of_nan(expected_matrix->get_size()[0], 2);
        const auto expected_x = clone(x);

        dense->copy_from(a.get());
        a->apply(b, x);
        expected_matrix->apply(b, expected_x);

        EXPECT_MTX_NEAR(dense, expected_matrix, 0.0);
        EXPECT_MTX_NEAR(x, expected_x, 0.0);
        EXPECT_MTX_NEAR(as<spruce::DiagonalExtractable<V>>(a.get())->extract_diagonal(),
                        expected_matrix->extract_diagonal(), 0.0);
    }
};
TYPED_TEST_SUITE(DuplicateEntries, value_and_index_types, type_names);

TYPED_TEST(DuplicateEntries, AreKeptOrAddedUpByEveryWayOfReading)
{
    using device_triples = typename TestFixture::device_triples;
    for (const auto& order : this->all_orders()) {
        const auto host_data = this->with_types(order.second);
        for (const auto& one : this->storing_formats()) {
            SCOPED_TRACE(one.kind.name + ", " + order.first);
            const auto check = [&](const char* source, auto read) {
                SCOPED_TRACE(source);
                const auto a = one.kind.create(this->exec);
                read(*as<typename TestFixture::readable>(a.get()));
                this->expect_is(a, this->expected(one.what));
                if (one.what == storing::each_entry || one.what == storing::each_position) {
                    EXPECT_EQ(this->count_entries(a.get()), order.second.nonzeros.size());
                }
            };
            auto on_exec = device_triples::create_from_host(this->exec, host_data);
            const auto on_ref = device_triples::create_from_host(this->ref, host_data);

            check("host data", [&](auto& a) { a.read(host_data); });
            check("data on another executor", [&](auto& a) { a.read(on_ref); });
            check("data on the executor", [&](auto& a) { a.read(std::as_const(on_exec)); });
            EXPECT_EQ(on_exec.copy_to_host().nonzeros, host_data.nonzeros);
            check("moved data", [&](auto& a) { a.read(std::move(on_exec)); });
            EXPECT_EQ(on_exec.get_num_stored_elements(), 0u);
        }
    }
}

TYPED_TEST(DuplicateEntries, KeepTheirOrderIfRowsAreInOrder)
{
    for (const auto& order : this->rows_in_order()) {
        const auto host_data = this->with_types(order.second);
        for (const auto& one : this->storing_formats()) {
            if (one.what != storing::each_entry) {
                continue;
            }
            SCOPED_TRACE(one.kind.name + ", " + order.first);
            const auto a = one.kind.create(this->exec);
            typename TestFixture::triples written;

            as<typename TestFixture::readable>(a.get())->read(host_data);

            as<typename TestFixture::writable>(a.get())->write(written);
            EXPECT_EQ(written.nonzeros, host_data.nonzeros);
        }
    }
}

TYPED_TEST(DuplicateEntries, SurviveConversionsBetweenAllPairs)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const auto& order : this->rows_in_order()) {
        const auto csr = make_csr<V, I>(this->exec, order.second);
        for (const auto& first : this->storing_formats()) {
            const auto a = first.kind.convert(csr.get());
            for (const auto& second : this->storing_formats()) {
                SCOPED_TRACE(order.first + ", " + first.kind.name + " -> " + second.kind.name);

                const auto b = second.kind.convert(a.get());

                this->expect_is(b, this->expected(first.what, second.what));
                if (first.what == storing::each_entry && second.what == storing::each_entry) {
                    EXPECT_MTX_STORED_ALIKE(b, a);
                }
            }
        }
    }
}

TYPED_TEST(DuplicateEntries, OfCooInAnyOrderSurviveAllButProducts)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const auto& order : this->all_orders()) {
        SCOPED_TRACE(order.first);
        const auto& entries = order.second.nonzeros;
        const auto is_sorted = std::is_sorted(entries.begin(), entries.end());
        const auto coo = make_coo<V, I>(this->exec, order.second);
        for (const auto& one : this->storing_formats()) {
            if (one.kind.name != "Coo") {  // a copy keeps the order
                SCOPED_TRACE(one.kind.name);
                this->expect_is(one.kind.convert(coo.get()), this->expected(storing::each_entry, one.what));
            }
        }
        const auto sorted = coo->clone();

        EXPECT_EQ(coo->is_sorted_by_column_index(), is_sorted);
        sorted->sort_by_column_index();

        EXPECT_TRUE(sorted->is_sorted_by_column_index());
        EXPECT_EQ(sorted->get_num_stored_elements(), entries.size());
        this->expect_is(sorted, this->sums());
        EXPECT_MTX_NEAR(coo->extract_diagonal(), this->sums()->extract_diagonal(), 0.0);
        this->expect_is(as<typename TestFixture::Coo>(coo->transpose())->transpose(), this->sums());
    }
}

TYPED_TEST(DuplicateEntries, OfLongRowsAreAddedUp)
{
    using V = typename TypeParam::value_type;
    std::uniform_int_distribution<int> column{0, 419};
    std::uniform_int_distribution<int> length{0, 12};
    host_matrix data{dim<2>{300, 420}};
    for (int row = 0; row < 300; ++row) {
        for (int i = row == 7 ? 2500 : length(this->engine); i > 0; --i) {
            data.nonzeros.emplace_back(row, row % 3 == 0 && i < 3 ? row : column(this->engine), i % 5 - 1.0);
        }
    }
    std::shuffle(data.nonzeros.begin(), data.nonzeros.end(), this->engine);
    auto numbers = this->with_ones(data);
    auto sums = data;
    numbers.sum_duplicates();
    sums.sum_duplicates();
    const auto host_data = this->with_types(data);
    for (const auto& one : this->storing_formats()) {
        SCOPED_TRACE(one.kind.name);
        const auto a = one.kind.create(this->exec);

        as<typename TestFixture::readable>(a.get())->read(host_data);

        this->expect_is(a, make_dense<V>(this->exec, one.what == storing::each_position ? numbers : sums));
    }
}

TYPED_TEST(DuplicateEntries, SurviveOperationsOfCsr)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using Dense = typename TestFixture::Dense;
    using spruce::matrix::permute_mode;
    const auto exec = this->exec;
    const auto rows = spruce::matrix::Permutation<I>::create(exec, array<I>{exec, {2, 0, 3, 1}});
    const auto columns = spruce::matrix::Permutation<I>::create(exec, array<I>{exec, {5, 0, 4, 1, 3, 2}});
    const auto sums = this->sums();
    const auto part = Dense::create(exec);
    for (const auto& order : this->rows_in_order()) {
        SCOPED_TRACE(order.first);
        const auto& entries = order.second.nonzeros;
        const auto a = make_csr<V, I>(exec, order.second);
        const auto sorted = a->clone();

        sorted->sort_by_column_index();

        EXPECT_EQ(a->is_sorted_by_column_index(), std::is_sorted(entries.begin(), entries.end()));
        EXPECT_TRUE(sorted->is_sorted_by_column_index());
        this->expect_is(sorted, sums);
        this->expect_is(as<typename TestFixture::Csr>(a->transpose())->transpose(), sums);
        this->expect_is(a->permute(rows, columns), sums->permute(rows, columns));
        this->expect_is(a->permute(rows, permute_mode::rows), sums->permute(rows, permute_mode::rows));
        part->copy_from(a->create_submatrix({1, 4}, {1, 3}));
        EXPECT_MTX_NEAR(part, this->dense({{5, 0}, {0, 0}, {0, 60}}), 0.0);
        part->copy_from(a->create_submatrix(spruce::index_set<I>{exec, 4, array<I>{exec, {0, 3}}},
                                            spruce::index_set<I>{exec, 6, array<I>{exec, {0, 2}}}));
        EXPECT_MTX_NEAR(part, this->dense({{3, 0}, {0, 60}}), 0.0);
    }
}

TYPED_TEST(DuplicateEntries, OnTheDiagonalTakeAnAddedIdentityOnce)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto a =
        make_csr<V, I>(this->exec, {dim<2>{2, 2}, {{0, 0, 1.0}, {0, 1, 2.0}, {0, 0, 3.0}, {1, 1, 4.0}, {1, 1, 5.0}}});

    a->add_scaled_identity(this->dense({{100}}), this->dense({{2}}));

    this->expect_is(a, this->dense({{108, 4}, {0, 118}}));
}

TYPED_TEST(DuplicateEntries, AreAddedUpByDiagonal)
{
    using V = typename TypeParam::value_type;
    const auto data = this->with_types({dim<2>{3, 3}, {{2, 2, 1.0}, {0, 0, 2.0}, {2, 2, 4.0}, {2, 2, 8.0}}});
    const auto a = spruce::matrix::Diagonal<V>::create(this->exec);

    a->read(data);

    EXPECT_MTX_NEAR(a, this->dense({{2, 0, 0}, {0, 0, 0}, {0, 0, 13}}), 0.0);
}

TYPED_TEST(DuplicateEntries, OutsideOfTheMatrixAreRefused)
{
    using I = typename TypeParam::index_type;
    using V = typename TypeParam::value_type;
    using device_triples = typename TestFixture::device_triples;
    auto all = this->storing_formats();
    all.push_back({{"Diagonal", [](auto exec) { return spruce::matrix::Diagonal<V>::create(exec); }, {}}, {}});
    for (const auto& one : all) {
        SCOPED_TRACE(one.kind.name);
        const auto a = one.kind.create(this->exec);
        auto& readable = *as<typename TestFixture::readable>(a.get());
        readable.read(this->with_types({dim<2>{2, 2}, {{0, 0, 3.0}, {1, 1, 4.0}}}));
        const auto before = a->clone();
        const auto read_entry_at = [&](int row, int col) {
            readable.read(device_triples{this->exec, dim<2>{4, 4}, array<I>{this->exec, {I{3}, static_cast<I>(row)}},
                                         array<I>{this->exec, {I{3}, static_cast<I>(col)}},
                                         array<V>{this->exec, {V(1), V(2)}}});
        };

        for (const auto index : {-1, 4}) {
            EXPECT_THROW(read_entry_at(index, index), spruce::OutOfBoundsError);
        }
        EXPECT_THROW(read_entry_at(1, 4), spruce::OutOfBoundsError);
        EXPECT_MTX_STORED_ALIKE(a, before);
    }
}

}  // namespace
