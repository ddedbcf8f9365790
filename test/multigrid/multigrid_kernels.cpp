// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests the kernels of multigrid levels by hand, on all executors.

#include <cmath>
#include <limits>
#include <vector>

#include "core/factorization/factor_pattern_kernels.hpp"
#include "core/multigrid/multigrid_kernels.hpp"
#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::size_type;
namespace kernels = spruce::kernels::multigrid;

template <typename Types>
class MultigridKernels : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::real;

    /// Creates a matrix with strong and weak entries.
    std::unique_ptr<Csr> matrix() const { return this->csr({{4, -2, 0.25}, {-2, 16, 1}, {0.5, 0.125, 1}}); }
    array<I> diagonal() const { return {this->exec, {I{0}, I{4}, I{8}}}; }
    array<real> scale() const { return {this->exec, {real(0.5), real(0.25), real(1)}}; }
};
TYPED_TEST_SUITE(MultigridKernels, value_and_index_types, type_names);

TYPED_TEST(MultigridKernels, ScalesByTheDiagonal)
{
    using real = typename TestFixture::real;
    const auto a = this->matrix();
    array<real> scale{this->exec, 3};
    array<typename TestFixture::V> inverse{this->exec, 3};

    kernels::scale_by_diagonal<typename TestFixture::V, typename TestFixture::I>(
        *this->exec, a->get_const_values(), this->diagonal().get_const_data(), 3, scale.get_data());
    kernels::invert_diagonal<typename TestFixture::V, typename TestFixture::I>(
        *this->exec, a->get_const_values(), this->diagonal().get_const_data(), 3, inverse.get_data());

    EXPECT_EQ(scale.copy_to_host(), this->scale().copy_to_host());
    EXPECT_EQ(inverse.copy_to_host(), (std::vector<typename TestFixture::V>{0.25, 0.0625, 1}));
}

TYPED_TEST(MultigridKernels, OrthonormalizesVectorsOnAggregates)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    // Rows 0, 2, 3, 5 and 1, 6 form aggregates. On the second one, the vectors are dependent.
    const array<I> aggregates{this->exec, {I{0}, I{1}, I{0}, I{0}, I{-1}, I{0}, I{1}}};
    const array<I> ptrs{this->exec, {I{0}, I{4}, I{6}}};
    const array<I> rows{this->exec, {I{0}, I{2}, I{3}, I{5}, I{1}, I{6}}};
    array<I> row_ptrs{this->exec, {I{0}, I{1}, I{2}, I{3}, I{4}, I{4}, I{5}, I{6}}};
    array<I> cols{this->exec, 18};
    array<V> q{this->exec, 18};
    const auto b = this->dense({{3, 1, 2}, {0, 0, 1}, {0, 1, 4}, {4, -1, 0}, {9, 9, 9}, {0, 2, 1}, {2, 4, 1}});
    const auto r = this->dense_of_nan(6, 3);

    kernels::fill_vector_columns<I>(*this->exec, aggregates.get_const_data(), 7, 3, row_ptrs.get_data(),
                                    cols.get_data());
    kernels::orthonormalize<V, I>(*this->exec, ptrs.get_const_data(), rows.get_const_data(), 2,
                                  row_ptrs.get_const_data(), *b, q.get_data(), *r);

    EXPECT_EQ(row_ptrs.copy_to_host(), (std::vector<I>{0, 3, 6, 9, 12, 12, 15, 18}));
    EXPECT_EQ(cols.copy_to_host(), (std::vector<I>{0, 1, 2, 3, 4, 5, 0, 1, 2, 0, 1, 2, 0, 1, 2, 3, 4, 5}));
    const auto t = TestFixture::Csr::create(this->exec, spruce::dim<2>{7, 6}, q, cols, row_ptrs);
    const auto product = this->apply(t, r);
    const auto expected = this->dense({{3, 1, 2}, {0, 0, 1}, {0, 1, 4}, {4, -1, 0}, {0, 0, 0}, {0, 2, 1}, {2, 4, 1}});
    EXPECT_MTX_NEAR(product, expected, 10 * this->epsilon());
    const auto gram = spruce::as<typename TestFixture::Csr>(t->conj_transpose())->multiply(t);
    EXPECT_MTX_NEAR(gram,
                    this->dense({{1, 0, 0, 0, 0, 0},
                                 {0, 1, 0, 0, 0, 0},
                                 {0, 0, 1, 0, 0, 0},
                                 {0, 0, 0, 1, 0, 0},
                                 {0, 0, 0, 0, 0, 0},
                                 {0, 0, 0, 0, 0, 1}}),
                    10 * this->epsilon());
}

TYPED_TEST(MultigridKernels, OrthonormalizesComplexVectors)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    if constexpr (spruce::is_complex<V>()) {
        const array<I> ptrs{this->exec, {I{0}, I{2}}};
        const array<I> rows{this->exec, {I{0}, I{1}}};
        const array<I> row_ptrs{this->exec, {I{0}, I{2}, I{4}}};
        array<V> q{this->exec, 4};
        const auto b =
            spruce::initialize<typename TestFixture::Dense>({{V(3, 0), V(0, 2)}, {V(0, 4), V(1, 0)}}, this->exec);
        const auto r = this->dense_of_nan(2, 2);

        kernels::orthonormalize<V, I>(*this->exec, ptrs.get_const_data(), rows.get_const_data(), 1,
                                      row_ptrs.get_const_data(), *b, q.get_data(), *r);

        // q_1 = (3, 4i) / 5, r_12 = (3 2i + (-4i) 1) / 5 = 2i / 5.
        const auto expected = spruce::initialize<typename TestFixture::Dense>({{V(5, 0), V(0, 0.4)}}, this->exec);
        EXPECT_MTX_NEAR(r->create_submatrix(spruce::span{0, 1}, spruce::span{0, 2}), expected, 10 * this->epsilon());
        const auto product = TestFixture::Dense::create(this->exec, spruce::dim<2>{2, 2});
        const auto as_dense = TestFixture::Dense::create(this->exec, spruce::dim<2>{2, 2}, q, 2);
        as_dense->apply(r, product);
        EXPECT_MTX_NEAR(product, b, 10 * this->epsilon());
    }
}

TYPED_TEST(MultigridKernels, CompletesTheDiagonal)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto a = this->csr({{-7, 1, 0}, {1, 2, 0}, {0, 0, -3}});
    // The second row of the first node and both of the last are zero, and row 2 has no energy.
    const auto r = TestFixture::Csr::create(this->exec, spruce::dim<2>{6, 3},
                                            array<V>{this->exec, {V{1.0}, V{0.0}, V{2.0}, V{1.0}, V{0.0}, V{0.0}}},
                                            array<I>{this->exec, {I{0}, I{0}, I{1}, I{2}, I{1}, I{2}}},
                                            array<I>{this->exec, {I{0}, I{1}, I{2}, I{3}, I{4}, I{5}, I{6}}});
    const auto tiny = V{std::numeric_limits<typename TestFixture::real>::epsilon()};
    const auto coarse =
        TestFixture::Csr::create(this->exec, spruce::dim<2>{6, 6},
                                 array<V>{this->exec, {V{-8.0}, V{0.0}, V{0.0}, -tiny, V{1.0}, V{5.0}, V{0.0}, V{0.0}}},
                                 array<I>{this->exec, {I{0}, I{1}, I{1}, I{2}, I{0}, I{3}, I{4}, I{5}}},
                                 array<I>{this->exec, {I{0}, I{2}, I{3}, I{4}, I{6}, I{7}, I{8}}});

    kernels::complete_diagonal<V, I>(*this->exec, *a, *r, 2, *coarse);

    EXPECT_MTX_NEAR(coarse,
                    this->dense({{-8, 0, 0, 0, 0, 0},
                                 {0, -8, 0, 0, 0, 0},
                                 {0, 0, 8, 0, 0, 0},
                                 {1, 0, 0, 5, 0, 0},
                                 {0, 0, 0, 0, -7, 0},
                                 {0, 0, 0, 0, 0, -7}}),
                    0.0);
}

TYPED_TEST(MultigridKernels, OrthonormalizesVectorsOfAnyMagnitude)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using real = typename TestFixture::real;
    const array<I> ptrs{this->exec, {I{0}, I{2}}};
    const array<I> rows{this->exec, {I{0}, I{1}}};
    const array<I> row_ptrs{this->exec, {I{0}, I{2}, I{4}}};
    for (const auto factor : {std::sqrt(std::numeric_limits<real>::max()), std::numeric_limits<real>::min()}) {
        array<V> q{this->exec, 4};
        const auto b = spruce::initialize<typename TestFixture::Dense>(
            {{V(3 * factor), V(2 * factor)}, {V(4 * factor), V(1 * factor)}}, this->exec);
        const auto r = this->dense_of_nan(2, 2);

        kernels::orthonormalize<V, I>(*this->exec, ptrs.get_const_data(), rows.get_const_data(), 1,
                                      row_ptrs.get_const_data(), *b, q.get_data(), *r);

        const auto found = q.copy_to_host();
        const std::vector<V> expected{V(0.6), V(0.8), V(0.8), V(-0.6)};
        for (size_type i = 0; i < 4; ++i) {
            EXPECT_NEAR(std::abs(found[i] - expected[i]), 0, 20 * this->epsilon()) << i;
        }
        const auto on_host = clone(this->ref, r);
        EXPECT_NEAR(std::abs(on_host->at(0, 0) / V(factor)), 5, 50 * this->epsilon());
        EXPECT_NEAR(std::abs(on_host->at(0, 1) / V(factor)), 2, 50 * this->epsilon());
        EXPECT_NEAR(std::abs(on_host->at(1, 1) / V(factor)), 1, 50 * this->epsilon());
    }
}

TYPED_TEST(MultigridKernels, FindsTheFirstUnsuitableRow)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto nan = std::numeric_limits<typename TestFixture::real>::quiet_NaN();
    const auto find = [&](typename TestFixture::rows_list rows, bool requires_positive = true) {
        const auto a = this->csr(rows);
        array<I> found{this->exec, {I{2}}};
        const array<I> diagonal{this->exec, {I{0}, I{3}}};
        spruce::kernels::factor_pattern::find_unsuitable_row<V, I>(*this->exec, *a, diagonal.get_const_data(),
                                                                   requires_positive, found.get_data());
        return found.copy_to_host()[0];
    };

    EXPECT_EQ(find({{1, 1}, {1, 1}}), 2);
    EXPECT_EQ(find({{1, 1}, {nan, 1}}), 1);
    EXPECT_EQ(find({{nan, 1}, {nan, 1}}), 0);
    EXPECT_EQ(find({{1, 1}, {1, -1}}), spruce::is_complex<V>() ? 2 : 1);
    EXPECT_EQ(find({{1, 1}, {1, -1}}, false), 2);
    EXPECT_EQ(find({{nan, 1}, {1, -1}}, false), 0);
}

TYPED_TEST(MultigridKernels, SelectsStrongEntries)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    // |a_ij| / sqrt(a_ii a_jj): 0.25, 0.125 | 0.25, 0.25 | 0.25, 0.03125
    const auto a = this->matrix();
    array<I> marks{this->exec, 9};
    array<I> row_ptrs{this->exec, 4};
    array<I> cols{this->exec, 7};
    array<I> sources{this->exec, 7};

    kernels::mark_strong<V, I>(*this->exec, *a, this->scale().get_const_data(), 0.125, false, marks.get_data());

    EXPECT_EQ(marks.copy_to_host(), (std::vector<I>{1, 1, 0, 1, 1, 1, 1, 0, 1}));
    const array<I> targets{this->exec, {I{0}, I{1}, I{2}, I{2}, I{3}, I{4}, I{5}, I{6}, I{6}, I{7}}};
    kernels::select_entries<V, I>(*this->exec, *a, targets.get_const_data(), row_ptrs.get_data(), cols.get_data(),
                                  sources.get_data());
    EXPECT_EQ(row_ptrs.copy_to_host(), (std::vector<I>{0, 2, 5, 7}));
    EXPECT_EQ(cols.copy_to_host(), (std::vector<I>{0, 1, 0, 1, 2, 0, 2}));
    EXPECT_EQ(sources.copy_to_host(), (std::vector<I>{0, 1, 3, 4, 5, 6, 8}));
}

TYPED_TEST(MultigridKernels, SelectsEntriesThatAreStrongForTheirRow)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    // The last row has |a_ij| / sqrt(a_ii a_jj): 0.25, 0.03125, and |a_ij| / a_ii: 0.5, 0.125.
    const auto a = this->matrix();
    const auto mark = [&](bool includes_row_strong) {
        array<I> marks{this->exec, 9};
        kernels::mark_strong<V, I>(*this->exec, *a, this->scale().get_const_data(), 0.1, includes_row_strong,
                                   marks.get_data());
        return marks.copy_to_host();
    };

    EXPECT_EQ(mark(false), (std::vector<I>{1, 1, 1, 1, 1, 1, 1, 0, 1}));
    EXPECT_EQ(mark(true), std::vector<I>(9, 1));
}

TYPED_TEST(MultigridKernels, LumpsDroppedEntriesUnlessTheDiagonalVanishes)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto f = this->csr({{4, 1, 0}, {1, 16, 1}, {0, 0, 2}});
    const auto a_sums = this->dense({{6}, {17}, {0.125}});
    const auto f_sums = this->dense({{5}, {18}, {2}});
    const array<I> diagonal{this->exec, {I{0}, I{3}, I{5}}};

    kernels::lump_dropped<V, I>(*this->exec, *a_sums, *f_sums, diagonal.get_const_data(), *f);

    EXPECT_MTX_NEAR(f, this->csr({{5, 1, 0}, {1, 15, 1}, {0, 0, 2}}), 0.0);
}

TYPED_TEST(MultigridKernels, ComputesTheSmoothingMatrix)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto f = this->matrix();
    array<V> values{this->exec, 9};

    kernels::compute_smoothing_matrix<V, I>(*this->exec, *f, this->diagonal().get_const_data(), 0.5, values.get_data());

    EXPECT_EQ(values.copy_to_host(), (std::vector<V>{0.5, 0.25, -0.03125, 0.0625, 0.5, -0.03125, -0.25, -0.0625, 0.5}));
}

TYPED_TEST(MultigridKernels, FillsTheTentativeProlongation)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const array<I> aggregates{this->exec, {I{1}, I{-2}, I{0}, I{1}, I{1}, I{1}}};
    array<I> row_ptrs{this->exec, 7};
    array<I> cols{this->exec, 6};
    array<V> values{this->exec, 6};
    size_type nnz{};

    kernels::fill_tentative<V, I>(*this->exec, aggregates.get_const_data(), 6, row_ptrs.get_data(), cols.get_data(),
                                  values.get_data(), nnz);

    EXPECT_EQ(nnz, 5u);
    EXPECT_EQ(row_ptrs.copy_to_host(), (std::vector<I>{0, 1, 1, 2, 3, 4, 5}));
    auto filled_cols = cols.copy_to_host();
    auto filled_values = values.copy_to_host();
    filled_cols.resize(nnz);
    filled_values.resize(nnz);
    EXPECT_EQ(filled_cols, (std::vector<I>{1, 0, 1, 1, 1}));
    EXPECT_EQ(filled_values, (std::vector<V>(5, V{1})));
}

TYPED_TEST(MultigridKernels, PerformsSmoothingSteps)
{
    using V = typename TestFixture::V;
    const array<V> inverse{this->exec, {V{0.5}, V{0.25}}};
    const auto r = this->dense({{2, 4}, {8, -4}});
    const auto d = this->dense_of_nan(2, 2, 3);
    const auto x = this->dense_of_nan(2, 2, 4);

    kernels::smoothing_step<V>(*this->exec, inverse.get_const_data(), *r, 2, 0, true, *d, *x);

    EXPECT_MTX_NEAR(d, this->dense({{2, 4}, {4, -2}}), 0.0);
    EXPECT_MTX_NEAR(x, d, 0.0);
    kernels::smoothing_step<V>(*this->exec, inverse.get_const_data(), *r, 1, 0.5, false, *d, *x);
    EXPECT_MTX_NEAR(d, this->dense({{2, 4}, {4, -2}}), 0.0);
    EXPECT_MTX_NEAR(x, this->dense({{4, 8}, {8, -4}}), 0.0);
}

TYPED_TEST(MultigridKernels, ScalesFillsAndFindsTheLargest)
{
    using V = typename TestFixture::V;
    using real = typename TestFixture::real;
    const auto scale = this->scale();
    const auto x = this->dense({{2}, {8}, {3}});
    const auto random = this->dense_of_nan(100, 1);
    real largest{};

    kernels::scale_rows<V>(*this->exec, scale.get_const_data(), *x, *x);
    kernels::fill_random<V>(*this->exec, *random);
    kernels::find_largest_scaled<V>(*this->exec, *this->dense({{8}, {64}, {3}}), scale.get_const_data(), largest);

    EXPECT_MTX_NEAR(x, this->dense({{1}, {2}, {3}}), 0.0);
    EXPECT_EQ(largest, 4);
    double sum{};
    const auto values = clone(this->ref, random);
    for (int i = 0; i < 100; ++i) {
        EXPECT_LE(std::abs(values->at(i, 0)), 1);
        sum += static_cast<double>(spruce::real(values->at(i, 0)));
    }
    EXPECT_LT(std::abs(sum), 30);  // five standard deviations
}

}  // namespace
