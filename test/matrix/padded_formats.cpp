// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests that products of Ell, Sellp and Hybrid equal those of Csr on the reference, and that
// conversions are exact.

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::dim;
using spruce::size_type;

template <typename Types>
class PaddedFormats : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::Dense;
    using Ell = spruce::matrix::Ell<V, I>;
    using Sellp = spruce::matrix::Sellp<V, I>;
    using Hybrid = spruce::matrix::Hybrid<V, I>;

    /// Calls function(create) for each format with some of its parameters. create(exec) creates an
    /// empty matrix.
    template <typename Function>
    static void for_each_format(Function function)
    {
        const auto run = [&](const char* name, auto create) {
            SCOPED_TRACE(name);
            function(create);
        };
        const auto hybrid_with = [](auto strategy) {
            return [=](auto exec) { return Hybrid::create(exec, strategy); };
        };
        run("Ell", [](auto exec) { return Ell::create(exec); });
        run("Sellp", [](auto exec) { return Sellp::create(exec); });
        run("Sellp, slices of 3 rows, columns in fours",
            [](auto exec) { return Sellp::create(exec, dim<2>{}, 3, 4, 0); });
        run("Hybrid, automatic", [](auto exec) { return Hybrid::create(exec); });
        run("Hybrid, no columns", hybrid_with(std::make_shared<typename Hybrid::column_limit>()));
        run("Hybrid, two columns", hybrid_with(std::make_shared<typename Hybrid::column_limit>(2)));
        run("Hybrid, 80 %", hybrid_with(std::make_shared<typename Hybrid::imbalance_limit>()));
        run("Hybrid, 90 % and bounded",
            hybrid_with(std::make_shared<typename Hybrid::imbalance_bounded_limit>(0.9, 0.1)));
        run("Hybrid, least memory", hybrid_with(std::make_shared<typename Hybrid::minimal_storage_limit>()));
    }

    std::vector<sparse_case> cases() { return sparse_cases(this->engine); }

    /// Compares x = a b and x = alpha a b + beta x with the reference, for every format.
    void compare(const sparse_case& one, size_type num_rhs, size_type b_padding = 0, size_type x_padding = 0)
    {
        SCOPED_TRACE(one.name + ", " + std::to_string(num_rhs) + " right-hand sides");
        const auto size = one.data.size;
        const auto tolerance = this->tolerance_of_sum(one.longest_row + 1);
        const auto host_b = random_full(this->engine, size[1], num_rhs);
        const auto host_x = random_full(this->engine, size[0], num_rhs);
        const auto alpha = this->dense({{V(-1.25)}});
        const auto beta = this->dense({{V(0.75)}});
        const auto csr = make_csr<V, I>(this->exec, one.data);
        const auto ref_csr = make_csr<V, I>(this->ref, one.data);
        const auto b = make_dense<V>(this->exec, host_b, num_rhs + b_padding);
        const auto expected = make_dense<V>(this->ref, host_x);
        const auto advanced_expected = make_dense<V>(this->ref, host_x);
        ref_csr->apply(b, expected);
        ref_csr->apply(alpha, b, beta, advanced_expected);
        for_each_format([&](auto create) {
            const auto a = create(this->exec);
            csr->convert_to(a);
            const auto x = this->dense_of_nan(size[0], num_rhs, num_rhs + x_padding);
            const auto advanced_x = make_dense<V>(this->exec, host_x, num_rhs + x_padding);

            a->apply(b, x);
            a->apply(alpha, b, beta, advanced_x);

            EXPECT_MTX_NEAR(x, expected, tolerance);
            EXPECT_MTX_NEAR(advanced_x, advanced_expected, tolerance);
            EXPECT_TRUE(padding_is_intact(*x));
            EXPECT_TRUE(padding_is_intact(*advanced_x));
        });
    }
};
TYPED_TEST_SUITE(PaddedFormats, value_and_index_types, type_names);

// ---- products -----------------------------------------------------------------------------------

TYPED_TEST(PaddedFormats, OverwriteResultAndHandleEmptyRow)
{
    const auto csr = this->csr({{1, 0, 2}, {0, 0, 0}, {0, 3, 0}});
    this->for_each_format([&](auto create) {
        const auto a = create(this->exec);
        csr->convert_to(a);

        EXPECT_MTX_NEAR(this->apply(a, this->dense({{1}, {2}, {3}})), this->dense({{7}, {0}, {6}}), 0.0);
    });
}

TYPED_TEST(PaddedFormats, MultiplyAsCsrOnEveryCase)
{
    for (const auto& one : this->cases()) {
        this->compare(one, 1);
        this->compare(one, 3, 2, 1);
    }
}

TYPED_TEST(PaddedFormats, MultiplyAsCsrForEveryNumberOfRightHandSides)
{
    const auto data = random_sparse(this->engine, 131, 97, nnz_per_row(0, 40));

    for (const size_type num_rhs : {0, 1, 2, 4, 5, 8, 17}) {
        this->compare({"ragged", data, 40}, num_rhs);
        this->compare({"ragged, strided", data, 40}, num_rhs, 3, 5);
    }
}

TYPED_TEST(PaddedFormats, MultiplyAsCsrOnManyRows)  // several blocks, and enough rows for aligned columns
{
    this->compare({"many rows", random_sparse(this->engine, 1500, 1500, nnz_per_row(3, 7)), 7}, 1);
}

TYPED_TEST(PaddedFormats, KeepNanInPlacesWithoutEntries)
{
    using V = typename TestFixture::V;
    const auto csr = this->csr({{0, 1, 2}, {0, 3, 0}, {0, 0, 0}});  // rows with two, one and no entries: padded
    const auto b = this->dense({{spruce::nan<V>()}, {1}, {2}});
    this->for_each_format([&](auto create) {
        const auto a = create(this->exec);
        csr->convert_to(a);

        EXPECT_MTX_NEAR(this->apply(a, b), this->dense({{5}, {3}, {0}}), 0.0);
    });
}

TYPED_TEST(PaddedFormats, IgnoreOperandsOfZeroFactors)
{
    const auto csr = this->csr({{1, 2}, {0, 0}});
    this->for_each_format([&](auto create) {
        const auto a = create(this->exec);
        csr->convert_to(a);
        const auto product = this->dense_of_nan(2, 2);
        const auto scaled = this->dense({{1, 2}, {3, 4}});
        const auto zeros = this->dense_of_nan(2, 2);

        a->apply(this->dense({{2}}), this->dense({{1, 2}, {3, 4}}), this->dense({{0}}), product);
        a->apply(this->dense({{0}}), this->dense_of_nan(2, 2), this->dense({{3}}), scaled);
        a->apply(this->dense({{0}}), this->dense_of_nan(2, 2), this->dense({{0}}), zeros);

        EXPECT_MTX_NEAR(product, this->dense({{14, 20}, {0, 0}}), 0.0);
        EXPECT_MTX_NEAR(scaled, this->dense({{3, 6}, {9, 12}}), 0.0);
        EXPECT_MTX_NEAR(zeros, this->dense({{0, 0}, {0, 0}}), 0.0);
    });
}

TYPED_TEST(PaddedFormats, MultiplyVectorsOfTheOtherPrecision)
{
    using other = spruce::next_precision<typename TestFixture::V>;
    const auto csr = this->csr({{1, 0, 2}, {0, 0, 0}, {0, 3, 0}});
    this->for_each_format([&](auto create) {
        const auto a = create(this->exec);
        csr->convert_to(a);
        const auto b = spruce::initialize<spruce::matrix::Dense<other>>({other(1), other(2), other(3)}, this->exec);
        const auto x = spruce::matrix::Dense<other>::create(this->exec, dim<2>{3, 1});

        a->apply(b, x);

        EXPECT_MTX_NEAR(x, this->dense({{7}, {0}, {6}}), 0.0);
    });
}

// ---- conversions --------------------------------------------------------------------------------

TYPED_TEST(PaddedFormats, KeepEntriesAndTheirOrder)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    for (const auto& one : this->cases()) {
        SCOPED_TRACE(one.name);
        const auto csr = make_csr<V, I>(this->exec, one.data);
        this->for_each_format([&](auto create) {
            const auto a = create(this->exec);
            const auto back = this->csr({{1, 2}, {3, 4}});  // the old entries disappear

            csr->convert_to(a);
            a->convert_to(back);

            EXPECT_EQ(a->get_size(), one.data.size);
            EXPECT_MTX_STORED_ALIKE(back, csr);
        });
    }
}

TYPED_TEST(PaddedFormats, WithHolesBetweenEntriesGiveTheOthersToCsr)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto is_hole = [](auto entry) { return entry.column % 3 == 1; };
    for (const auto& length : {nnz_per_row(0, 3), nnz_per_row(5, 9), nnz_per_row(0, 40), nnz_per_row(90, 150)}) {
        const auto all = random_sparse(this->engine, 300, 200, length);
        auto some = all;
        auto& entries = some.nonzeros;
        entries.erase(std::remove_if(entries.begin(), entries.end(), is_hole), entries.end());
        const auto make_holes = [](auto a) {
            const auto cols = a->get_col_idxs();
            std::replace_if(
                cols, cols + a->get_num_stored_elements(), [](I col) { return col % 3 == 1; }, I{-1});
        };
        const auto csr = make_csr<V, I>(this->ref, all);
        const auto ell = spruce::matrix::Ell<V, I>::create(this->ref);
        const auto sellp = spruce::matrix::Sellp<V, I>::create(this->ref);
        csr->convert_to(ell);
        csr->convert_to(sellp);
        make_holes(ell.get());
        make_holes(sellp.get());

        const auto expected = make_csr<V, I>(this->ref, some);
        const auto from_ell = TestFixture::Csr::create(this->exec);
        const auto from_sellp = TestFixture::Csr::create(this->exec);
        clone(this->exec, ell)->convert_to(from_ell);
        clone(this->exec, sellp)->convert_to(from_sellp);
        EXPECT_MTX_STORED_ALIKE(from_ell, expected);
        EXPECT_MTX_STORED_ALIKE(from_sellp, expected);
    }
}

TYPED_TEST(PaddedFormats, KeepZeros)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    spruce::matrix_data<V, I> data{dim<2>{3, 3}};
    data.nonzeros = {{0, 0, V(0)}, {0, 2, V(0)}, {2, 1, V(1)}};
    this->for_each_format([&](auto create) {
        const auto a = create(this->exec);
        decltype(data) written;

        a->read(data);
        a->write(written);

        EXPECT_EQ(written.size, data.size);
        EXPECT_EQ(written.nonzeros, data.nonzeros);
    });
}

TYPED_TEST(PaddedFormats, ConvertFromAndToDense)
{
    using V = typename TestFixture::V;
    const auto dense = make_dense<V>(this->exec, random_sparse(this->engine, 70, 45, nnz_per_row(0, 40)), 50);
    this->for_each_format([&](auto create) {
        const auto a = create(this->exec);
        const auto back = this->dense_of_nan(70, 45, 61);

        dense->convert_to(a);
        a->convert_to(back);

        EXPECT_MTX_NEAR(a, dense, 0.0);
        EXPECT_MTX_STORED_ALIKE(back, dense);
        EXPECT_TRUE(padding_is_intact(*back));
    });
}

TYPED_TEST(PaddedFormats, GoToAnotherExecutorAndBack)
{
    const auto csr = this->random_csr(150, 50, nnz_per_row(0, 20));
    this->for_each_format([&](auto create) {
        const auto on_ref = create(this->ref);
        const auto a = create(this->exec);

        on_ref->copy_from(csr);
        a->copy_from(on_ref);
        EXPECT_MTX_STORED_ALIKE(on_ref, csr);
        EXPECT_MTX_STORED_ALIKE(a, csr);
        EXPECT_MTX_STORED_ALIKE(clone(this->ref, a), csr);

        const auto moved = create(this->exec);
        moved->move_from(a);
        EXPECT_MTX_STORED_ALIKE(moved, csr);
        EXPECT_EQ(a->get_size(), (dim<2>{}));
        EXPECT_MTX_NEAR(a, TestFixture::Csr::create(this->exec), 0.0);
    });
}

TYPED_TEST(PaddedFormats, ChangePrecisionAndBack)
{
    using other = spruce::next_precision<typename TestFixture::V>;
    using I = typename TestFixture::I;
    const auto csr = this->csr({{1, 0, 2.5}, {0, 0, 0}, {0, -3, 0}});
    const auto check = [&](auto a, auto other_a) {
        const auto back = clone(a);
        csr->convert_to(a);

        other_a->copy_from(a);
        back->copy_from(other_a);

        EXPECT_MTX_STORED_ALIKE(back, csr);
        EXPECT_EQ(back->get_num_stored_elements(), a->get_num_stored_elements());
    };
    check(TestFixture::Ell::create(this->exec), spruce::matrix::Ell<other, I>::create(this->exec));
    check(TestFixture::Sellp::create(this->exec), spruce::matrix::Sellp<other, I>::create(this->exec));
    check(TestFixture::Hybrid::create(this->exec), spruce::matrix::Hybrid<other, I>::create(this->exec));
}

TYPED_TEST(PaddedFormats, ReadAndWriteTriples)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    for (const auto& one : this->cases()) {
        SCOPED_TRACE(one.name);
        spruce::matrix_data<V, I> data;
        make_csr<V, I>(this->ref, one.data)->write(data);
        const auto device_data = spruce::device_matrix_data<V, I>::create_from_host(this->exec, data);
        const auto check = [&](auto a) {
            decltype(data) written;
            a->read(device_data);
            a->write(written);
            EXPECT_EQ(written.size, data.size);
            EXPECT_EQ(written.nonzeros, data.nonzeros);
        };
        check(TestFixture::Ell::create(this->exec));
        check(TestFixture::Sellp::create(this->exec));
        check(TestFixture::Hybrid::create(this->exec));
    }
}

TYPED_TEST(PaddedFormats, KeepAStrideThatWasGiven)
{
    using Ell = typename TestFixture::Ell;
    using Hybrid = typename TestFixture::Hybrid;
    const auto dense = this->dense({{1, 3}, {0, 5}});
    const auto dense_of_three = this->dense({{1, 3}, {0, 5}, {6, 7}});
    const auto strategy = std::make_shared<typename Hybrid::column_limit>(1);
    for (const auto& executor :
         {std::shared_ptr<const spruce::Executor>{this->exec}, std::shared_ptr<const spruce::Executor>{this->ref}}) {
        const auto ell = Ell::create(executor, dim<2>{2, 2}, 2, 5);
        const auto ell_without_rows = Ell::create(executor, dim<2>{}, 0, 5);
        const auto hybrid = Hybrid::create(executor, dim<2>{2, 2}, 1, 5, strategy);

        EXPECT_EQ(hybrid->get_strategy(), strategy);
        EXPECT_EQ(hybrid->get_coo_num_stored_elements(), 0u);
        for (int i = 0; i < 2; ++i) {
            dense->convert_to(ell);
            dense->convert_to(ell_without_rows);
            dense->convert_to(hybrid);
            EXPECT_EQ(ell->get_stride(), 5u);
            EXPECT_EQ(ell_without_rows->get_stride(), 5u);
            EXPECT_EQ(hybrid->get_ell_stride(), 5u);
            EXPECT_MTX_NEAR(ell, dense, 0.0);
            EXPECT_MTX_NEAR(ell_without_rows, dense, 0.0);
            EXPECT_MTX_NEAR(hybrid, dense, 0.0);
        }
        hybrid->sort_by_column_index();
        EXPECT_EQ(hybrid->get_ell_stride(), 5u);
        EXPECT_EQ(spruce::as<Ell>(ell->transpose())->get_stride(), 5u);
        // The stride was given for another number of rows, so it is not kept.
        dense_of_three->convert_to(ell);
        dense_of_three->convert_to(hybrid);
        EXPECT_EQ(ell->get_stride(), 3u);
        EXPECT_EQ(hybrid->get_ell_stride(), 3u);
        EXPECT_MTX_NEAR(ell, dense_of_three, 0.0);
        EXPECT_MTX_NEAR(hybrid, dense_of_three, 0.0);
    }
}

TYPED_TEST(PaddedFormats, GiveTheDiagonal)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    for (const auto& one : this->cases()) {
        SCOPED_TRACE(one.name);
        const auto csr = make_csr<V, I>(this->exec, one.data);
        const auto expected = csr->extract_diagonal();
        this->for_each_format([&](auto create) {
            const auto a = create(this->exec);
            csr->convert_to(a);

            EXPECT_MTX_STORED_ALIKE(a->extract_diagonal(), expected);
        });
    }
}

// ---- absolute values ----------------------------------------------------------------------------

TYPED_TEST(PaddedFormats, GiveAbsoluteValues)
{
    using V = typename TestFixture::V;
    const auto factor = [] {
        if constexpr (spruce::is_complex<V>()) {
            return V(0, -1);
        } else {
            return V(-1);
        }
    }();
    const auto csr = this->csr({{factor, 0, V(2)}, {0, 0, 0}, {0, V(3) * factor, 0}});
    const auto expected = this->csr({{1, 0, 2}, {0, 0, 0}, {0, 3, 0}});
    this->for_each_format([&](auto create) {
        const auto a = create(this->exec);
        csr->convert_to(a);

        const auto absolute = a->compute_absolute();
        a->compute_absolute_inplace();

        EXPECT_MTX_STORED_ALIKE(absolute, expected);
        EXPECT_MTX_STORED_ALIKE(a, expected);
    });
}

}  // namespace
