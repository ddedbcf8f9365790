// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/csr_kernels.hpp"

#include <vector>

#include "test/reference/reference_test.hpp"

namespace {

using namespace spruce;

template <typename Types>
class ReferenceCsr : public test::ReferenceTest<typename Types::first_type> {
protected:
    using V = typename Types::first_type;
    using I = typename Types::second_type;
    using Csr = matrix::Csr<V, I>;

    std::unique_ptr<Csr> csr(dim<2> size, std::vector<I> row_ptrs, std::vector<I> col_idxs, std::vector<V> values) const
    {
        const auto& exec = this->exec;
        return Csr::create(exec, size, array<V>{exec, values.begin(), values.end()},
                           array<I>{exec, col_idxs.begin(), col_idxs.end()},
                           array<I>{exec, row_ptrs.begin(), row_ptrs.end()});
    }

    /// Creates this matrix. Its first row is stored from right to left, and its 7 as 3 and 4.
    /// 1 0 2
    /// 0 0 0
    /// 0 7 0
    std::unique_ptr<Csr> unsorted() const { return csr(dim<2>{3, 3}, {0, 2, 2, 4}, {2, 0, 1, 1}, {2, 1, 3, 4}); }

    static void expect_arrays(const Csr& a, std::vector<I> row_ptrs, std::vector<I> col_idxs, std::vector<V> values)
    {
        EXPECT_EQ(std::vector<I>(a.get_const_row_ptrs(), a.get_const_row_ptrs() + a.get_size()[0] + 1), row_ptrs);
        EXPECT_EQ(std::vector<I>(a.get_const_col_idxs(), a.get_const_col_idxs() + col_idxs.size()), col_idxs);
        EXPECT_EQ(std::vector<V>(a.get_const_values(), a.get_const_values() + values.size()), values);
    }
};

TYPED_TEST_SUITE(ReferenceCsr, test::value_and_index_types, );

TYPED_TEST(ReferenceCsr, SpmvOverwritesResult)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto b = this->dense({{1, 10}, {2, 20}, {3, 30}});
    const auto x = this->dense_of_nan(3, 2);

    kernels::csr::spmv<V, I>(*this->exec, *this->unsorted(), *b, *x);

    this->template expect_equal<V>(*x, {{7, 70}, {0, 0}, {14, 140}});
}

TYPED_TEST(ReferenceCsr, SpmvMultipliesComplexNumbersWithoutConjugation)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto a = this->csr(dim<2>{1, 1}, {0, 1}, {0}, {test::number<V>(2, 3)});
    const auto x = this->dense_of_nan(1, 1);

    kernels::csr::spmv<V, I>(*this->exec, *a, *this->dense({{test::number<V>(5, 7)}}), *x);

    EXPECT_EQ(x->at(0, 0), is_complex<V>() ? test::number<V>(-11, 29) : V(10));
}

TYPED_TEST(ReferenceCsr, SpmvOfMatrixWithoutColumnsIsZero)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto a = this->csr(dim<2>{2, 0}, {0, 0, 0}, {}, {});
    const auto x = this->dense_of_nan(2, 1);

    kernels::csr::spmv<V, I>(*this->exec, *a, *matrix::Dense<V>::create(this->exec, dim<2>{0, 1}), *x);

    this->template expect_equal<V>(*x, {{0}, {0}});
}

TYPED_TEST(ReferenceCsr, AdvancedSpmvCombines)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto b = this->dense({{1}, {2}, {3}});
    const auto x = this->dense({{1}, {2}, {3}});

    kernels::csr::advanced_spmv<V, I>(*this->exec, *this->dense({{2}}), *this->unsorted(), *b, *this->dense({{-3}}),
                                      *x);

    this->template expect_equal<V>(*x, {{11}, {-6}, {19}});
}

TYPED_TEST(ReferenceCsr, AdvancedSpmvIgnoresProductWhereAlphaIsZero)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto x = this->dense({{1}, {2}, {3}});

    kernels::csr::advanced_spmv<V, I>(*this->exec, *this->dense({{0}}), *this->unsorted(), *this->dense_of_nan(3, 1),
                                      *this->dense({{-3}}), *x);

    this->template expect_equal<V>(*x, {{-3}, {-6}, {-9}});
}

TYPED_TEST(ReferenceCsr, AdvancedSpmvIgnoresOldResultWhereBetaIsZero)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto b = this->dense({{1}, {2}, {3}});
    const auto x = this->dense_of_nan(3, 1);

    kernels::csr::advanced_spmv<V, I>(*this->exec, *this->dense({{2}}), *this->unsorted(), *b, *this->dense({{0}}), *x);

    this->template expect_equal<V>(*x, {{14}, {0}, {28}});
}

TYPED_TEST(ReferenceCsr, FillInDenseAddsEveryEntry)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto x = this->dense({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}});

    kernels::csr::fill_in_dense<V, I>(*this->exec, *this->unsorted(), *x);

    this->template expect_equal<V>(*x, {{2, 1, 3}, {1, 1, 1}, {1, 8, 1}});
}

TYPED_TEST(ReferenceCsr, TransposeSortsColumns)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto a = this->csr(dim<2>{2, 3}, {0, 2, 4}, {2, 0, 2, 1}, {1, 2, test::number<V>(3, 1), 4});
    const auto b = TestFixture::Csr::create(this->exec, dim<2>{3, 2}, 4);

    kernels::csr::transpose<V, I>(*this->exec, *a, *b);

    this->expect_arrays(*b, {0, 1, 2, 4}, {0, 1, 0, 1}, {2, 4, 1, test::number<V>(3, 1)});
}

TYPED_TEST(ReferenceCsr, ConjTransposeConjugates)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto a = this->csr(dim<2>{1, 2}, {0, 1}, {1}, {test::number<V>(3, 1)});
    const auto b = TestFixture::Csr::create(this->exec, dim<2>{2, 1}, 1);

    kernels::csr::conj_transpose<V, I>(*this->exec, *a, *b);

    this->expect_arrays(*b, {0, 0, 1}, {0}, {test::number<V>(3, -1)});
}

TYPED_TEST(ReferenceCsr, SortKeepsOrderOfEqualColumns)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto a = this->csr(dim<2>{2, 3}, {0, 4, 6}, {2, 1, 2, 0, 1, 0}, {1, 2, 3, 4, 5, 6});

    kernels::csr::sort_by_column_index<V, I>(*this->exec, *a);

    this->expect_arrays(*a, {0, 4, 6}, {0, 1, 2, 2, 0, 1}, {4, 2, 1, 3, 6, 5});
}

TYPED_TEST(ReferenceCsr, KnowsWhetherColumnsAreSorted)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto is_sorted = [&](const auto& a, bool strictly) {
        bool result{};
        kernels::csr::is_sorted_by_column_index<V, I>(*this->exec, *a, strictly, result);
        return result;
    };
    const auto twice = this->csr(dim<2>{2, 3}, {0, 2, 4}, {1, 2, 0, 0}, {1, 1, 1, 1});
    const auto increasing = this->csr(dim<2>{3, 3}, {0, 2, 2, 4}, {0, 2, 0, 2}, {1, 1, 1, 1});

    EXPECT_FALSE(is_sorted(this->unsorted(), false));
    EXPECT_FALSE(is_sorted(this->unsorted(), true));
    EXPECT_TRUE(is_sorted(twice, false));
    EXPECT_FALSE(is_sorted(twice, true));
    EXPECT_TRUE(is_sorted(increasing, true));
}

template <typename I>
class ReferenceCsrRows : public ::testing::Test {
protected:
    std::shared_ptr<ReferenceExecutor> exec{ReferenceExecutor::create()};
};

TYPED_TEST_SUITE(ReferenceCsrRows, test::index_types, );

TYPED_TEST(ReferenceCsrRows, LongestRowIsFound)
{
    const TypeParam row_ptrs[]{0, 2, 2, 7, 8};
    size_type max_length{};
    size_type max_length_of_none{99};

    kernels::csr::compute_max_row_length<TypeParam>(*this->exec, row_ptrs, 4, max_length);
    kernels::csr::compute_max_row_length<TypeParam>(*this->exec, row_ptrs, 0, max_length_of_none);

    EXPECT_EQ(max_length, 5);
    EXPECT_EQ(max_length_of_none, 0);
}

TYPED_TEST(ReferenceCsrRows, GroupsWithMoreThanSoManyEntriesAreCounted)
{
    const TypeParam row_ptrs[]{0, 0, 2, 2, 7, 8};
    const auto count = [&](size_type rows_per_group, size_type max_entries) {
        size_type result{99};
        kernels::csr::count_oversized_groups<TypeParam>(*this->exec, row_ptrs, 5, rows_per_group, max_entries, result);
        return result;
    };

    EXPECT_EQ(count(1, 0), 3);
    EXPECT_EQ(count(1, 1), 2);
    EXPECT_EQ(count(2, 1), 2);  // 2, 5 and 1
    EXPECT_EQ(count(2, 5), 0);
    EXPECT_EQ(count(5, 7), 1);
    EXPECT_EQ(count(100, 7), 1);
}

TYPED_TEST(ReferenceCsrRows, StartRowsCountTheRowsThatAreUsedUp)
{
    const TypeParam row_ptrs[]{0, 0, 2, 2, 7, 8};
    std::vector<TypeParam> srow(3, -1);
    std::vector<TypeParam> entries(3, -1);

    kernels::csr::find_start_rows<TypeParam>(*this->exec, row_ptrs, 5, 3, 0, srow.data(), nullptr, 3);

    EXPECT_EQ(srow, (std::vector<TypeParam>{1, 3, 3}));  // the rows of entries 0, 3 and 6

    kernels::csr::find_start_rows<TypeParam>(*this->exec, row_ptrs, 5, 3, 1, srow.data(), entries.data(), 3);

    EXPECT_EQ(srow, (std::vector<TypeParam>{0, 1, 3}));  // row ends at items 1, 4, 5, 11 and 13
    EXPECT_EQ(entries, (std::vector<TypeParam>{0, 0, 2}));
}

TYPED_TEST(ReferenceCsrRows, TilesWithoutEntriesStartBehindTheLastRow)
{
    const TypeParam row_ptrs[]{0, 1};
    std::vector<TypeParam> srow(3, -1);

    kernels::csr::find_start_rows<TypeParam>(*this->exec, row_ptrs, 1, 1, 0, srow.data(), nullptr, 3);

    EXPECT_EQ(srow, (std::vector<TypeParam>{0, 1, 1}));
}

}  // namespace
