// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests operands and results that share memory. An operand in exactly the memory of the result
// gives the result of separate operands. An operand that shares only a part of it is rejected, and
// nothing changes. Disjoint parts of one matrix are separate operands. The values of an operator
// may share any part of the memory of the result.

#include <functional>
#include <type_traits>

#include "core/base/overlap.hpp"
#include "test/solver/iterative_solvers.hpp"
#include "test/utils/formats.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::as;
using spruce::dim;
using spruce::LinOp;
using spruce::NotSupported;
using spruce::size_type;
using spruce::span;

using spruce::detail::overlap;

/// Returns the overlap of two matrices in a buffer of bytes: columns and strides count bytes.
overlap overlap_of(const char* a, size_type a_rows, size_type a_columns, size_type a_stride, const char* b,
                   size_type b_rows, size_type b_columns, size_type b_stride)
{
    const spruce::memory_extent first{a, a_columns, a_stride, a_rows};
    const spruce::memory_extent second{b, b_columns, b_stride, b_rows};
    const auto found = spruce::detail::find_overlap(first, second);
    EXPECT_EQ(spruce::detail::find_overlap(second, first), found);
    return found;
}

TEST(Overlap, IsExactForEqualStridesAndSingleRows)
{
    constexpr size_type max_columns = 4;
    const char buffer[64]{};
    const auto touches = [](size_type begin, size_type rows, size_type columns, size_type stride, size_type byte) {
        const auto is_before = byte < begin;
        return !is_before && (byte - begin) / stride < rows && (byte - begin) % stride < columns;
    };
    for (const size_type stride : {4, 5, 7}) {
        for (size_type begin = 0; begin < 16; ++begin) {
            for (size_type rows = 1; rows < 4; ++rows) {
                for (size_type columns = 1; columns <= max_columns; ++columns) {
                    bool is_shared{};
                    for (size_type byte = 0; byte < sizeof(buffer); ++byte) {
                        is_shared = is_shared ||
                                    (touches(8, 3, 2, stride, byte) && touches(begin, rows, columns, stride, byte));
                    }

                    const auto found = overlap_of(buffer + 8, 3, 2, stride, buffer + begin, rows, columns, stride);

                    const auto is_same = begin == 8 && rows == 3 && columns == 2;
                    EXPECT_EQ(found, is_same     ? overlap::same
                                     : is_shared ? overlap::partial
                                                 : overlap::none)
                        << "stride " << stride << ", " << rows << " x " << columns << " at " << begin;
                }
            }
        }
    }
}

TEST(Overlap, DoesNotDependOnHowMemoryIsCutIntoRows)
{
    const char buffer[64]{};

    EXPECT_EQ(overlap_of(buffer, 2, 6, 6, buffer, 4, 3, 3), overlap::same);
    EXPECT_EQ(overlap_of(buffer, 1, 6, 6, buffer, 1, 6, 60), overlap::same);
    EXPECT_EQ(overlap_of(buffer, 2, 2, 8, buffer + 2, 1, 6, 6), overlap::none);
    EXPECT_EQ(overlap_of(buffer, 2, 2, 8, buffer + 2, 1, 7, 7), overlap::partial);
}

TEST(Overlap, IsAssumedForUnequalStridesAndNoneForEmptyOperands)
{
    const char buffer[64]{};

    EXPECT_EQ(overlap_of(buffer, 3, 1, 4, buffer + 1, 3, 1, 8), overlap::partial);
    EXPECT_EQ(overlap_of(buffer, 3, 1, 4, buffer + 9, 3, 1, 8), overlap::none);
    EXPECT_EQ(overlap_of(buffer, 0, 1, 4, buffer, 3, 1, 4), overlap::none);
    EXPECT_EQ(overlap_of(buffer, 3, 0, 4, buffer, 3, 1, 4), overlap::none);
}

template <typename Types>
class Aliasing : public formats_test<Types> {
protected:
    using V = typename Types::value_type;
    using I = typename Types::index_type;
    using real = spruce::remove_complex<V>;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::Dense;
    using typename kernel_test<Types>::RealDense;

    static constexpr size_type size = 70;

    struct named_operator {
        std::string name;
        std::shared_ptr<LinOp> op;
    };

    /// Returns square operators of all kinds, none of which is symmetric.
    std::vector<named_operator> operators()
    {
        std::vector<named_operator> result;
        const auto csr = spruce::share(this->random_csr(size, size, nnz_per_row(0, 12)));
        for (const auto& format : this->all_formats()) {
            result.push_back({format.name, format.convert(csr.get())});
        }
        const auto order = this->random_order(size);
        auto factors = array<V>{this->exec, size};
        factors.fill(V(2));
        result.push_back({"Permutation", spruce::matrix::Permutation<I>::create(this->exec, order)});
        result.push_back(
            {"ScaledPermutation", spruce::matrix::ScaledPermutation<V, I>::create(this->exec, factors, order)});
        result.push_back({"RowGatherer", spruce::matrix::RowGatherer<I>::create(this->exec, dim<2>{size}, order)});
        result.push_back({"Identity", spruce::matrix::Identity<V>::create(this->exec, size)});
        result.push_back({"Diagonal", spruce::matrix::Diagonal<V>::create(this->exec, size, factors)});
        result.push_back({"Composition", spruce::Composition<V>::create(result[0].op, result[1].op)});
        const auto two = spruce::share(this->dense({{2}}));
        result.push_back({"Combination", spruce::Combination<V>::create(two, result[0].op, two, result[1].op)});
        const auto basis = spruce::share(this->random_dense(size, 1));
        result.push_back({"Perturbation", spruce::Perturbation<V>::create(two, basis)});
        return result;
    }

    using Ilu = spruce::preconditioner::Ilu<V, V, false, I>;
    using Ic = spruce::preconditioner::Ic<V, I>;

    /// Returns solvers that perform few steps or none.
    std::vector<named_operator> solvers()
    {
        namespace solver = spruce::solver;
        const std::shared_ptr<Csr> a = make_csr<V, I>(this->exec, random_positive_definite(this->engine, size, 8));
        const auto few_steps = spruce::share(spruce::stop::Iteration::build().with_max_iters(5u).on(this->exec));
        std::vector<named_operator> result{{"LowerTrs", solver::LowerTrs<V, I>::build().on(this->exec)->generate(a)},
                                           {"UpperTrs", solver::UpperTrs<V, I>::build().on(this->exec)->generate(a)}};
        for_each_iterative_solver<V>([&](auto tag) {
            using Solver = typename decltype(tag)::type;
            auto parameters = build_for_spectrum<Solver>(1, 15);
            if constexpr (std::is_same_v<Solver, solver::Idr<V>>) {
                parameters.with_deterministic(true);
            }
            result.push_back({spruce::name_demangling::get_type_name(typeid(Solver)),
                              parameters.with_criteria(few_steps).on(this->exec)->generate(a)});
        });
        using Jacobi = spruce::preconditioner::Jacobi<V, I>;
        result.push_back({"Jacobi", Jacobi::build().with_max_block_size(1u).on(this->exec)->generate(a)});
        result.push_back({"block-Jacobi", Jacobi::build().on(this->exec)->generate(a)});
        result.push_back({"Ilu", Ilu::build().on(this->exec)->generate(a)});
        result.push_back({"Ic", Ic::build().on(this->exec)->generate(a)});
        result.push_back({"Sor", spruce::preconditioner::Sor<V, I>::build().on(this->exec)->generate(a)});
        result.push_back({"symmetric Gauss-Seidel by colours", spruce::preconditioner::GaussSeidel<V, I>::build()
                                                                   .with_symmetric(true)
                                                                   .with_multicolor(true)
                                                                   .on(this->exec)
                                                                   ->generate(a)});
        result.push_back({"L U", spruce::factorization::Ilu<V, I>::build().on(this->exec)->generate(a)});
        return result;
    }
    std::vector<named_operator> operators_and_solvers()
    {
        auto result = this->operators();
        for (auto& one : this->solvers()) {
            result.push_back(std::move(one));
        }
        return result;
    }

    /// Returns the memory of the values that an operator reads.
    static std::vector<spruce::memory_extent> values_of(const LinOp* op)
    {
        std::vector<spruce::memory_extent> result;
        const auto add = [&](const LinOp* part) {
            const auto values = values_of(part);
            result.insert(result.end(), values.begin(), values.end());
        };
        if (const auto composition = dynamic_cast<const spruce::Composition<V>*>(op)) {
            for (const auto& factor : composition->get_operators()) {
                add(factor.get());
            }
        } else if (const auto combination = dynamic_cast<const spruce::Combination<V>*>(op)) {
            for (const auto& summand : combination->get_operators()) {
                add(summand.get());
            }
            add(combination->get_coefficients().front().get());
        } else if (const auto perturbation = dynamic_cast<const spruce::Perturbation<V>*>(op)) {
            add(perturbation->get_scalar().get());
            add(perturbation->get_basis().get());
            add(perturbation->get_projector().get());
        } else if (const auto hybrid = dynamic_cast<const typename formats_test<Types>::Hybrid*>(op)) {
            add(hybrid->get_ell());
            add(hybrid->get_coo());
        } else if (const auto ilu = dynamic_cast<const Ilu*>(op)) {
            add(ilu->get_l_solver().get());
            add(ilu->get_u_solver().get());
        } else if (const auto ic = dynamic_cast<const Ic*>(op)) {
            add(ic->get_l_solver().get());
            add(ic->get_lh_solver().get());
        } else if (const auto solver = dynamic_cast<const spruce::solver::detail::SolverBaseLinOp*>(op)) {
            add(solver->get_system_matrix().get());
        } else if (const auto values = op->get_memory_extent(); values.num_rows > 0) {
            result.push_back(values);
        }
        return result;
    }
    /// Returns a vector of num_rows entries in the memory of values or null. It lies away from the
    /// ends if there is room.
    std::unique_ptr<Dense> vector_in(const spruce::memory_extent& values, size_type num_rows) const
    {
        const auto num_values = values.num_rows * values.row_bytes / sizeof(V);
        if (num_values < num_rows) {
            return nullptr;
        }
        const auto begin = static_cast<V*>(const_cast<void*>(values.begin));
        return Dense::create(
            this->exec, dim<2>{num_rows, 1},
            spruce::make_array_view(this->exec, num_rows, begin + std::min(num_rows / 2, num_values - num_rows)), 1);
    }

    static std::unique_ptr<Dense> part(const std::unique_ptr<Dense>& x, span rows, span columns)
    {
        return x->create_submatrix(rows, columns);
    }

    /// Expects that run() throws NotSupported with the text and does not change x.
    template <typename Run>
    static void expect_refusal(const std::unique_ptr<Dense>& x, const std::string& text, Run run)
    {
        const auto before = x->clone();
        EXPECT_THROW_WITH(run(), NotSupported, text);
        EXPECT_MTX_NEAR(x, before, 0.0);
    }

    /// Expects equal results of run(x, output) for an output in the memory of x and in separate
    /// memory.
    template <typename Run>
    void expect_same_in_place(const char* name, Run run)
    {
        SCOPED_TRACE(name);
        const auto x = this->random_dense(size, size, size + 3);
        const auto expected = this->dense_of_nan(size, size);
        run(x.get(), expected.get());
        const auto view = part(x, {0, size}, {0, size});

        run(x.get(), view.get());

        EXPECT_MTX_NEAR(x, expected, 0.0);
    }
};
TYPED_TEST_SUITE(Aliasing, value_and_index_types, type_names);

/// Bounds the effect of the order of summation, which depends on strides and alignment: sums of at
/// most 100 terms, in few iterations.
template <typename ValueType>
constexpr double order_of_sums = 1000 * std::numeric_limits<spruce::remove_complex<ValueType>>::epsilon();

TYPED_TEST(Aliasing, AppliesInPlace)
{
    using V = typename TestFixture::V;
    for (const auto& [name, op] : this->operators_and_solvers()) {
        SCOPED_TRACE(name);
        for (const size_type num_columns : {1, 3}) {
            const auto x = this->random_dense(this->size, num_columns, num_columns + 2);
            const auto expected = clone(x);
            op->apply(clone(x), expected);
            const auto viewed = clone(x);
            const auto viewed_x = this->part(viewed, {0, this->size}, {0, num_columns});

            op->apply(viewed, viewed_x);
            op->apply(x, x);

            EXPECT_MTX_NEAR(x, expected, order_of_sums<V>);
            EXPECT_MTX_NEAR(viewed, expected, order_of_sums<V>);
            EXPECT_TRUE(padding_is_intact(*x));
        }
    }
}

TYPED_TEST(Aliasing, AppliesInPlaceWithFactorsThatLieInTheResult)
{
    for (const auto& [name, op] : this->operators_and_solvers()) {
        SCOPED_TRACE(name);
        const auto x = this->random_dense(this->size, 2, 3);
        const auto alpha = this->part(x, {5, 6}, {1, 2});
        const auto beta = this->part(x, {7, 8}, {0, 1});
        const auto expected = clone(x);
        op->apply(clone(alpha), clone(x), clone(beta), expected);

        op->apply(alpha, x, beta, x);

        EXPECT_MTX_NEAR(x, expected, 0.0);
    }
}

TYPED_TEST(Aliasing, AppliesOnAnotherExecutorInPlace)
{
    for (const auto& other : all_executors()) {
        SCOPED_TRACE(other->get_description());
        const auto a = this->csr({{1, 2}, {3, 4}});
        const auto x = clone(other, this->dense({{1}, {1}}));

        a->apply(x, x);
        EXPECT_MTX_NEAR(x, this->dense({{3}, {7}}), 0.0);
        a->apply(this->part(x, {0, 1}, {0, 1}), x, this->part(x, {1, 2}, {0, 1}), x);
        EXPECT_MTX_NEAR(x, this->dense({{72}, {160}}), 0.0);
    }
}

TYPED_TEST(Aliasing, RefusesOperandsThatShareAPartOfTheResult)
{
    const auto n = this->size;
    for (const auto& named : this->operators_and_solvers()) {
        SCOPED_TRACE(named.name);
        const auto& op = named.op;
        const auto memory = this->random_dense(n + 1, 3);
        const auto b = this->part(memory, {0, n}, {0, 2});
        const auto shifted_rows = this->part(memory, {1, n + 1}, {0, 2});
        const auto shifted_columns = this->part(memory, {0, n}, {1, 3});
        const auto one = this->dense({{1}});

        this->expect_refusal(memory, "b and x overlap", [&] { op->apply(b, shifted_rows); });
        this->expect_refusal(memory, "b and x overlap", [&] { op->apply(shifted_columns, b); });
        this->expect_refusal(memory, "b and x overlap", [&] { op->apply(one, b, one, shifted_columns); });
    }
}

TYPED_TEST(Aliasing, DisjointColumnsAndRowsOfOneMatrixAreSeparateAndNotCopied)
{
    using V = typename TestFixture::V;
    const auto n = this->size;
    for (const auto& [name, op] : this->operators()) {
        SCOPED_TRACE(name);
        const auto memory = this->random_dense(2 * n, 4, 5);
        const auto b = this->part(memory, {0, n}, {1, 3});
        const auto beside_b = this->part(memory, {n, 2 * n}, {1, 3});
        const auto expected = this->dense_of_nan(n, 2);
        op->apply(clone(b), expected);
        const auto b_column = this->part(memory, {0, n}, {1, 2});
        const auto column_beside_b = this->part(memory, {0, n}, {3, 4});
        const auto expected_column = this->dense_of_nan(n, 1);
        op->apply(clone(b_column), expected_column);
        op->apply(clone(b), expected);
        const auto before = this->exec->get_counters();

        op->apply(b, beside_b);
        const auto did = this->exec->get_counters() - before;
        op->apply(b_column, column_beside_b);

        EXPECT_MTX_NEAR(beside_b, expected, order_of_sums<V>);
        EXPECT_MTX_NEAR(column_beside_b, expected_column, order_of_sums<V>);
        EXPECT_EQ(did.allocations, 0u);
    }
}

TYPED_TEST(Aliasing, OfTheOperatorItselfIsNoticed)
{
    using V = typename TestFixture::V;
    const auto a = this->random_dense(20, 20);
    const auto b = this->random_dense(20, 20);
    const auto expected = this->apply(a, b);
    const auto squared = this->apply(b, b);
    const auto csr = this->csr({{1, 2}, {0, 3}, {0, 4}});
    const auto three_values = TestFixture::Dense::create(this->exec, dim<2>{3, 1},
                                                         spruce::make_array_view(this->exec, 3, csr->get_values()), 1);

    a->apply(b, a);
    b->apply(b, b);
    csr->apply(this->dense({{1}, {1}}), three_values);

    EXPECT_MTX_NEAR(a, expected, 0.0);
    EXPECT_MTX_NEAR(b, squared, 0.0);
    EXPECT_MTX_NEAR(three_values, this->dense({{3}, {3}, {4}}), 0.0);
    EXPECT_MTX_NEAR(csr, this->dense({{3, 3}, {0, 4}, {0, 4}}), 0.0);
    const auto diagonal = spruce::matrix::Diagonal<V>::create(this->exec, 2, array<V>{this->exec, {2, 3}});
    const auto diagonal_values = this->vector_in(diagonal->get_memory_extent(), 2);
    diagonal->apply(diagonal_values, diagonal_values);
    EXPECT_MTX_NEAR(diagonal_values, this->dense({{4}, {9}}), 0.0);
}

TYPED_TEST(Aliasing, OfTheValuesOfAnyOperatorIsNoticed)
{
    using V = typename TestFixture::V;
    const auto n = this->size;
    for (const auto& [name, op] : this->operators_and_solvers()) {
        SCOPED_TRACE(name);
        const auto has_no_values = name == "Identity" || name == "Permutation" || name == "RowGatherer";
        const auto b = this->random_dense(n, 1);
        const auto alpha = this->dense({{2}});
        const auto beta = this->dense({{3}});
        const auto all_values = this->values_of(op.get());
        EXPECT_EQ(all_values.empty(), has_no_values);
        EXPECT_FALSE(op->shares_memory_with(b->get_memory_extent()));
        for (const auto& values : all_values) {
            EXPECT_TRUE(op->shares_memory_with(values));
            const auto x = this->vector_in(values, n);
            if (!x) {
                continue;
            }
            const auto before = clone(x);
            const auto expected = clone(x);
            op->apply(b, expected);
            const auto expected_sum = clone(x);
            op->apply(alpha, b, beta, expected_sum);

            op->apply(b, x);
            EXPECT_MTX_NEAR(x, expected, order_of_sums<V>);
            x->copy_from(before);
            op->apply(alpha, b, beta, x);
            EXPECT_MTX_NEAR(x, expected_sum, order_of_sums<V>);
            x->copy_from(before);
        }
    }
}

TYPED_TEST(Aliasing, OfPreconditionersAndInnerSolversIsNoticed)
{
    using V = typename TestFixture::V;
    using Cg = spruce::solver::Cg<V>;
    using Ir = spruce::solver::Ir<V>;
    const auto a = spruce::share(this->csr({{2, 1}, {1, 3}}));
    const auto inner = spruce::share(this->csr({{0.5, 0}, {0, 0.25}}));
    const auto steps = spruce::share(spruce::stop::Iteration::build().with_max_iters(2u).on(this->exec));
    const std::shared_ptr<LinOp> cg =
        Cg::build().with_criteria(steps).with_generated_preconditioner(inner).on(this->exec)->generate(a);
    const std::shared_ptr<LinOp> ir =
        Ir::build().with_criteria(steps).with_generated_solver(inner).on(this->exec)->generate(a);
    const auto b = this->dense({{1}, {2}});
    for (const auto& op : {cg, ir}) {
        const auto x = this->vector_in(inner->get_memory_extent(), 2);
        const auto before = clone(x);
        const auto expected = clone(x);
        op->apply(b, expected);

        op->apply(b, x);

        EXPECT_MTX_NEAR(x, expected, order_of_sums<V>);
        x->copy_from(before);
    }
}

TYPED_TEST(Aliasing, WorksWhereAProductIsAddedToTheResult)
{
    const auto coo = this->coo({{1, 2}, {3, 4}});
    const auto x = this->dense({{1}, {1}});

    coo->apply2(x, x);
    EXPECT_MTX_NEAR(x, this->dense({{4}, {8}}), 0.0);
    coo->apply2(this->part(x, {0, 1}, {0, 1}), x, x);
    EXPECT_MTX_NEAR(x, this->dense({{84}, {184}}), 0.0);
    const auto values = TestFixture::Dense::create(this->exec, dim<2>{2, 1},
                                                   spruce::make_array_view(this->exec, 2, coo->get_values() + 2), 1);
    coo->apply2(this->dense({{1}, {1}}), values);
    EXPECT_MTX_NEAR(values, this->dense({{6}, {11}}), 0.0);
    EXPECT_MTX_NEAR(coo, this->dense({{1, 2}, {6, 11}}), 0.0);
    coo->apply2(this->dense({{2}}), this->dense({{1}, {1}}), values);
    EXPECT_MTX_NEAR(values, this->dense({{12}, {45}}), 0.0);
    const auto memory = this->random_dense(3, 1);
    this->expect_refusal(memory, "b and x overlap", [&] {
        coo->apply2(this->part(memory, {0, 2}, {0, 1}), this->part(memory, {1, 3}, {0, 1}));
    });
}

TYPED_TEST(Aliasing, WorksForProductsThatComeWithInnerProducts)
{
    using V = typename TestFixture::V;
    const auto csr = this->csr({{1, 2}, {3, 4}});
    array<char> tmp{this->exec};
    for (const auto& format : this->formats()) {
        const auto a = format.convert(csr.get());
        const auto with_dot = dynamic_cast<const spruce::DotApplicable<V>*>(a.get());
        if (!with_dot) {
            continue;
        }
        SCOPED_TRACE(format.name);
        const auto x = this->dense({{1}, {2}});
        const auto dot = this->dense_of_nan(1, 1);
        const auto b = this->dense({{1}, {2}});
        const auto y = this->dense_of_nan(2, 1);

        with_dot->apply_with_dot(x.get(), x.get(), dot.get(), tmp);
        with_dot->apply_with_dot(b.get(), y.get(), this->part(b, {1, 2}, {0, 1}).get(), tmp);

        EXPECT_MTX_NEAR(x, this->dense({{5}, {11}}), 0.0);
        EXPECT_MTX_NEAR(dot, this->dense({{27}}), 0.0);
        EXPECT_MTX_NEAR(y, x, 0.0);
        EXPECT_MTX_NEAR(b, this->dense({{1}, {27}}), 0.0);
        const auto values = this->vector_in(a->get_memory_extent(), 2);
        with_dot->apply_with_dot(this->dense({{1}, {2}}).get(), values.get(), dot.get(), tmp);
        EXPECT_MTX_NEAR(values, x, 0.0);
        EXPECT_MTX_NEAR(dot, this->dense({{27}}), 0.0);
        const auto memory = this->random_dense(3, 1);
        this->expect_refusal(memory, "b and x overlap", [&] {
            with_dot->apply_with_dot(this->part(memory, {0, 2}, {0, 1}).get(), this->part(memory, {1, 3}, {0, 1}).get(),
                                     dot.get(), tmp);
        });
    }
}

TYPED_TEST(Aliasing, DiagonalScalesInPlaceWithoutCopies)
{
    using V = typename TestFixture::V;
    const auto diagonal = spruce::matrix::Diagonal<V>::create(this->exec, 2, array<V>{this->exec, {2, 4}});
    const auto x = this->dense({{1, 2}, {3, 4}});
    const auto sparse = this->csr({{1, 2}, {3, 4}});
    diagonal->inverse_apply(x, x);
    const auto before = this->exec->get_counters();

    diagonal->apply(x, x);
    diagonal->rapply(x, x);
    diagonal->apply(sparse, sparse);

    EXPECT_EQ((this->exec->get_counters() - before).allocations, 0u);
    EXPECT_MTX_NEAR(x, this->dense({{2, 8}, {6, 16}}), 0.0);
    EXPECT_MTX_NEAR(sparse, this->dense({{2, 4}, {12, 16}}), 0.0);
    const auto memory = this->random_dense(3, 2);
    const auto first = this->part(memory, {0, 2}, {0, 2});
    const auto second = this->part(memory, {1, 3}, {0, 2});
    this->expect_refusal(memory, "b and x overlap", [&] { diagonal->apply(first, second); });
    this->expect_refusal(memory, "b and x overlap", [&] { diagonal->rapply(first, second); });
    this->expect_refusal(memory, "b and x overlap", [&] { diagonal->inverse_apply(first, second); });
}

TYPED_TEST(Aliasing, OfADiagonalAndAPartOfTheResultIsNoticed)
{
    using V = typename TestFixture::V;
    const auto b = this->dense({{1, 2}, {3, 4}});
    const auto x_and_diagonal = [&] {
        auto x = this->dense({{0, 2}, {4, 0}});
        auto diagonal = spruce::matrix::Diagonal<V>::create(
            this->exec, 2, spruce::make_array_view(this->exec, 2, x->get_values() + 1));
        return std::make_pair(std::move(x), std::move(diagonal));
    };

    const auto [x, diagonal] = x_and_diagonal();
    diagonal->apply(b, x);
    EXPECT_MTX_NEAR(x, this->dense({{2, 4}, {12, 16}}), 0.0);
    const auto [y, diagonal_in_y] = x_and_diagonal();
    diagonal_in_y->rapply(b, y);
    EXPECT_MTX_NEAR(y, this->dense({{2, 8}, {6, 16}}), 0.0);
    const auto [z, diagonal_in_z] = x_and_diagonal();
    diagonal_in_z->inverse_apply(b, z);
    EXPECT_MTX_NEAR(z, this->dense({{0.5, 1}, {0.75, 1}}), 0.0);
}

TYPED_TEST(Aliasing, DenseIsReorderedInPlace)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using spruce::matrix::permute_mode;
    const auto order = this->random_order(this->size);
    const auto permutation = spruce::matrix::Permutation<I>::create(this->exec, order);
    auto factors = array<V>{this->exec, this->size};
    factors.fill(V(2));
    const auto scaled = spruce::matrix::ScaledPermutation<V, I>::create(this->exec, factors, order);
    const auto half = this->dense({{0.5}});

    this->expect_same_in_place("transpose", [](auto x, auto output) { x->transpose(output); });
    this->expect_same_in_place("conj_transpose", [](auto x, auto output) { x->conj_transpose(output); });
    this->expect_same_in_place("permute", [&](auto x, auto output) { x->permute(&order, output); });
    this->expect_same_in_place("inverse_permute", [&](auto x, auto output) { x->inverse_permute(&order, output); });
    this->expect_same_in_place("row_permute", [&](auto x, auto output) { x->row_permute(&order, output); });
    this->expect_same_in_place("column_permute", [&](auto x, auto output) { x->column_permute(&order, output); });
    this->expect_same_in_place("by a matrix", [&](auto x, auto output) { x->permute(permutation, output); });
    this->expect_same_in_place("by two matrices",
                               [&](auto x, auto output) { x->permute(permutation, permutation, output, true); });
    this->expect_same_in_place("scale_permute", [&](auto x, auto output) { x->scale_permute(scaled, output); });
    this->expect_same_in_place("scale_permute inverse", [&](auto x, auto output) {
        x->scale_permute(scaled, output, permute_mode::inverse_rows);
    });
    this->expect_same_in_place("row_gather", [&](auto x, auto output) { x->row_gather(&order, output); });
    this->expect_same_in_place("advanced row_gather",
                               [&](auto x, auto output) { x->row_gather(half, &order, this->dense({{0}}), output); });
    this->expect_same_in_place("row_scatter", [&](auto x, auto output) { x->row_scatter(&order, output); });
}

TYPED_TEST(Aliasing, DenseIsNotReorderedIntoAPartOfItself)
{
    using I = typename TestFixture::I;
    const auto memory = this->random_dense(4, 4);
    const auto x = this->part(memory, {0, 3}, {0, 3});
    const auto output = this->part(memory, {1, 4}, {1, 4});
    const array<I> order{this->exec, {2, 0, 1}};
    const auto permutation = spruce::matrix::Permutation<I>::create(this->exec, order);
    const auto one = this->dense({{1}});
    const auto text = "this and output overlap";

    this->expect_refusal(memory, text, [&] { x->transpose(output); });
    this->expect_refusal(memory, text, [&] { x->conj_transpose(output); });
    this->expect_refusal(memory, text, [&] { x->permute(&order, output); });
    this->expect_refusal(memory, text, [&] { x->inverse_row_permute(&order, output); });
    this->expect_refusal(memory, text, [&] { x->permute(permutation, output); });
    this->expect_refusal(memory, text, [&] { x->row_gather(&order, output); });
    this->expect_refusal(memory, text, [&] { x->row_gather(one, &order, one, output); });
    this->expect_refusal(memory, text, [&] { x->row_scatter(&order, output); });
    if constexpr (!spruce::is_complex<typename TestFixture::V>()) {
        this->expect_refusal(memory, text, [&] { x->compute_absolute(output); });
        this->expect_refusal(memory, text, [&] { x->get_real(output); });
    } else {
        this->expect_refusal(memory, text, [&] {
            x->get_real(this->part(memory, {0, 3}, {0, 3})->create_real_view()->create_submatrix({0, 3}, {0, 3}));
        });
    }
}

TYPED_TEST(Aliasing, EntriesAreMappedInPlace)
{
    if constexpr (!spruce::is_complex<typename TestFixture::V>()) {
        const auto x = this->dense({{1, -2}, {-3, 4}});

        x->get_real(x);
        EXPECT_MTX_NEAR(x, this->dense({{1, -2}, {-3, 4}}), 0.0);
        x->compute_absolute(x);
        EXPECT_MTX_NEAR(x, this->dense({{1, 2}, {3, 4}}), 0.0);
        x->get_imag(x);
        EXPECT_MTX_NEAR(x, this->dense({{0, 0}, {0, 0}}), 0.0);
    }
}

TYPED_TEST(Aliasing, FactorsOfVectorUpdatesMayLieInTheVector)
{
    const auto x = this->dense({{2, 3}, {4, 5}});
    const auto scalar = this->part(x, {0, 1}, {0, 1});
    const auto row = this->part(x, {0, 1}, {0, 2});

    x->scale(scalar);
    EXPECT_MTX_NEAR(x, this->dense({{4, 6}, {8, 10}}), 0.0);
    x->inv_scale(scalar);
    EXPECT_MTX_NEAR(x, this->dense({{1, 1.5}, {2, 2.5}}), 0.0);
    x->scale(row);
    EXPECT_MTX_NEAR(x, this->dense({{1, 2.25}, {2, 3.75}}), 0.0);
    x->add_scaled(this->part(x, {1, 2}, {0, 1}), x);
    EXPECT_MTX_NEAR(x, this->dense({{3, 6.75}, {6, 11.25}}), 0.0);
    x->sub_scaled(this->part(x, {0, 1}, {0, 1}), x);
    EXPECT_MTX_NEAR(x, this->dense({{-6, -13.5}, {-12, -22.5}}), 0.0);
    x->add_scaled_identity(this->part(x, {1, 2}, {0, 1}), this->part(x, {0, 1}, {0, 1}));
    EXPECT_MTX_NEAR(x, this->dense({{24, 81}, {72, 123}}), 0.0);
}

TYPED_TEST(Aliasing, SummandsThatShareAPartAreRefused)
{
    const auto memory = this->random_dense(3, 2);
    const auto x = this->part(memory, {0, 2}, {0, 2});
    const auto b = this->part(memory, {1, 3}, {0, 2});
    const auto one = this->dense({{1}});
    const auto diagonal = spruce::matrix::Diagonal<typename TestFixture::V>::create(
        this->exec, 2, spruce::make_array_view(this->exec, 2, memory->get_values() + 1));

    this->expect_refusal(memory, "b and this overlap", [&] { x->add_scaled(one, b); });
    this->expect_refusal(memory, "b and this overlap", [&] { x->sub_scaled(one, b); });
    this->expect_refusal(memory, "b and this overlap", [&] { x->add_scaled(one, diagonal); });
}

TYPED_TEST(Aliasing, ResultsOfReductionsMayLieInTheirOperands)
{
    const auto values = [&] { return this->dense({{3, 0}, {4, 2}}); };
    const auto first_row = [&](const auto& x) { return this->part(x, {0, 1}, {0, 2}); };
    const auto x = values();
    x->compute_dot(x, first_row(x));
    EXPECT_MTX_NEAR(x, this->dense({{25, 4}, {4, 2}}), 0.0);
    const auto y = values();
    values()->compute_conj_dot(y, first_row(y));
    EXPECT_MTX_NEAR(y, this->dense({{25, 4}, {4, 2}}), 0.0);
    const auto z = values();
    z->compute_mean(first_row(z));
    EXPECT_MTX_NEAR(z, this->dense({{3.5, 1}, {4, 2}}), 0.0);
    const auto real_part = [](const auto& m) { return m->create_real_view()->create_submatrix({0, 1}, {0, 2}); };
    const auto norms = values();
    norms->compute_norm2(real_part(norms));
    EXPECT_MTX_NEAR(real_part(norms), this->real_dense({{5, 2}}), 0.0);
    const auto norms1 = values();
    norms1->compute_norm1(real_part(norms1));
    EXPECT_MTX_NEAR(real_part(norms1), this->real_dense({{7, 2}}), 0.0);
    const auto squares = values();
    squares->compute_squared_norm2(real_part(squares));
    EXPECT_MTX_NEAR(real_part(squares), this->real_dense({{25, 4}}), 0.0);
}

TYPED_TEST(Aliasing, CopiesOfViewsOfTheTargetKeepItOrAreRefused)
{
    using Dense = typename TestFixture::Dense;
    const auto x = this->dense({{1, 2, 3}, {4, 5, 6}});
    const auto expected = clone(x);
    const auto reshaped = [&](const auto& m) {
        return Dense::create(this->exec, dim<2>{3, 2}, spruce::make_array_view(this->exec, 6, m->get_values()), 2);
    };

    x->copy_from(Dense::create_view_of(x).get());
    EXPECT_MTX_NEAR(x, expected, 0.0);
    x->move_from(Dense::create_view_of(x));
    EXPECT_MTX_NEAR(x, expected, 0.0);
    x->copy_from(reshaped(x).get());
    EXPECT_MTX_NEAR(x, this->dense({{1, 2}, {3, 4}, {5, 6}}), 0.0);
    x->move_from(reshaped(x));
    EXPECT_MTX_NEAR(x, this->dense({{1, 2}, {3, 4}, {5, 6}}), 0.0);
    this->expect_refusal(x, "other and this overlap", [&] { x->copy_from(this->part(x, {0, 2}, {0, 1}).get()); });
    this->expect_refusal(x, "other and this overlap", [&] { x->copy_from(this->part(x, {0, 2}, {0, 1})); });
    this->expect_refusal(x, "other and this overlap", [&] {
        this->part(x, {0, 2}, {0, 2})->copy_from(this->part(x, {1, 3}, {0, 2}).get());
    });
    this->part(x, {0, 3}, {0, 1})->copy_from(this->part(x, {0, 3}, {1, 2}).get());
    EXPECT_MTX_NEAR(x, this->dense({{2, 2}, {4, 4}, {6, 6}}), 0.0);
}

TYPED_TEST(Aliasing, WorksForProductsOfDenseMatrices)
{
    namespace blas = spruce::blas;
    using blas::transposition;
    using blas::triangle;
    using Dense = typename TestFixture::Dense;
    const auto upper = triangle::upper;
    const auto none = transposition::none;
    const auto b = this->random_dense(this->size, this->size);
    const auto one = this->dense({{1}});
    const auto real_one = this->real_dense({{1}});
    const auto vector = this->random_dense(this->size, 1);
    const auto in_place = [&](const char* name, const std::unique_ptr<Dense>& start, auto run) {
        SCOPED_TRACE(name);
        const auto expected = clone(start);
        const auto separate = clone(start);
        run(separate.get(), clone(this->part(start, {3, 4}, {0, 1})).get(), expected.get());
        const auto c = clone(start);

        run(c.get(), this->part(c, {3, 4}, {0, 1}).get(), c.get());

        EXPECT_MTX_NEAR(c, expected, 0.0);
    };

    in_place("gemm", b, [&](auto a, auto scalar, auto c) { blas::gemm(none, none, scalar, a, b, scalar, c); });
    in_place("gemm, second", b, [&](auto a, auto scalar, auto c) { blas::gemm(none, none, one, b, a, scalar, c); });
    in_place("symm", b,
             [&](auto a, auto scalar, auto c) { blas::symm(blas::side::left, upper, scalar, a, b, one, c); });
    in_place("hemm", b,
             [&](auto a, auto scalar, auto c) { blas::hemm(blas::side::right, upper, one, b, a, scalar, c); });
    in_place("syrk", b, [&](auto a, auto scalar, auto c) { blas::syrk(upper, none, scalar, a, one, c); });
    in_place("herk", b, [&](auto a, auto, auto c) { blas::herk(upper, none, real_one, a, real_one, c); });
    in_place("syr2k", b, [&](auto a, auto scalar, auto c) { blas::syr2k(upper, none, scalar, a, b, one, c); });
    in_place("her2k", b, [&](auto a, auto scalar, auto c) { blas::her2k(upper, none, scalar, b, a, real_one, c); });
    in_place("trmm", b, [&](auto a, auto scalar, auto c) {
        blas::trmm(blas::side::left, upper, none, blas::diagonal::stored, scalar, a, c);
    });
    in_place("symv", vector, [&](auto x, auto scalar, auto y) { blas::symv(upper, scalar, b, x, one, y); });
    in_place("hemv", vector, [&](auto x, auto scalar, auto y) { blas::hemv(upper, scalar, b, x, one, y); });

    const auto memory = this->random_dense(4, 3);
    const auto first = this->part(memory, {0, 3}, {0, 3});
    const auto second = this->part(memory, {1, 4}, {0, 3});
    const auto other = this->random_dense(3, 3);
    this->expect_refusal(memory, "gemm is not supported for",
                         [&] { blas::gemm(none, none, one, first, other, one, second); });
    this->expect_refusal(memory, "b and the result overlap",
                         [&] { blas::gemm(none, none, one, other, first, one, second); });
    this->expect_refusal(memory, "a and the result overlap", [&] { blas::syrk(upper, none, one, first, one, second); });
    this->expect_refusal(memory, "a and the result overlap", [&] {
        blas::trmm(blas::side::left, upper, none, blas::diagonal::stored, one, first, second);
    });
}

TYPED_TEST(Aliasing, WorksForSparseProductsAndSums)
{
    const auto one = this->dense({{1}});
    const auto two = this->dense({{2}});
    const auto a = this->csr({{1, 2}, {3, 4}});
    const auto x = this->csr({{1, 2}, {3, 4}});

    x->apply(x, x);
    EXPECT_MTX_NEAR(x, this->dense({{7, 10}, {15, 22}}), 0.0);
    a->apply(two, x, one, x);
    EXPECT_MTX_NEAR(x, this->dense({{81, 118}, {177, 258}}), 0.0);
    const auto y = this->csr({{1, 2}, {3, 4}});
    const auto value = y->create_value_view()->create_submatrix({1, 2}, {0, 1});
    y->scale(value);
    EXPECT_MTX_NEAR(y, this->dense({{2, 4}, {6, 8}}), 0.0);
    y->add_scaled_identity(value, value);
    EXPECT_MTX_NEAR(y, this->dense({{12, 16}, {24, 36}}), 0.0);
}

TYPED_TEST(Aliasing, OfOperatorsAndCoefficientsOfACombinationIsNoticed)
{
    const auto one = share(this->dense({{1}}));
    const auto identity = share(this->dense({{1, 0}, {0, 1}}));
    const auto b = this->dense({{1, 0}, {0, 1}});
    const auto x = this->dense({{1, 2}, {3, 4}});
    const auto viewed = share(this->part(x, {0, 2}, {0, 2}));
    const auto coefficient = share(this->part(x, {1, 2}, {1, 2}));
    using Combination = spruce::Combination<typename TestFixture::V>;

    Combination::create(one, identity, one, viewed)->apply(b, x);
    EXPECT_MTX_NEAR(x, this->dense({{2, 2}, {3, 5}}), 0.0);
    Combination::create(one, identity, coefficient, identity)->apply(b, x);
    EXPECT_MTX_NEAR(x, this->dense({{6, 0}, {0, 6}}), 0.0);
    const auto column = share(this->dense({{1}, {0}}));
    const auto y = this->dense({{3}, {5}});
    const auto scalar = share(this->part(y, {0, 1}, {0, 1}));
    spruce::Perturbation<typename TestFixture::V>::create(scalar, column)->apply(this->dense({{2}, {7}}), y);
    EXPECT_MTX_NEAR(y, this->dense({{8}, {7}}), 0.0);  // (I + 3 e_1 e_1^H) (2, 7)
}

TYPED_TEST(Aliasing, OfADiagonalAndTheValuesOfASparseMatrixIsNoticed)
{
    using V = typename TestFixture::V;
    using Diagonal = spruce::matrix::Diagonal<V>;
    const auto diagonal_of = [&](auto& a) {
        return Diagonal::create(this->exec, 3, array<V>::view(this->exec, 3, a->get_values()));
    };
    const auto make = [&] { return this->csr({{1, 2, 0}, {0, 0, 4}, {0, 0, 0}}); };
    const auto scaled = make();
    const auto of_columns = make();

    diagonal_of(scaled)->apply(scaled, scaled);
    diagonal_of(of_columns)->rapply(of_columns, of_columns);

    EXPECT_MTX_NEAR(scaled, this->dense({{1, 2, 0}, {0, 0, 8}, {0, 0, 0}}), 0.0);
    EXPECT_MTX_NEAR(of_columns, this->dense({{1, 4, 0}, {0, 0, 16}, {0, 0, 0}}), 0.0);
}

TYPED_TEST(Aliasing, OfASparseMatrixAndTheDenseThatItIsConvertedToIsNoticed)
{
    using V = typename TestFixture::V;
    const auto a = this->csr({{1, 2}, {3, 4}});
    const auto in_values =
        TestFixture::Dense::create(this->exec, dim<2>{2, 2}, array<V>::view(this->exec, 4, a->get_values()), 2);

    in_values->copy_from(a);

    EXPECT_MTX_NEAR(in_values, this->dense({{1, 2}, {3, 4}}), 0.0);
}

TYPED_TEST(Aliasing, WorksForValuesThatAreComputedAgain)
{
    const auto one = this->dense({{1}});
    const auto a = this->csr({{1, 2}, {3, 4}});
    const auto b = this->csr({{1, 1}, {0, 1}});
    const auto identity = spruce::matrix::Permutation<typename TestFixture::I>::create(
        this->exec, array<typename TestFixture::I>{this->exec, {1, 0}});

    const auto product_info = a->multiply_reuse(a).second;
    product_info.update_values(a, a, a);
    EXPECT_MTX_NEAR(a, this->dense({{7, 10}, {15, 22}}), 0.0);
    const auto sum_info = a->add_scale_reuse(one, one, b).second;
    sum_info.update_values(one, a, a->create_value_view()->create_submatrix({0, 1}, {0, 1}), b, a);
    EXPECT_MTX_NEAR(a, this->dense({{14, 17}, {15, 29}}), 0.0);
    const auto sum_of_products_info = a->multiply_add_reuse(one, b, one, a).second;
    sum_of_products_info.update_values(a, one, b, one, a, a);
    EXPECT_MTX_NEAR(a, this->dense({{28, 48}, {30, 73}}), 0.0);
    const auto permuting_info = a->permute_reuse(identity).second;
    permuting_info.update_values(a, a);
    EXPECT_MTX_NEAR(a, this->dense({{73, 30}, {48, 28}}), 0.0);
}

/// Implements a vector of an application without get_memory_extent().
class Pair : public spruce::EnableLinOp<Pair>, public spruce::EnableCreateMethod<Pair> {
public:
    explicit Pair(std::shared_ptr<const spruce::Executor> exec) : EnableLinOp<Pair>(std::move(exec), dim<2>{2, 1}) {}
    int first{1};
    int second{2};

protected:
    void apply_impl(const LinOp*, LinOp*) const override {}
    void apply_impl(const LinOp*, const LinOp*, const LinOp*, LinOp*) const override {}
};
class Swap : public spruce::EnableLinOp<Swap>, public spruce::EnableCreateMethod<Swap> {
public:
    explicit Swap(std::shared_ptr<const spruce::Executor> exec) : EnableLinOp<Swap>(std::move(exec), dim<2>{2}) {}

protected:
    void apply_impl(const LinOp* b, LinOp* x) const override
    {
        EXPECT_EQ(b, x);
        std::swap(as<Pair>(x)->first, as<Pair>(x)->second);
    }
    void apply_impl(const LinOp*, const LinOp*, const LinOp*, LinOp*) const override {}
};

TEST(AliasingOfOwnVectors, IsLeftToTheirOperatorsUnlessTheyTellTheirMemory)
{
    const auto exec = spruce::ReferenceExecutor::create();
    const auto x = Pair::create(exec);

    Swap::create(exec)->apply(x, x);

    EXPECT_EQ(x->first, 2);
    EXPECT_EQ(x->second, 1);
}

}  // namespace
