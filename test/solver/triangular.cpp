// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/triangular.hpp>

#include "test/solver/solver_fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::dim;
using spruce::share;
using spruce::size_type;

template <typename Types>
class Triangular : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::Dense;
    using lower = spruce::solver::LowerTrs<V, I>;
    using upper = spruce::solver::UpperTrs<V, I>;

    /// Creates random entries in both triangles, of which only one is used, and a dominant
    /// diagonal.
    host_matrix random_triangles(const std::vector<size_type>& lengths)
    {
        auto data = random_sparse(this->engine, lengths, lengths.size());
        for (auto& entry : data.nonzeros) {
            entry.value /= static_cast<double>(lengths[entry.row]);
        }
        data.nonzeros.erase(std::remove_if(data.nonzeros.begin(), data.nonzeros.end(),
                                           [](const auto& entry) { return entry.row == entry.column; }),
                            data.nonzeros.end());
        for (size_type row = 0; row < lengths.size(); ++row) {
            data.nonzeros.emplace_back(row, row, 1.5 + static_cast<double>(row % 3));
        }
        data.sort_row_major();
        return data;
    }

    /// Expects that the product of the triangle and the solution equals the right-hand side.
    template <typename Solver>
    void expect_solves(const host_matrix& data, bool is_upper, bool unit_diagonal, size_type num_rhs, size_type padding)
    {
        SCOPED_TRACE(std::to_string(data.size[0]) + " rows, " + std::to_string(num_rhs) + " right-hand sides");
        const auto a = share(make_csr<V, I>(this->exec, data));
        const auto triangle = make_csr<V, I>(this->exec, triangle_of(data, is_upper, unit_diagonal));
        const auto expected = this->random_dense(data.size[0], num_rhs);
        const auto b = this->random_dense(data.size[0], num_rhs, num_rhs + padding);
        triangle->apply(expected, b);
        const auto x = this->dense_of_nan(data.size[0], num_rhs, num_rhs + 2 * padding);

        Solver::build()
            .with_unit_diagonal(unit_diagonal)
            .with_num_rhs(num_rhs)
            .on(this->exec)
            ->generate(a)
            ->apply(b, x);

        EXPECT_MTX_NEAR(x, expected, 40 * this->tolerance_of_sum(data.size[0]));
        EXPECT_TRUE(padding_is_intact(*x));
    }
};
TYPED_TEST_SUITE(Triangular, value_and_index_types, type_names);

TYPED_TEST(Triangular, SolveByHand)
{
    const auto a = share(this->csr({{2, 7, 7}, {1, 4, 7}, {0, 3, 5}}));
    const auto l = TestFixture::lower::build().on(this->exec)->generate(a);
    const auto u = TestFixture::upper::build().on(this->exec)->generate(a);
    const auto x = this->dense_of_nan(3, 2);

    l->apply(this->dense({{2, 4}, {5, 2}, {8, 15}}), x);
    EXPECT_MTX_NEAR(x, this->dense({{1, 2}, {1, 0}, {1, 3}}), 0.0);
    EXPECT_EQ(l->get_num_levels(), 3u);

    u->apply(this->dense({{16, 7}, {11, 0}, {5, 0}}), x);
    EXPECT_MTX_NEAR(x, this->dense({{1, 3.5}, {1, 0}, {1, 0}}), 0.0);
}

TYPED_TEST(Triangular, TakeTheDiagonalForOnesIfToldSo)
{
    const auto a = share(this->csr({{2, 7}, {3, 0}}));
    const auto x = this->dense_of_nan(2, 1);

    TestFixture::lower::build().with_unit_diagonal(true).on(this->exec)->generate(a)->apply(this->dense({{1}, {5}}), x);

    EXPECT_MTX_NEAR(x, this->dense({{1}, {2}}), 0.0);
}

TYPED_TEST(Triangular, RowsThatDoNotDependOnEachOtherAreOneLevel)
{
    const auto diagonal = share(this->csr({{2, 0, 0}, {0, 3, 0}, {0, 0, 4}}));
    const auto fork = share(this->csr({{2, 0, 0, 9}, {0, 3, 0, 0}, {1, 1, 4, 0}, {1, 0, 0, 2}}));

    EXPECT_EQ(TestFixture::lower::build().on(this->exec)->generate(diagonal)->get_num_levels(), 1u);
    EXPECT_EQ(TestFixture::lower::build().on(this->exec)->generate(fork)->get_num_levels(), 2u);
    EXPECT_EQ(TestFixture::upper::build().on(this->exec)->generate(fork)->get_num_levels(), 2u);
}

TYPED_TEST(Triangular, SolveRandomSystems)
{
    for (const size_type size : {0, 1, 2, 33, 64, 301}) {
        for (const size_type num_rhs : {0, 1, 3, 17}) {
            const auto data = this->random_triangles(std::vector<size_type>(size, std::min<size_type>(size, 6)));
            for (const auto unit_diagonal : {false, true}) {
                this->template expect_solves<typename TestFixture::lower>(data, false, unit_diagonal, num_rhs, 2);
                this->template expect_solves<typename TestFixture::upper>(data, true, unit_diagonal, num_rhs, 0);
            }
        }
    }
}

TYPED_TEST(Triangular, SolveForSixtyFourRightHandSides)
{
    const auto data = this->random_triangles(std::vector<size_type>(70, 6));

    this->template expect_solves<typename TestFixture::lower>(data, false, false, 64, 1);
    this->template expect_solves<typename TestFixture::upper>(data, true, false, 64, 1);
}

TYPED_TEST(Triangular, SolveWithLongAndShortRows)
{
    std::vector<size_type> lengths(1100, 1);
    lengths[1099] = 1025;
    lengths[0] = 1025;
    lengths[500] = 129;
    const auto data = this->random_triangles(lengths);

    this->template expect_solves<typename TestFixture::lower>(data, false, false, 2, 1);
    this->template expect_solves<typename TestFixture::upper>(data, true, false, 2, 1);
}

TYPED_TEST(Triangular, SolveChains)  // each row depends on the previous one: as many levels as rows
{
    host_matrix data{dim<2>{70, 70}};
    for (size_type row = 0; row < 70; ++row) {
        data.nonzeros.emplace_back(row, row, 2.0);
        if (row > 0) {
            data.nonzeros.emplace_back(row, row - 1, -1.0);
        }
    }
    data.sort_row_major();
    const auto a = share(make_csr<typename TestFixture::V, typename TestFixture::I>(this->exec, data));

    EXPECT_EQ(TestFixture::lower::build().on(this->exec)->generate(a)->get_num_levels(), 70u);
    this->template expect_solves<typename TestFixture::lower>(data, false, false, 1, 0);
}

TYPED_TEST(Triangular, AddScaledSolutions)
{
    const auto a = share(this->csr({{2, 0}, {1, 4}}));
    const auto x = this->dense({{10}, {20}});

    TestFixture::lower::build()
        .on(this->exec)
        ->generate(a)
        ->apply(this->dense({{2}}), this->dense({{2}, {9}}), this->dense({{0.5}}), x);

    EXPECT_MTX_NEAR(x, this->dense({{7}, {14}}), 0.0);
}

TYPED_TEST(Triangular, AreTransposedToEachOther)
{
    using V = typename TestFixture::V;
    V value{3};
    if constexpr (spruce::is_complex<V>()) {
        value = V{3, 2};
    }
    const auto a = share(this->csr({{2, 0}, {value, 4}}));
    const auto solver = TestFixture::lower::build().on(this->exec)->generate(a);
    const auto b = this->dense({{2}, {4}});
    const auto x = this->dense_of_nan(2, 1);

    spruce::as<typename TestFixture::upper>(solver->transpose())->apply(b, x);
    EXPECT_MTX_NEAR(x, this->dense({{(V(2) - value) / V(2)}, {1}}), this->epsilon());

    spruce::as<typename TestFixture::upper>(solver->conj_transpose())->apply(b, x);
    EXPECT_MTX_NEAR(x, this->dense({{(V(2) - spruce::conj(value)) / V(2)}, {1}}), this->epsilon());
}

TYPED_TEST(Triangular, TakeMatricesOfOtherFormats)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto a = this->csr({{2, 0}, {1, 4}});
    const auto ell = share(spruce::matrix::Ell<V, I>::create(this->exec));
    a->convert_to(ell);
    const auto x = this->dense_of_nan(2, 1);

    TestFixture::lower::build().on(this->exec)->generate(ell)->apply(this->dense({{2}, {9}}), x);

    EXPECT_MTX_NEAR(x, this->dense({{1}, {2}}), 0.0);
}

TYPED_TEST(Triangular, NameTheRowWhoseDiagonalIsMissingOrZero)
{
    const auto expect_row_2_named = [&](const auto& factory) {
        for (const auto is_stored : {false, true}) {
            host_matrix data{dim<2>{3, 3}};
            data.nonzeros = {{0, 0, 2.0}, {0, 2, 3.0}, {1, 0, 1.0}, {1, 1, 4.0}, {2, 0, 5.0}};
            if (is_stored) {
                data.nonzeros.emplace_back(2, 2, 0.0);
            }
            const auto a = share(make_csr<typename TestFixture::V, typename TestFixture::I>(this->exec, data));
            EXPECT_THROW_WITH(factory->generate(a), spruce::InvalidStateError, "row 2");
        }
        EXPECT_NO_THROW(factory->generate(share(this->csr({{1, 1}, {1, 1}}))));
    };

    expect_row_2_named(TestFixture::lower::build().on(this->exec));
    expect_row_2_named(TestFixture::upper::build().on(this->exec));
}

TYPED_TEST(Triangular, RefuseWrongSizes)
{
    const auto factory = TestFixture::upper::build().on(this->exec);
    EXPECT_THROW(factory->generate(share(this->csr({{1, 2, 3}, {4, 5, 6}}))), spruce::DimensionMismatch);
    EXPECT_THROW(factory->generate(nullptr), spruce::NotSupported);
    const auto solver = factory->generate(share(this->csr({{1, 2}, {0, 5}})));
    const auto x = this->dense({{1}, {1}});
    EXPECT_THROW(solver->apply(this->dense({{1}, {2}, {3}}), x), spruce::DimensionMismatch);
}

TYPED_TEST(Triangular, AreRefreshedWithoutAllocations)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto data = this->random_triangles(std::vector<size_type>(70, 6));
    auto other_data = data;
    for (auto& entry : other_data.nonzeros) {
        entry.value *= entry.row == entry.column ? 2.0 : -0.5;
    }
    const auto a = share(make_csr<V, I>(this->exec, data));
    const auto other = share(make_csr<V, I>(this->exec, other_data));
    const auto b = this->random_dense(70, 2);
    const auto check = [&](auto parameters) {
        for (const auto unit_diagonal : {false, true}) {
            const auto factory = parameters.with_unit_diagonal(unit_diagonal).on(this->exec);
            const auto solver = factory->generate(a);
            const auto expected = this->apply(factory->generate(other), b);
            const auto before = this->exec->get_counters();

            solver->refresh(other);

            EXPECT_EQ((this->exec->get_counters() - before).allocations, 0u);
            EXPECT_EQ(solver->get_system_matrix(), other);
            EXPECT_MTX_NEAR(this->apply(solver, b), expected, 0.0);
            const auto copy = clone(solver);
            solver->refresh(a);
            EXPECT_MTX_NEAR(this->apply(copy, b), expected, 0.0);
            EXPECT_MTX_NEAR(this->apply(solver, b), this->apply(factory->generate(a), b), 0.0);
        }
    };

    check(TestFixture::lower::build());
    check(TestFixture::upper::build());
}

TYPED_TEST(Triangular, RefuseToBeRefreshedWithAnotherPatternOrAZeroOnTheDiagonal)
{
    const auto a = share(this->csr({{2, 7, 7}, {1, 4, 0}, {0, 3, 5}}));
    const auto solver = TestFixture::lower::build().on(this->exec)->generate(a);
    const auto b = this->dense({{2}, {5}, {8}});
    const auto x = this->apply(solver, b);
    const auto zero = share(clone(this->ref, a));
    zero->get_values()[4] = 0;

    EXPECT_THROW_WITH(solver->refresh(share(this->csr({{2, 7, 7}, {1, 4, 0}, {3, 0, 5}}))),
                      spruce::UnsupportedMatrixProperty, "row 2");
    EXPECT_THROW(solver->refresh(share(this->csr({{2, 7, 7}, {1, 4, 1}, {0, 3, 5}}))),
                 spruce::UnsupportedMatrixProperty);
    EXPECT_THROW_WITH(solver->refresh(zero), spruce::InvalidStateError, "row 1");
    EXPECT_THROW(solver->refresh(nullptr), spruce::NotSupported);
    EXPECT_THROW(TestFixture::lower::build().on(this->exec)->generate(a)->create_default()->refresh(a),
                 spruce::NotSupported);

    EXPECT_MTX_NEAR(this->apply(solver, b), x, 0.0);
}

TYPED_TEST(Triangular, CopiesWorkOnOtherExecutors)
{
    const auto solver = TestFixture::lower::build().on(this->exec)->generate(share(this->csr({{2, 0}, {1, 4}})));
    const auto copy = clone(this->ref, solver);
    const auto x = clone(this->ref, this->dense_of_nan(2, 1));

    copy->apply(clone(this->ref, this->dense({{2}, {9}})), x);

    EXPECT_MTX_NEAR(x, this->dense({{1}, {2}}), 0.0);
}

TYPED_TEST(Triangular, GiveTheirMatrixAsCsr)
{
    using Csr = typename TestFixture::Csr;
    const std::shared_ptr<const Csr> a = this->csr({{2, 0}, {1, 4}});
    const auto solver = TestFixture::lower::build().on(this->exec)->generate(a);
    const auto of_dense = TestFixture::upper::build().on(this->exec)->generate(share(this->dense({{2, 3}, {0, 4}})));

    const std::shared_ptr<const Csr> system_matrix = solver->get_system_matrix();
    const spruce::solver::detail::SolverBaseLinOp& base = *solver;

    EXPECT_EQ(system_matrix, a);
    EXPECT_EQ(base.get_system_matrix(), a);
    EXPECT_EQ(of_dense->get_system_matrix()->get_num_stored_elements(), 3u);
}

TYPED_TEST(Triangular, AreEmptyAfterTheyWereMovedFrom)
{
    const auto a = share(this->csr({{2, 0}, {1, 4}}));
    for (const auto& exec : {this->exec, std::shared_ptr<spruce::Executor>{this->ref}}) {
        const auto solver = TestFixture::lower::build().on(this->exec)->generate(a);
        const auto target = solver->create_default(exec);
        const auto x = this->dense_of_nan(2, 1);

        target->move_from(solver);
        target->apply(this->dense({{2}, {9}}), x);

        EXPECT_MTX_NEAR(x, this->dense({{1}, {2}}), 0.0);
        EXPECT_EQ(target->get_executor(), exec);
        EXPECT_EQ(solver->get_size(), dim<2>{});
        EXPECT_EQ(solver->get_system_matrix(), nullptr);
        EXPECT_EQ(solver->get_num_levels(), 0u);
    }
}

TYPED_TEST(Triangular, AllocateNothingInLaterAppliesWhichRepeatToTheSameBits)
{
    const auto a = share(make_csr<typename TestFixture::V, typename TestFixture::I>(
        this->exec, this->random_triangles(std::vector<size_type>(70, 6))));
    const auto b = this->random_dense(70, 3);
    const auto start = this->random_dense(70, 3);
    const auto first = clone(start);
    const auto second = clone(start);
    const auto alpha = this->dense({{2}});
    const auto beta = this->dense({{-1}});
    const auto expect_none = [&](const auto& solver) {
        const auto apply_both = [&](const auto& x) {
            solver->apply(b, x);
            solver->apply(alpha, b, beta, x);
        };
        apply_both(first);

        const auto before = this->exec->get_counters();
        apply_both(second);

        EXPECT_EQ((this->exec->get_counters() - before).allocations, 0u);
        EXPECT_MTX_NEAR(second, first, 0.0);
    };

    expect_none(TestFixture::lower::build().on(this->exec)->generate(a));
    expect_none(TestFixture::upper::build().on(this->exec)->generate(a));
}

TYPED_TEST(Triangular, EachAlgorithmGivesTheSame)
{
    using spruce::solver::trisolve_algorithm;
    const auto a = share(make_csr<typename TestFixture::V, typename TestFixture::I>(
        this->exec, this->random_triangles(std::vector<size_type>(70, 6))));
    const auto b = this->random_dense(70, 2);
    const auto expect_same = [&](auto parameters) {
        const auto solve_by = [&](trisolve_algorithm algorithm) {
            auto x = this->dense_of_nan(70, 2);
            const auto solver = parameters.with_algorithm(algorithm).on(this->exec)->generate(a);
            EXPECT_EQ(solver->get_parameters().algorithm, algorithm);
            solver->apply(b, x);
            return x;
        };
        EXPECT_MTX_NEAR(solve_by(trisolve_algorithm::syncfree), solve_by(trisolve_algorithm::sparselib), 0.0);
    };

    expect_same(TestFixture::lower::build());
    expect_same(TestFixture::upper::build());
}

// The triangles give the forward and the backward Gauss-Seidel iteration.
TYPED_TEST(Triangular, AreGoodPreconditioners)
{
    using V = typename TestFixture::V;
    const auto data = this->random_triangles(std::vector<size_type>(70, 6));
    const auto b = this->random_dense(70, 2);
    const auto iterations_with = [&](const host_matrix& a, std::shared_ptr<const spruce::LinOpFactory> preconditioner) {
        const auto x = this->random_dense(70, 2);
        const auto log = share(spruce::log::Convergence<V>::create());
        const auto solver =
            spruce::solver::Gmres<V>::build()
                .with_criteria(spruce::stop::Iteration::build().with_max_iters(200),
                               spruce::stop::ResidualNorm<V>::build().with_reduction_factor(1e4 * this->epsilon()))
                .with_preconditioner(std::move(preconditioner))
                .on(this->exec)
                ->generate(share(make_csr<V, typename TestFixture::I>(this->exec, a)));
        solver->add_logger(log);
        solver->apply(b, x);
        EXPECT_TRUE(log->has_converged());
        return log->get_num_iterations();
    };
    const std::shared_ptr<const spruce::LinOpFactory> lower = TestFixture::lower::build().on(this->exec);
    const std::shared_ptr<const spruce::LinOpFactory> upper = TestFixture::upper::build().on(this->exec);

    const auto without = iterations_with(data, nullptr);

    EXPECT_LT(iterations_with(data, lower), without);
    EXPECT_LT(iterations_with(data, upper), without);
    // A triangular matrix makes the preconditioner the exact inverse.
    EXPECT_EQ(iterations_with(triangle_of(data, false, false), lower), 1u);
    EXPECT_EQ(iterations_with(triangle_of(data, true, false), upper), 1u);
}

TYPED_TEST(Triangular, UsesFirstDiagonalEntryOfARow)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    host_matrix data{dim<2>{2, 2}};
    data.nonzeros.emplace_back(0, 0, 2.0);
    data.nonzeros.emplace_back(0, 0, 3.0);
    data.nonzeros.emplace_back(1, 0, 1.0);
    data.nonzeros.emplace_back(1, 1, 4.0);
    const auto a = share(make_csr<V, I>(this->exec, data));
    const auto b = this->dense({{4}, {10}});
    const auto x = this->dense_of_nan(2, 1);
    const auto solver = TestFixture::lower::build().on(this->exec)->generate(a);

    solver->apply(b, x);

    EXPECT_MTX_NEAR(x, this->dense({{2}, {2}}), 0.0);
    data.nonzeros[0].value = 0.0;
    const auto with_zero = share(make_csr<V, I>(this->exec, data));
    EXPECT_THROW_WITH(TestFixture::lower::build().on(this->exec)->generate(with_zero), spruce::InvalidStateError,
                      "row 0");
    EXPECT_THROW_WITH(solver->refresh(with_zero), spruce::InvalidStateError, "row 0");
}

TYPED_TEST(Triangular, RefusesItsOwnMatrixWithAnotherNumberOfEntries)
{
    const auto a = share(this->csr({{2, 0}, {1, 4}}));
    const auto solver = TestFixture::lower::build().on(this->exec)->generate(a);
    a->copy_from(this->csr({{2, 0}, {0, 4}}));
    EXPECT_THROW_WITH(solver->refresh(a), spruce::UnsupportedMatrixProperty, "2 instead of 3 entries");
    a->copy_from(this->csr({{2}}));
    EXPECT_THROW_WITH(solver->refresh(a), spruce::UnsupportedMatrixProperty, "1 x 1 instead of 2 x 2");
    a->copy_from(this->csr({{4, 0}, {2, 8}}));
    EXPECT_NO_THROW(solver->refresh(a));
}

TYPED_TEST(Triangular, IsNotRefreshedByAMatrixThatUsesMoreOfItsMemory)
{
    using V = typename TestFixture::V;
    using Csr = typename TestFixture::Csr;
    using spruce::make_array_view;
    const auto exec = this->exec;
    const auto matrix_of = [&](std::vector<typename TestFixture::I> row_ptrs) {
        const spruce::array<typename TestFixture::I> cols{exec, {0, 1, 0}};
        spruce::array<V> values{exec, 3};
        values.fill(V{2});
        return share(Csr::create(exec, dim<2>{2, 2}, values, cols,
                                 spruce::array<typename TestFixture::I>{exec, row_ptrs.begin(), row_ptrs.end()}));
    };
    const auto solver = TestFixture::lower::build().on(exec)->generate(matrix_of({0, 1, 2}));

    EXPECT_THROW_WITH(solver->refresh(matrix_of({0, 1, 3})), spruce::UnsupportedMatrixProperty, "row 1");
    EXPECT_NO_THROW(solver->refresh(matrix_of({0, 1, 2})));
}

}  // namespace
