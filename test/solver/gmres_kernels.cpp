// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/gmres_kernels.hpp"

#include "test/solver/two_parts.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::size_type;
using spruce::stop_reason;
using spruce::stopping_status;

namespace gmres = spruce::kernels::gmres;

template <typename Types>
class GmresKernels : public two_parts_test<Types> {
protected:
    using typename step_test<Types>::V;
    using typename step_test<Types>::real;
    using typename step_test<Types>::Dense;
    using typename step_test<Types>::RealDense;
    using typename step_test<Types>::operands;
    using projection = gmres::projection<V>;
    using counts = std::vector<size_type>;

    array<size_type> make_counts(const counts& values) const { return {this->exec, values.begin(), values.end()}; }

    /// Holds the operands of finish_step and solve, for five columns and two steps.
    struct by_hand {
        std::unique_ptr<Dense> triangle, sin, rhs;
        std::unique_ptr<RealDense> cos, next_norm, start_norm, norm;
        array<size_type> num_steps;
        std::unique_ptr<RealDense> history = nullptr;  ///< null: zeros

        RealDense& get_history()
        {
            if (!history) {
                history = RealDense::create(num_steps.get_executor(),
                                            spruce::dim<2>{gmres::num_history_rows, num_steps.get_size()});
                history->fill(0);
            }
            return *history;
        }
        operator projection()
        {
            return {*triangle, *cos, *sin, *rhs, *next_norm, *start_norm, *norm, this->get_history(), num_steps};
        }
    };

    /// Returns a random problem of this many steps. It does not result from rotations, which does
    /// not matter to the kernels.
    static projection random_problem(operands& with, size_type steps, array<size_type>& num_steps)
    {
        return {with.rows(gmres::packed_begin(steps)),
                with.real_rows(steps),
                with.rows(steps),
                with.rows(steps + 1),
                with.real_scalars(),
                with.real_scalars(),
                with.real_scalars(),
                with.real_rows(gmres::num_history_rows),
                num_steps};
    }

    static gmres::basis<V> random_basis(operands& with, size_type size)
    {
        gmres::basis<V> result;
        for (size_type i = 0; i < size; ++i) {
            result.push_back(&with.vectors());
        }
        return result;
    }

    // Fewer vectors than one pass takes, as many, one more, and several passes.
    static inline const counts basis_sizes{1, 8, 9, 16, 17, 35};
};
TYPED_TEST_SUITE(GmresKernels, value_types, type_names);

TYPED_TEST(GmresKernels, StartCycleByHand)
{
    using V = typename TypeParam::value_type;
    using real = typename TestFixture::real;
    const auto infinity = std::numeric_limits<real>::infinity();
    for (const auto is_restart : {false, true}) {
        // Columns: smaller than before; as large as before; zero; not finite; stopped.
        typename TestFixture::by_hand problem{
            nullptr,
            nullptr,
            this->dense({{-1, -1, -1, -1, -1}}),
            nullptr,
            this->real_dense({{-1, -1, -1, -1, -1}}),
            this->real_dense({{8, 4, 4, 4, 4}}),
            this->real_dense({{7, 7, 7, 7, 7}}),
            this->make_counts({9, 9, 9, 9, 9}),
        };
        const auto unused = this->dense({{0}});
        const auto unused_cos = this->real_dense({{0}});
        std::vector<stopping_status> expected(5);
        expected[4].converge(1);
        auto status = this->statuses(expected);

        gmres::start_cycle<V>(*this->exec, *this->real_dense({{4, 4, 0, infinity, 1}}), is_restart,
                              {*unused, *unused_cos, *unused, *problem.rhs, *problem.next_norm, *problem.start_norm,
                               *problem.norm, problem.get_history(), problem.num_steps},
                              status);

        if (is_restart) {
            expected[1].stop(stop_reason::stagnation);
        }
        expected[2].stop(stop_reason::converged);
        expected[3].stop(stop_reason::not_finite);
        EXPECT_EQ(status.copy_to_host(), expected);
        EXPECT_EQ(problem.num_steps.copy_to_host(), (std::vector<size_type>(5)));
        EXPECT_MTX_NEAR(problem.next_norm, this->real_dense({{4, is_restart ? real{} : real{4}, 0, 0, 0}}), 0.0);
        const auto norm = clone(this->ref, problem.norm);
        EXPECT_EQ(norm->at(0, 0), 4);
        EXPECT_EQ(norm->at(0, 2), 0);
        EXPECT_EQ(norm->at(0, 4), 7);
        EXPECT_EQ(clone(this->ref, problem.start_norm)->at(0, 0), 4);
        EXPECT_EQ(clone(this->ref, problem.start_norm)->at(0, 4), 4);
        EXPECT_EQ(clone(this->ref, problem.rhs)->at(0, 0), V(4));
    }
}

TYPED_TEST(GmresKernels, NormalizeByHand)
{
    using V = typename TypeParam::value_type;
    const auto v = this->dense({{6, spruce::nan<V>()}, {8, 1}});

    gmres::normalize<V>(*this->exec, *this->real_dense({{2, 0}}), *v);

    EXPECT_MTX_NEAR(v, this->dense({{3, 0}, {4, 0}}), 0.0);
}

TYPED_TEST(GmresKernels, MultiDotByHand)
{
    using V = typename TypeParam::value_type;
    const auto v = this->dense({{1, 2}, {0, 3}});
    const auto u = this->dense({{2, 1}, {5, 0}});
    const auto w = this->dense({{1, 4}, {2, 5}});
    const auto h = this->dense_of_nan(3, 2);
    const auto triangle = this->dense({{-1, -1}, {10, 20}, {30, 40}, {-1, -1}});
    array<char> tmp{this->exec};

    gmres::multi_dot<V>(*this->exec, {v.get(), u.get()}, *w, true, {1, *h, *triangle}, tmp);
    EXPECT_MTX_NEAR(h->create_submatrix({0, 2}, {0, 2}), this->dense({{1, 23}, {12, 4}}), 0.0);
    EXPECT_MTX_NEAR(triangle, this->dense({{-1, -1}, {11, 43}, {42, 44}, {-1, -1}}), 0.0);

    triangle->fill(spruce::nan<V>());
    gmres::multi_dot<V>(*this->exec, {v.get()}, *w, false, {1, *h, *triangle}, tmp);
    EXPECT_MTX_NEAR(triangle->create_submatrix({1, 2}, {0, 2}), this->dense({{1, 23}}), 0.0);
}

TYPED_TEST(GmresKernels, SubtractByHand)
{
    using V = typename TypeParam::value_type;
    const auto v = this->dense({{1, 2}, {0, 3}});
    const auto u = this->dense({{2, 1}, {5, 0}});
    const auto w = this->dense({{10, 10}, {20, 20}});

    gmres::subtract<V>(*this->exec, {v.get(), u.get()}, *this->dense({{1, 2}, {3, 4}}), *w);

    EXPECT_MTX_NEAR(w, this->dense({{3, 2}, {5, 14}}), 0.0);
}

TYPED_TEST(GmresKernels, SubtractAndDotByHand)
{
    using V = typename TypeParam::value_type;
    const auto before = this->dense({{1, 2}, {0, 3}});
    const auto v = this->dense({{2, 1}, {5, 0}});
    const auto u = this->dense({{1, 0}, {-1, 1}});
    const auto w = this->dense({{10, 10}, {20, 20}});
    const auto h = this->dense({{1, 2}, {-1, -1}});
    const auto triangle = this->dense({{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}});
    const auto overlaps = this->dense_of_nan(3 * gmres::group_size<V>, 2);
    overlaps->create_submatrix({2 * gmres::group_size<V>, 2 * gmres::group_size<V> + 1}, {0, 2})
        ->copy_from(this->dense({{3, 2}}).get());  // an arbitrary value of (u, v)
    array<char> tmp{this->exec};

    gmres::subtract_and_dot<V>(*this->exec, {before.get()}, {v.get(), u.get()}, 1, *overlaps, *w, {2, *h, *triangle},
                               tmp);

    EXPECT_MTX_NEAR(w, this->dense({{9, 6}, {20, 14}}), 0.0);
    EXPECT_MTX_NEAR(h, this->dense({{118, 6}, {-365, 2}}), 0.0);
    EXPECT_MTX_NEAR(triangle, this->dense({{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}, {118, 6}, {-365, 2}}), 0.0);

    gmres::subtract_and_dot<V>(*this->exec, {}, {v.get()}, 1, *overlaps, *w, {1, *h, *triangle}, tmp);
    EXPECT_MTX_NEAR(w, this->dense({{9, 6}, {20, 14}}), 0.0);
    EXPECT_MTX_NEAR(h, this->dense({{118, 6}, {-365, 2}}), 0.0);
    EXPECT_MTX_NEAR(triangle->create_submatrix({1, 3}, {0, 2}), this->dense({{-1, -1}, {118, 6}}), 0.0);
}

TYPED_TEST(GmresKernels, NormalizeInGroupByHand)
{
    using V = typename TypeParam::value_type;
    const auto v = this->dense({{6, spruce::nan<V>()}, {8, 1}});
    const auto u = this->dense({{1, 2}, {3, 4}});
    const auto overlaps = this->dense_of_nan(2 * gmres::group_size<V>, 2);
    array<char> tmp{this->exec};

    gmres::normalize_in_group<V>(*this->exec, *this->real_dense({{2, 0}}), {u.get()}, 1, *v, *overlaps, tmp);

    EXPECT_MTX_NEAR(v, this->dense({{3, 0}, {4, 0}}), 0.0);
    constexpr auto row = gmres::group_size<V>;
    EXPECT_MTX_NEAR(overlaps->create_submatrix({row, row + 1}, {0, 2}), this->dense({{15, 0}}), 0.0);
}

/// Tests that the kernels with the overlaps of the vectors compute modified Gram-Schmidt.
TYPED_TEST(GmresKernels, GroupsAreModifiedGramSchmidt)
{
    using V = typename TypeParam::value_type;
    using Dense = typename TestFixture::Dense;
    constexpr auto size = gmres::group_size<V>;
    std::vector<std::unique_ptr<Dense>> vectors;
    std::vector<std::unique_ptr<Dense>> on_host;
    gmres::basis<V> group;
    const auto overlaps = this->dense_of_nan(2 * size * size, 2);
    const auto norm = this->real_dense({{1, 1}});
    array<char> tmp{this->exec};
    for (size_type i = 0; i < size; ++i) {
        vectors.push_back(this->random_dense(40, 2));
        vectors.back()->scale(spruce::initialize<Dense>({V(0.2)}, this->exec));
        if (i > 0) {
            gmres::normalize_in_group<V>(*this->exec, *norm, group, size + i, *vectors.back(), *overlaps, tmp);
        }
        group.push_back(vectors.back().get());
        on_host.push_back(clone(this->ref, vectors.back()));
    }
    const auto w = this->random_dense(40, 2);
    const auto h = this->dense_of_nan(size, 2);
    const auto triangle = this->dense_of_nan(gmres::packed_begin(2 * size), 2);

    const auto expected = clone(this->ref, w);
    const auto expected_h = clone(this->ref, h);
    gmres::subtract_and_dot<V>(*this->exec, {}, group, size, *overlaps, *w, {2 * size - 1, *h, *triangle}, tmp);
    gmres::subtract<V>(*this->exec, group, *h, *w);

    for (size_type i = 0; i < size; ++i) {
        for (size_type col = 0; col < 2; ++col) {
            V dot{};
            for (size_type row = 0; row < 40; ++row) {
                dot += spruce::conj(on_host[i]->at(row, col)) * expected->at(row, col);
            }
            expected_h->at(i, col) = dot;
            for (size_type row = 0; row < 40; ++row) {
                expected->at(row, col) -= dot * on_host[i]->at(row, col);
            }
        }
    }
    EXPECT_MTX_NEAR(h, expected_h, 1000 * this->epsilon());
    EXPECT_MTX_NEAR(w, expected, 1000 * this->epsilon());
}

TYPED_TEST(GmresKernels, FinishStepByHand)
{
    using V = typename TypeParam::value_type;
    // Columns: in progress; the last vector vanishes; the last vector and the triangle vanish; not
    // finite; stopped; its cycle is complete. It is the second step. The rotation of the first step
    // swaps entries: (0 1; -1 0).
    typename TestFixture::by_hand problem{
        this->dense({{1, 1, 1, 1, 1, 1}, {-3, -3, 0, -3, -3, -3}, {2, 2, 2, spruce::nan<V>(), 2, 2}}),
        this->dense({{1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0}}),
        this->dense({{2, 2, 2, 2, 2, 2}, {10, 10, 10, 10, 10, 10}, {0, 0, 0, 0, 0, 0}}),
        this->real_dense({{0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}}),
        this->real_dense({{1, 1, 1, 1, 1, 0}}),
        this->real_dense({{9, 9, 9, 9, 9, 9}}),
        this->real_dense({{7, 7, 7, 7, 7, 7}}),
        this->make_counts({1, 1, 1, 1, 1, 1}),
    };
    std::vector<stopping_status> expected(6);
    expected[4].converge(1);
    auto status = this->statuses(expected);
    array<char> tmp{this->exec};
    const auto v = this->dense({{1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0}});
    const auto w = this->dense({{5, 5, 5, 5, 5, 5}, {4, 0, 0, 4, 4, 4}});

    gmres::finish_step<V>(*this->exec, {v.get()}, *this->dense({{5, 5, 5, 5, 5, 5}}), 1, *w, problem, status, tmp);

    expected[1].stop(stop_reason::converged);
    expected[2].stop(stop_reason::breakdown_subspace);
    expected[3].stop(stop_reason::not_finite);
    EXPECT_EQ(status.copy_to_host(), expected);
    EXPECT_EQ(problem.num_steps.copy_to_host(), (std::vector<size_type>{2, 2, 1, 1, 1, 1}));
    EXPECT_MTX_NEAR(w, this->dense({{0, 0, 0, 0, 0, 0}, {4, 0, 0, 4, 4, 4}}), 0.0);
    EXPECT_MTX_NEAR(problem.next_norm, this->real_dense({{4, 0, 0, 0, 0, 0}}), 0.0);
    EXPECT_MTX_NEAR(problem.norm, this->real_dense({{8, 0, 7, 7, 7, 7}}), 20 * this->epsilon());
    // In progress: (-3, 2) is rotated to (2, 3), and (3, 4) to (5, 0).
    const auto of_first = [](const auto& matrix, size_type rows) {
        return matrix->create_submatrix({0, rows}, {0, 1});
    };
    EXPECT_MTX_NEAR(of_first(problem.triangle, 3), this->dense({{1}, {2}, {5}}), 10 * this->epsilon());
    EXPECT_MTX_NEAR(of_first(problem.rhs, 3), this->dense({{2}, {6}, {-8}}), 20 * this->epsilon());
    EXPECT_MTX_NEAR(of_first(problem.sin, 2), this->dense({{1}, {V(0.8)}}), 2 * this->epsilon());
    using real = typename TestFixture::real;
    EXPECT_MTX_NEAR(of_first(problem.cos, 2), this->real_dense({{0}, {real(0.6)}}), 2 * this->epsilon());
}

// The last column of H consists of rounding errors of the first residual.
TYPED_TEST(GmresKernels, FinishStepStopsWhereRoundingIsLeftOfTheFirstResidual)
{
    // Columns: the last vector has norm 100 epsilon. The residual is 1, 1 / 5 and 1 / 20 of the
    // first one.
    using V = typename TypeParam::value_type;
    using real = typename TestFixture::real;
    const auto small = 100 * static_cast<real>(this->epsilon());
    typename TestFixture::by_hand problem{
        this->dense({{V(small), V(small), V(small)}}),
        this->dense({{0, 0, 0}}),
        this->dense({{1, 1, 1}, {0, 0, 0}}),
        this->real_dense({{0, 0, 0}}),
        this->real_dense({{1, 1, 1}}),
        this->real_dense({{9, 9, 9}}),
        this->real_dense({{1, real(0.2), real(0.05)}}),
        this->make_counts({0, 0, 0}),
        this->real_dense({{1, 1, 1}, {1, 1, 1}, {0, 0, 0}}),
    };
    std::vector<stopping_status> expected(3);
    auto status = this->statuses(expected);
    array<char> tmp{this->exec};
    const auto v = this->dense({{1, 1, 1}});
    const auto w = this->dense({{V(small), V(small), V(small)}});

    gmres::finish_step<V>(*this->exec, {v.get()}, *this->dense({{0, 0, 0}}), 0, *w, problem, status, tmp);

    expected[2].stop(stop_reason::breakdown_subspace);
    EXPECT_EQ(status.copy_to_host(), expected);
    EXPECT_EQ(problem.num_steps.copy_to_host(), (std::vector<size_type>{1, 1, 0}));
    EXPECT_MTX_NEAR(problem.history, this->real_dense({{1, 1, 1}, {1, 1, 1}, {0, 0, 1}}), 0.0);

    // In the column that stopped, the next cycle keeps the norm that the space was compared with.
    // The other columns do not keep it.
    status = this->statuses(std::vector<stopping_status>(3));
    gmres::start_cycle<V>(*this->exec, *this->real_dense({{4, 4, 4}}), false, problem, status);
    EXPECT_MTX_NEAR(problem.history, this->real_dense({{0, 0, 1}, {4, 4, 1}, {0, 0, 0}}), 0.0);
}

TYPED_TEST(GmresKernels, SolveByHand)
{
    using V = typename TypeParam::value_type;
    // Columns: two steps, one, none, and a singular triangle.
    typename TestFixture::by_hand problem{
        this->dense({{2, 2, 2, 0}, {1, 1, 1, 1}, {4, 4, 4, 4}}),
        this->dense({{0, 0, 0, 0}}),
        this->dense({{8, 8, 8, 8}, {8, 8, 8, 8}, {5, 5, 5, 5}}),
        this->real_dense({{0, 0, 0, 0}}),
        this->real_dense({{1, 1, 1, 1}}),
        this->real_dense({{1, 1, 1, 1}}),
        this->real_dense({{1, 1, 1, 1}}),
        this->make_counts({2, 1, 0, 2}),
    };
    std::vector<stopping_status> expected(4);
    auto status = this->statuses(expected);
    const auto weight = this->dense_of_nan(1, 4);

    gmres::solve_triangle<V>(*this->exec, problem, *weight, status);

    EXPECT_MTX_NEAR(problem.rhs->create_submatrix({0, 3}, {0, 3}), this->dense({{3, 4, 8}, {2, 8, 8}, {5, 5, 5}}), 0.0);
    EXPECT_MTX_NEAR(weight, this->dense({{1, 1, 0, 0}}), 0.0);
    EXPECT_EQ(problem.num_steps.copy_to_host(), (std::vector<size_type>{2, 1, 0, 0}));
    expected[3].stop(stop_reason::not_finite);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(GmresKernels, AddCombinationByHand)
{
    using V = typename TypeParam::value_type;
    const auto nan = spruce::nan<V>();
    const auto v = this->dense({{1, 1, nan}, {2, 2, nan}});
    const auto u = this->dense({{1, nan, nan}, {0, nan, nan}});
    const auto x = this->dense({{10, 10, 10}, {20, 20, 20}});

    gmres::add_combination<V>(*this->exec, {v.get(), u.get()}, *this->dense({{2, 3, nan}, {4, nan, nan}}),
                              this->make_counts({2, 1, 0}), *x);

    EXPECT_MTX_NEAR(x, this->dense({{16, 13, 10}, {24, 26, 20}}), 0.0);
}

TYPED_TEST(GmresKernels, OverflowStaysOutOfTheSolution)
{
    constexpr auto huge = std::numeric_limits<typename TestFixture::real>::max();
    const auto v = this->dense({{huge, 1}, {1, 1}});
    const auto x = this->dense({{huge, 1}, {2, 2}});

    gmres::add_combination<typename TypeParam::value_type>(*this->exec, {v.get()}, *this->dense({{1, 1}}),
                                                           this->make_counts({1, 1}), *x);

    EXPECT_MTX_NEAR(x, this->dense({{huge, 2}, {3, 3}}), 0.0);
}

TYPED_TEST(GmresKernels, StartCycleLikeReference)
{
    using V = typename TypeParam::value_type;
    for (const auto is_restart : {false, true}) {
        this->compare_on_every_shape([&](auto& with) {
            array<size_type> num_steps{with.exec, with.size[1]};
            num_steps.fill(7);
            auto& norm = with.real_scalars();
            const auto problem = this->random_problem(with, 2, num_steps);

            gmres::start_cycle<V>(*with.exec, norm, is_restart, problem, with.status);

            with.keep_counts(num_steps);
        });
    }
}

TYPED_TEST(GmresKernels, NormalizeLikeReference)
{
    this->compare_on_every_shape([](auto& with) {
        auto& norm = with.real_scalars();
        gmres::normalize<typename TypeParam::value_type>(*with.exec, norm, with.vectors());
    });
}

TYPED_TEST(GmresKernels, MultiDotLikeReference)
{
    for (const auto size : this->basis_sizes) {
        this->compare_on_every_shape(
            [&](auto& with) {
                const auto basis = this->random_basis(with, size);
                auto& w = with.vectors();
                auto& h = with.rows(size);
                gmres::multi_dot<typename TypeParam::value_type>(
                    *with.exec, basis, w, size % 2 == 0, {size, h, with.rows(gmres::packed_begin(size + 1))}, with.tmp);
            },
            size == 9 ? this->everything : this->few_entries);
    }
}

TYPED_TEST(GmresKernels, SubtractLikeReference)
{
    for (const auto size : this->basis_sizes) {
        this->compare_on_every_shape(
            [&](auto& with) {
                const auto basis = this->random_basis(with, size);
                auto& h = with.rows(size);
                h.scale(
                    spruce::initialize<typename TestFixture::Dense>({typename TypeParam::value_type(0.1)}, with.exec));
                gmres::subtract<typename TypeParam::value_type>(*with.exec, basis, h, with.vectors());
            },
            size == 9 ? this->everything : this->few_entries);
    }
}

TYPED_TEST(GmresKernels, SubtractAndDotLikeReference)
{
    using V = typename TypeParam::value_type;
    constexpr auto limit = gmres::group_size<V>;
    const auto tenth = [](const auto& with) {
        return spruce::initialize<typename TestFixture::Dense>({V(0.1)}, with.exec);
    };
    for (size_type size = 1; size <= limit; size += 3) {
        this->compare_on_every_shape(
            [&](auto& with) {
                const auto before = this->random_basis(with, size % 2 == 0 ? limit : 0);
                const auto group = this->random_basis(with, size);
                auto& w = with.vectors();
                auto& h = with.rows(limit);
                auto& overlaps = with.rows((limit + size) * limit);
                h.scale(tenth(with));
                overlaps.scale(tenth(with));
                gmres::subtract_and_dot<V>(*with.exec, before, group, limit, overlaps, w,
                                           {limit + size - 1, h, with.rows(gmres::packed_begin(limit + size))},
                                           with.tmp);
            },
            size == limit ? this->everything : this->few_entries);
    }
}

TYPED_TEST(GmresKernels, NormalizeInGroupLikeReference)
{
    using V = typename TypeParam::value_type;
    constexpr auto limit = gmres::group_size<V>;
    for (size_type size = 1; size < limit; ++size) {
        this->compare_on_every_shape(
            [&](auto& with) {
                auto& norm = with.real_scalars();
                const auto group = this->random_basis(with, size);
                gmres::normalize_in_group<V>(*with.exec, norm, group, limit + size, with.vectors(),
                                             with.rows((limit + size + 1) * limit), with.tmp);
            },
            size + 1 == limit ? this->everything : this->few_entries);
    }
}

TYPED_TEST(GmresKernels, FinishStepLikeReference)
{
    using V = typename TypeParam::value_type;
    for (const auto size : this->basis_sizes) {
        this->compare_on_every_shape(
            [&](auto& with) {
                const auto step = size - 1;
                const auto basis = this->random_basis(with, size);
                auto& h = with.rows(size);
                const auto tenth = spruce::initialize<typename TestFixture::Dense>({V(0.1)}, with.exec);
                h.scale(tenth);
                auto& w = with.vectors();
                array<size_type> num_steps{with.exec, with.size[1]};
                num_steps.fill(step);
                const auto problem = this->random_problem(with, size, num_steps);
                problem.sin.scale(tenth);  // prevents growth from rotation to rotation

                gmres::finish_step<V>(*with.exec, basis, h, step, w, problem, with.status, with.tmp);

                with.keep_counts(num_steps);
            },
            size == 9 ? this->everything : this->few_entries);
    }
}

TYPED_TEST(GmresKernels, SolveLikeReference)
{
    using V = typename TypeParam::value_type;
    this->compare_on_every_shape([&](auto& with) {
        constexpr size_type steps = 20;
        std::vector<size_type> counts(with.size[1]);
        for (size_type col = 0; col < counts.size(); ++col) {
            counts[col] = (steps - col % (steps + 1));
        }
        array<size_type> num_steps{with.exec, counts.begin(), counts.end()};
        const auto problem = this->random_problem(with, steps, num_steps);
        // A dominant diagonal.
        const auto tenth = spruce::initialize<typename TestFixture::Dense>({V(0.02)}, with.exec);
        problem.triangle.scale(tenth);
        for (size_type i = 0; i < steps; ++i) {
            const auto place = gmres::packed_begin(i) + i;
            problem.triangle.create_submatrix({place, place + 1}, {0, with.size[1]})->fill(V(1.0));
        }

        gmres::solve_triangle<V>(*with.exec, problem, with.scalars(), with.status);

        with.keep_counts(num_steps);
    });
}

TYPED_TEST(GmresKernels, AddCombinationLikeReference)
{
    for (const auto size : this->basis_sizes) {
        this->compare_on_every_shape(
            [&](auto& with) {
                std::vector<size_type> counts(with.size[1]);
                for (size_type col = 0; col < counts.size(); ++col) {
                    counts[col] = col * 7 % (size + 1);
                }
                const array<size_type> num_steps{with.exec, counts.begin(), counts.end()};
                const auto basis = this->random_basis(with, size);
                auto& y = with.rows(size);
                gmres::add_combination<typename TypeParam::value_type>(*with.exec, basis, y, num_steps, with.vectors());
            },
            size == 9 ? this->everything : this->few_entries);
    }
}

TYPED_TEST(GmresKernels, PartsLikeWhole)
{
    using V = typename TypeParam::value_type;
    this->expect_parts_like_whole([](auto& with, const spruce::Reduction& reduction, size_type) {
        array<size_type> num_steps{with.exec, with.size[1]};
        num_steps.fill(0);
        constexpr size_type step = 2;
        const gmres::projection<V> problem{with.rows(gmres::packed_begin(step + 1)),
                                           with.real_rows(step + 1),
                                           with.rows(step + 1),
                                           with.rows(step + 2),
                                           with.real_scalars(),
                                           with.real_scalars(),
                                           with.real_scalars(),
                                           with.real_rows(gmres::num_history_rows),
                                           num_steps};
        gmres::basis<V> basis;
        for (size_type i = 0; i <= step; ++i) {
            basis.push_back(&with.vectors());
        }
        auto& w = with.vectors();
        auto& h = with.rows(step + 1);
        auto& overlaps = with.rows((step + 2) * gmres::group_size<V>);
        h.fill(V(0.01));
        gmres::subtract<V>(*with.exec, basis, h, w);
        gmres::multi_dot<V>(*with.exec, basis, w, false, {step, h, problem.triangle}, reduction);
        h.fill(V(0.01));
        gmres::subtract_and_dot<V>(*with.exec, basis, basis, 0, overlaps, w, {step, h, problem.triangle}, reduction);
        h.fill(V(0.01));
        gmres::finish_step<V>(*with.exec, basis, h, step, w, problem, with.status, reduction);
        gmres::normalize_in_group<V>(*with.exec, problem.next_norm, basis, step + 1, w, overlaps, reduction);
    });
}

}  // namespace
