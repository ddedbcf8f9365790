// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests Composition, Combination, Perturbation and Identity on every executor.

#include <atomic>
#include <functional>
#include <thread>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::dim;
using spruce::LinOp;
using spruce::share;

template <typename ValueType>
class AddsToGuess;

template <typename Types>
class CompositeTest : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using Composition = spruce::Composition<V>;
    using Combination = spruce::Combination<V>;
    using Identity = spruce::matrix::Identity<V>;
    using Guessing = AddsToGuess<V>;
    using operators = std::vector<std::shared_ptr<const LinOp>>;

    std::shared_ptr<LinOp> a{this->csr({{1, 2}, {0, 1}})};
    std::shared_ptr<LinOp> b{this->csr({{0, 1, 0}, {2, 0, 3}})};
    std::shared_ptr<LinOp> c{this->dense({{1, 0, 1}, {0, 1, 0}})};
    std::shared_ptr<LinOp> two{this->dense({{2}})};
    std::shared_ptr<LinOp> minus_one{this->dense({{-1}})};
    std::shared_ptr<LinOp> vectors{this->dense({{1, 0}, {1, 1}, {1, 2}})};
};

/// Adds its operand to x, and so depends on the initial guess as an iterative method does.
template <typename ValueType>
class AddsToGuess : public spruce::EnableLinOp<AddsToGuess<ValueType>>,
                    public spruce::EnableCreateMethod<AddsToGuess<ValueType>> {
public:
    explicit AddsToGuess(std::shared_ptr<const spruce::Executor> exec, const dim<2>& size = {})
        : spruce::EnableLinOp<AddsToGuess>(exec, size)
    {}
    bool apply_uses_initial_guess() const override { return true; }

protected:
    using Dense = spruce::matrix::Dense<ValueType>;

    void apply_impl(const LinOp* b, LinOp* x) const override
    {
        spruce::as<Dense>(x)->add_scaled(spruce::initialize<Dense>({spruce::one<ValueType>()}, this->get_executor()),
                                         b);
    }
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override
    {
        const auto solution = spruce::clone(spruce::as<Dense>(x));
        this->apply_impl(b, solution.get());
        spruce::as<Dense>(x)->scale(beta);
        spruce::as<Dense>(x)->add_scaled(alpha, solution);
    }
};

/// Expects that a call does not allocate, copy or synchronize.
template <typename Call>
void expect_work_only(const spruce::Executor& exec, Call call)
{
    const auto before = exec.get_counters();

    call();

    const auto did = exec.get_counters() - before;
    EXPECT_EQ(did.allocations, 0u);
    EXPECT_EQ(did.copies, 0u);
    EXPECT_EQ(did.waits, 0u);
    EXPECT_GT(did.kernels, 0u);
}

template <typename Types>
class CompositionTest : public CompositeTest<Types> {};
TYPED_TEST_SUITE(CompositionTest, value_types, type_names);

TYPED_TEST(CompositionTest, AppliesTheLastOperatorFirst)
{
    const auto product = TestFixture::Composition::create(this->a, this->b);
    const auto x = this->dense_of_nan(2, 2);

    product->apply(this->vectors, x);

    EXPECT_EQ(product->get_size(), (dim<2>{2, 3}));
    EXPECT_MTX_NEAR(x, this->dense({{11, 13}, {5, 6}}), 0.0);
}

TYPED_TEST(CompositionTest, AddsScaledProduct)
{
    const auto product = TestFixture::Composition::create(this->a, this->b);
    const auto x = this->dense({{1, 1}, {1, 1}});

    product->apply(this->two, this->vectors, this->minus_one, x);

    EXPECT_MTX_NEAR(x, this->dense({{21, 25}, {9, 11}}), 0.0);
}

TYPED_TEST(CompositionTest, IsMadeFromAnyNumberOfOperators)
{
    const typename TestFixture::operators list{this->a, this->a, this->b};
    const auto one = TestFixture::Composition::create(this->b);
    const auto three = TestFixture::Composition::create(list.begin(), list.end());
    const auto x = this->dense_of_nan(2, 2);

    one->apply(this->vectors, x);
    EXPECT_MTX_NEAR(x, this->dense({{1, 1}, {5, 6}}), 0.0);
    three->apply(this->vectors, x);
    EXPECT_MTX_NEAR(x, this->dense({{21, 25}, {5, 6}}), 0.0);
    EXPECT_EQ(three->get_operators(), list);
}

TYPED_TEST(CompositionTest, ChecksThatNeighboursFit)
{
    EXPECT_THROW_WITH(TestFixture::Composition::create(this->b, this->a), spruce::DimensionMismatch,
                      "operator 0 is 2 x 3, but operator 1 is 2 x 2");
    EXPECT_THROW(TestFixture::Composition::create(typename TestFixture::operators{}), spruce::NotSupported);
    EXPECT_THROW(TestFixture::Composition::create(this->a, std::shared_ptr<LinOp>{}), spruce::NotSupported);
}

TYPED_TEST(CompositionTest, WithoutOperatorsSaysSo)
{
    const auto empty = TestFixture::Composition::create(this->exec);
    const auto nothing = TestFixture::Dense::create(this->exec);

    EXPECT_THROW_WITH(empty->apply(nothing, nothing), spruce::NotSupported, "an empty composition");
}

TYPED_TEST(CompositionTest, CopiesOperatorsToTheExecutorOfTheFirst)
{
    for (const auto& other : all_executors()) {
        const std::shared_ptr<LinOp> there = this->b->clone(other);
        const auto product = TestFixture::Composition::create(this->a, there);
        const auto x = this->dense_of_nan(2, 2);

        product->apply(this->vectors, x);

        EXPECT_TRUE(this->exec->is_equivalent_to(product->get_operators()[1]->get_executor().get()));
        EXPECT_MTX_NEAR(x, this->dense({{11, 13}, {5, 6}}), 0.0);
    }
}

TYPED_TEST(CompositionTest, Transposes)
{
    const auto product = TestFixture::Composition::create(this->a, this->b);
    const auto transposed = product->transpose();
    const auto x = this->dense_of_nan(3, 1);

    transposed->apply(this->dense({{1}, {1}}), x);

    EXPECT_EQ(transposed->get_size(), (dim<2>{3, 2}));
    EXPECT_MTX_NEAR(x, this->dense({{6}, {1}, {9}}), 0.0);
    product->conj_transpose()->apply(this->dense({{1}, {1}}), x);
    EXPECT_MTX_NEAR(x, this->dense({{6}, {1}, {9}}), 0.0);
}

TYPED_TEST(CompositionTest, IsCopiedMovedAndCleared)
{
    const auto product = TestFixture::Composition::create(this->a, this->b);
    const auto x = this->dense_of_nan(2, 2);

    const auto on_ref = product->clone(this->ref);
    on_ref->apply(this->vectors, x);
    EXPECT_MTX_NEAR(x, this->dense({{11, 13}, {5, 6}}), 0.0);
    EXPECT_EQ(on_ref->get_operators()[0]->get_executor()->get_backend(), spruce::backend::reference);

    const auto moved = TestFixture::Composition::create(this->exec);
    moved->move_from(product);
    EXPECT_EQ(moved->get_operators().size(), 2u);
    EXPECT_EQ(moved->get_operators()[0], this->a);  // on the same executor the operators are shared
    EXPECT_TRUE(product->get_operators().empty());
    EXPECT_EQ(product->get_size(), (dim<2>{}));

    moved->clear();
    EXPECT_TRUE(moved->get_operators().empty());
}

TYPED_TEST(CompositionTest, KeepsWhatLiesBetweenOperators)
{
    const auto product = TestFixture::Composition::create(this->a, this->a, this->b);
    const auto x = this->dense_of_nan(2, 2);
    product->apply(this->vectors, x);
    product->apply(this->two, this->vectors, this->minus_one, x);

    expect_work_only(*this->exec, [&] { product->apply(this->vectors, x); });
    EXPECT_MTX_NEAR(x, this->dense({{21, 25}, {5, 6}}), 0.0);
    expect_work_only(*this->exec, [&] { product->apply(this->two, this->vectors, this->minus_one, x); });
    EXPECT_MTX_NEAR(x, this->dense({{21, 25}, {5, 6}}), 0.0);
    // Later calls may use vectors of another size or another product.
    const auto narrow = this->dense_of_nan(2, 1);
    product->apply(this->dense({{1}, {1}, {1}}), narrow);
    EXPECT_MTX_NEAR(narrow, this->dense({{21}, {5}}), 0.0);
    *product = *TestFixture::Composition::create(this->b, this->dense({{1}, {1}, {1}}));
    product->apply(this->dense({{2}}), narrow);
    EXPECT_MTX_NEAR(narrow, this->dense({{2}, {10}}), 0.0);
}

TYPED_TEST(CompositionTest, TakesAVectorAsOperandAndResult)
{
    const auto product = TestFixture::Composition::create(this->a, this->a);
    const auto x = this->dense({{1}, {1}});

    product->apply(x, x);

    EXPECT_MTX_NEAR(x, this->dense({{5}, {1}}), 0.0);
}

TYPED_TEST(CompositionTest, GivesOperatorsTheirInputAsGuessButTheLastTheResult)
{
    using Composition = typename TestFixture::Composition;
    const auto guessing = share(TestFixture::Guessing::create(this->exec, dim<2>{2, 2}));
    const auto b = this->dense({{1}, {3}});
    const auto last = Composition::create(guessing, this->a);
    const auto first = Composition::create(this->a, guessing);
    const auto within = Composition::create(this->a, share(Composition::create(guessing, this->a)));

    const auto wide = Composition::create(this->a, share(Composition::create(guessing, this->b)));

    EXPECT_TRUE(last->apply_uses_initial_guess());
    EXPECT_FALSE(first->apply_uses_initial_guess());
    EXPECT_FALSE(within->apply_uses_initial_guess());
    EXPECT_FALSE(Composition::create(this->exec)->apply_uses_initial_guess());
    for (int i = 0; i < 2; ++i) {  // the second apply finds intermediate results of the first one
        const auto x = this->dense({{10}, {20}});
        last->apply(b, x);
        EXPECT_MTX_NEAR(x, this->dense({{17}, {23}}), 0.0);
        const auto y = this->dense_of_nan(2, 1);
        first->apply(b, y);
        EXPECT_MTX_NEAR(y, this->dense({{14}, {6}}), 0.0);
        within->apply(b, y);
        EXPECT_MTX_NEAR(y, this->dense({{20}, {6}}), 0.0);
        wide->apply(this->dense({{1}, {1}, {1}}), y);  // an input of another size is no initial guess
        EXPECT_MTX_NEAR(y, this->dense({{11}, {5}}), 0.0);
    }
}

template <typename Types>
class CombinationTest : public CompositeTest<Types> {};
TYPED_TEST_SUITE(CombinationTest, value_types, type_names);

TYPED_TEST(CombinationTest, AddsUpScaledOperators)
{
    const auto sum = TestFixture::Combination::create(this->two, this->b, this->minus_one, this->c);
    const auto x = this->dense_of_nan(2, 2);

    sum->apply(this->vectors, x);

    EXPECT_EQ(sum->get_size(), (dim<2>{2, 3}));
    EXPECT_MTX_NEAR(x, this->dense({{0, 0}, {9, 11}}), 0.0);
}

TYPED_TEST(CombinationTest, AddsScaledSum)
{
    const auto sum = TestFixture::Combination::create(this->two, this->b, this->minus_one, this->c);
    const auto x = this->dense({{1, 1}, {1, 1}});

    sum->apply(this->two, this->vectors, this->minus_one, x);
    EXPECT_MTX_NEAR(x, this->dense({{-1, -1}, {17, 21}}), 0.0);

    const auto over_nan = this->dense_of_nan(2, 2);
    sum->apply(this->two, this->vectors, this->dense({{0}}), over_nan);
    EXPECT_MTX_NEAR(over_nan, this->dense({{0, 0}, {18, 22}}), 0.0);
}

TYPED_TEST(CombinationTest, ChecksSizes)
{
    const std::shared_ptr<LinOp> vector = this->dense({{1, 2}});
    const typename TestFixture::operators one{this->two};
    const typename TestFixture::operators both{this->b, this->c};

    EXPECT_THROW_WITH(TestFixture::Combination::create(this->two, this->b, this->two, this->a),
                      spruce::DimensionMismatch, "operator 1 is 2 x 2");
    EXPECT_THROW(TestFixture::Combination::create(vector, this->b), spruce::DimensionMismatch);
    EXPECT_THROW(TestFixture::Combination::create(one.begin(), one.end(), both.begin(), both.end()),
                 spruce::ValueMismatch);
    EXPECT_THROW(TestFixture::Combination::create(std::shared_ptr<LinOp>{}, this->b), spruce::NotSupported);
    const auto empty = TestFixture::Combination::create(this->exec);
    const auto nothing = TestFixture::Dense::create(this->exec);
    EXPECT_THROW(empty->apply(nothing, nothing), spruce::NotSupported);
}

TYPED_TEST(CombinationTest, TransposesAndCopies)
{
    const auto sum = TestFixture::Combination::create(this->two, this->b, this->minus_one, this->c);
    const auto x = this->dense_of_nan(3, 1);

    sum->transpose()->apply(this->dense({{1}, {1}}), x);
    EXPECT_MTX_NEAR(x, this->dense({{3}, {1}, {5}}), 0.0);
    sum->conj_transpose()->apply(this->dense({{1}, {1}}), x);
    EXPECT_MTX_NEAR(x, this->dense({{3}, {1}, {5}}), 0.0);

    const auto y = this->dense_of_nan(2, 2);
    sum->clone(this->ref)->apply(this->vectors, y);
    EXPECT_MTX_NEAR(y, this->dense({{0, 0}, {9, 11}}), 0.0);
}

TYPED_TEST(CombinationTest, NeedsOperators)
{
    using Combination = typename TestFixture::Combination;
    const typename TestFixture::operators none;
    const typename TestFixture::operators scalars{this->two, this->two};
    const typename TestFixture::operators with_null_first{nullptr, this->b};
    const typename TestFixture::operators with_null_last{this->b, nullptr};

    EXPECT_THROW_WITH(Combination::create(none.begin(), none.end(), none.begin(), none.end()), spruce::NotSupported,
                      "an empty list of operators");
    EXPECT_THROW_WITH(Combination::create(scalars.begin(), scalars.end(), none.begin(), none.end()),
                      spruce::NotSupported, "an empty list of operators");
    for (const auto& list : {with_null_first, with_null_last}) {
        EXPECT_THROW_WITH(Combination::create(scalars.begin(), scalars.end(), list.begin(), list.end()),
                          spruce::NotSupported, "null");
    }
}

TYPED_TEST(CombinationTest, KeepsScalarsAndVectors)
{
    const auto sum = TestFixture::Combination::create(this->two, this->b, this->minus_one, this->c);
    const auto x = this->dense_of_nan(2, 2);
    sum->apply(this->vectors, x);
    sum->apply(this->two, this->vectors, this->minus_one, x);

    expect_work_only(*this->exec, [&] { sum->apply(this->vectors, x); });
    EXPECT_MTX_NEAR(x, this->dense({{0, 0}, {9, 11}}), 0.0);
    expect_work_only(*this->exec, [&] { sum->apply(this->two, this->vectors, this->minus_one, x); });
    EXPECT_MTX_NEAR(x, this->dense({{0, 0}, {9, 11}}), 0.0);
    const auto narrow = this->dense_of_nan(2, 1);
    sum->apply(this->dense({{1}, {1}, {1}}), narrow);
    EXPECT_MTX_NEAR(narrow, this->dense({{0}, {9}}), 0.0);
}

TYPED_TEST(CombinationTest, HandsTheGuessToEachOperator)
{
    using Combination = typename TestFixture::Combination;
    const auto guessing = share(TestFixture::Guessing::create(this->exec, dim<2>{2, 2}));
    const auto b = this->dense({{1}, {3}});
    const auto at_first = Combination::create(this->two, guessing, this->minus_one, this->a);
    const auto at_last = Combination::create(this->two, this->a, this->minus_one, guessing);

    EXPECT_TRUE(at_first->apply_uses_initial_guess());
    EXPECT_TRUE(at_last->apply_uses_initial_guess());
    EXPECT_FALSE(Combination::create(this->two, this->a)->apply_uses_initial_guess());
    for (int i = 0; i < 2; ++i) {
        const auto x = this->dense({{10}, {20}});
        at_first->apply(b, x);  // 2 (x + b) - a b
        EXPECT_MTX_NEAR(x, this->dense({{15}, {43}}), 0.0);
        const auto y = this->dense({{10}, {20}});
        at_last->apply(b, y);  // 2 a b - (y + b)
        EXPECT_MTX_NEAR(y, this->dense({{3}, {-17}}), 0.0);
        const auto z = this->dense({{10}, {20}});
        at_last->apply(this->two, b, this->minus_one, z);
        EXPECT_MTX_NEAR(z, this->dense({{-4}, {-54}}), 0.0);
    }
}

/// Calls a function in each apply without changing the result.
template <typename ValueType>
class CallsBack : public spruce::EnableLinOp<CallsBack<ValueType>> {
public:
    explicit CallsBack(std::shared_ptr<const spruce::Executor> exec, const dim<2>& size = {},
                       std::function<void()> function = {})
        : spruce::EnableLinOp<CallsBack>(exec, size), function_{std::move(function)}
    {}

protected:
    void apply_impl(const LinOp*, LinOp*) const override { function_(); }
    void apply_impl(const LinOp*, const LinOp*, const LinOp*, LinOp*) const override { function_(); }

private:
    std::function<void()> function_;
};

template <typename Types>
class ConcurrentApplies : public CompositeTest<Types> {
protected:
    using typename kernel_test<Types>::Dense;

    /// Applies make(op) while another thread executes an apply of it.
    template <typename Make>
    void expect_refuses_other_thread(const char* name, Make make)
    {
        if (!spruce::detail::Workspace::exclusive_use::is_checked()) {
            GTEST_SKIP() << "the library is built with NDEBUG";
        }
        std::shared_ptr<LinOp> composite;
        std::atomic<int> num_refused{};
        const auto apply_in_other_thread = [&] {
            std::thread{[&] {
                const auto rhs = this->dense({{1}, {1}});
                const auto result = this->dense({{3}, {4}});
                EXPECT_THROW_WITH(composite->apply(rhs, result), spruce::InvalidStateError, name);
                EXPECT_THROW_WITH(composite->apply(this->two, rhs, this->two, result), spruce::InvalidStateError, name);
                EXPECT_MTX_NEAR(result, this->dense({{3}, {4}}), 0.0);
                ++num_refused;
            }}.join();
        };
        composite = make(
            std::make_shared<CallsBack<typename Types::value_type>>(this->exec, dim<2>{2, 2}, apply_in_other_thread));
        const auto rhs = this->dense({{1}, {2}});
        const auto x = this->dense({{1}, {2}});

        composite->apply(rhs, x);
        composite->apply(this->two, rhs, this->two, x);

        EXPECT_GE(num_refused, 2);
    }
};
TYPED_TEST_SUITE(ConcurrentApplies, one_of_each_type, type_names);

TYPED_TEST(ConcurrentApplies, OfACompositionAreRefused)
{
    this->expect_refuses_other_thread("Composition::apply", [&](auto op) {
        return share(TestFixture::Composition::create(this->a, std::move(op), this->a));
    });
}

TYPED_TEST(ConcurrentApplies, OfACombinationAreRefused)
{
    this->expect_refuses_other_thread("Combination::apply", [&](auto op) {
        return share(TestFixture::Combination::create(this->two, this->a, this->two, std::move(op)));
    });
}

TYPED_TEST(ConcurrentApplies, OfAPerturbationAreRefused)
{
    this->expect_refuses_other_thread("Perturbation::apply", [&](auto op) {
        return share(spruce::Perturbation<typename TypeParam::value_type>::create(this->two, this->a, std::move(op)));
    });
}

TYPED_TEST(ConcurrentApplies, OfClonesArePossible)
{
    const auto op = TestFixture::Composition::create(this->a, this->a);
    const auto apply = [&](const LinOp& composite) {
        const auto x = this->dense_of_nan(2, 1);
        composite.apply(this->dense({{1}, {1}}), x);
        EXPECT_MTX_NEAR(x, this->dense({{5}, {1}}), 0.0);
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&, own = share(spruce::clone(op))] {
            for (int repetition = 0; repetition < 20; ++repetition) {
                apply(*own);
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
}

template <typename Types>
class PerturbationTest : public CompositeTest<Types> {
protected:
    using Perturbation = spruce::Perturbation<typename Types::value_type>;

    // The operator is I + 2 basis projector.
    std::shared_ptr<LinOp> basis{this->dense({{1}, {0}, {-1}})};
    std::shared_ptr<LinOp> projector{this->csr({{1, 2, 0}})};
};
TYPED_TEST_SUITE(PerturbationTest, value_types, type_names);

TYPED_TEST(PerturbationTest, AddsScaledProductToTheIdentity)
{
    const auto op = TestFixture::Perturbation::create(this->two, this->basis, this->projector);
    const auto x = this->dense_of_nan(3, 2, 5);

    op->apply(this->vectors, x);

    EXPECT_EQ(op->get_size(), (dim<2>{3, 3}));
    EXPECT_MTX_NEAR(x, this->dense({{7, 4}, {1, 1}, {-5, -2}}), 0.0);
    EXPECT_TRUE(padding_is_intact(*x));
    EXPECT_EQ(op->get_scalar(), this->two);
    EXPECT_EQ(op->get_basis(), this->basis);
    EXPECT_EQ(op->get_projector(), this->projector);
}

TYPED_TEST(PerturbationTest, AddsScaledResult)
{
    const auto op = TestFixture::Perturbation::create(this->two, this->basis, this->projector);
    const auto x = this->dense({{1, 1}, {1, 1}, {1, 1}});

    op->apply(this->two, this->vectors, this->minus_one, x);
    EXPECT_MTX_NEAR(x, this->dense({{13, 7}, {1, 1}, {-11, -5}}), 0.0);

    const auto over_nan = this->dense_of_nan(3, 2);
    op->apply(this->two, this->vectors, this->dense({{0}}), over_nan);
    EXPECT_MTX_NEAR(over_nan, this->dense({{14, 8}, {2, 2}, {-10, -4}}), 0.0);
}

TYPED_TEST(PerturbationTest, ProjectsByTheConjugateTransposeOfItsBasis)
{
    using V = typename TypeParam::value_type;
    auto i = spruce::one<V>();
    if constexpr (spruce::is_complex<V>()) {
        i = V{0, 1};
    }
    const std::shared_ptr<LinOp> basis = this->dense({{i}, {V{2}}, {V{0}}});
    const auto reflector = TestFixture::Perturbation::create(this->dense({{V(-0.5F)}}), basis);
    const auto x = this->dense_of_nan(3, 1);

    reflector->apply(this->dense({{i}, {V{2}}, {V{7}}}), x);  // P b = 5

    EXPECT_MTX_NEAR(x, this->dense({{i * V(-1.5F)}, {V{-3}}, {V{7}}}), 0.0);
    EXPECT_EQ(reflector->get_projector()->get_size(), (dim<2>{1, 3}));
    EXPECT_THROW(
        TestFixture::Perturbation::create(this->two, share(TestFixture::Guessing::create(this->exec, dim<2>{2, 2}))),
        spruce::NotSupported);  // transposition is not supported
}

TYPED_TEST(PerturbationTest, IsCopiedMovedAndCleared)
{
    const auto op = TestFixture::Perturbation::create(this->two, this->basis, this->projector);
    const auto expected = this->dense({{7, 4}, {1, 1}, {-5, -2}});
    const auto expect_same = [&](const auto& copy) {
        const auto x = this->dense_of_nan(3, 2);
        copy->apply(this->vectors, x);
        EXPECT_MTX_NEAR(x, expected, 0.0);
    };

    const auto on_ref = op->clone(this->ref);
    expect_same(on_ref);
    EXPECT_EQ(on_ref->get_basis()->get_executor()->get_backend(), spruce::backend::reference);
    const auto moved = TestFixture::Perturbation::create(this->exec);
    moved->move_from(op);
    expect_same(moved);
    EXPECT_EQ(moved->get_basis(), this->basis);
    EXPECT_EQ(op->get_basis(), nullptr);
    EXPECT_EQ(op->get_size(), (dim<2>{}));
    moved->clear();
    EXPECT_EQ(moved->get_scalar(), nullptr);
    EXPECT_EQ(moved->get_projector(), nullptr);
    const auto nothing = TestFixture::Dense::create(this->exec);
    EXPECT_THROW_WITH(moved->apply(nothing, nothing), spruce::NotSupported, "an empty perturbation");
    EXPECT_NO_THROW(moved->clone());
}

TYPED_TEST(PerturbationTest, ChecksSizes)
{
    using Perturbation = typename TestFixture::Perturbation;

    EXPECT_THROW_WITH(Perturbation::create(this->basis, this->basis, this->projector), spruce::DimensionMismatch,
                      "the scalar is 3 x 1");
    EXPECT_THROW_WITH(Perturbation::create(this->two, this->basis, this->basis), spruce::DimensionMismatch,
                      "the projector is 3 x 1");
    EXPECT_THROW(Perturbation::create(nullptr, this->basis, this->projector), spruce::NotSupported);
    EXPECT_THROW(Perturbation::create(this->two, nullptr, this->projector), spruce::NotSupported);
    EXPECT_THROW(Perturbation::create(this->two, this->basis, nullptr), spruce::NotSupported);
    EXPECT_THROW(Perturbation::create(this->two, nullptr), spruce::NotSupported);
    const auto op = Perturbation::create(this->two, this->basis, this->projector);
    EXPECT_THROW(op->apply(this->dense({{1}, {2}}), this->dense({{1}, {2}})), spruce::DimensionMismatch);
}

TYPED_TEST(PerturbationTest, TakesOperandsFromElsewhereAndAVectorAsOperandAndResult)
{
    const auto op =
        TestFixture::Perturbation::create(clone(this->ref, this->two), this->basis, clone(this->ref, this->projector));
    const auto x = clone(this->ref, this->vectors);
    const auto y = clone(this->vectors);

    op->apply(x, x);
    op->apply(y, y);

    EXPECT_MTX_NEAR(x, this->dense({{7, 4}, {1, 1}, {-5, -2}}), 0.0);
    EXPECT_MTX_NEAR(y, this->dense({{7, 4}, {1, 1}, {-5, -2}}), 0.0);
    EXPECT_EQ(op->get_scalar()->get_executor()->get_backend(), this->exec->get_backend());
}

TYPED_TEST(PerturbationTest, KeepsItsVectorsAndLetsOperatorsStartFromZero)
{
    const auto op = TestFixture::Perturbation::create(this->minus_one,
                                                      share(TestFixture::Guessing::create(this->exec, dim<2>{3, 3})),
                                                      share(TestFixture::Guessing::create(this->exec, dim<2>{3, 3})));
    const auto work = TestFixture::Perturbation::create(this->two, this->basis, this->projector);
    const auto x = this->dense_of_nan(3, 2);

    for (int i = 0; i < 2; ++i) {  // the second apply finds vectors of the first one
        op->apply(this->vectors, x);
        EXPECT_MTX_NEAR(x, this->dense({{0, 0}, {0, 0}, {0, 0}}), 0.0);
    }
    work->apply(this->vectors, x);
    work->apply(this->two, this->vectors, this->minus_one, x);
    const auto before = this->exec->get_counters();
    work->apply(this->vectors, x);
    work->apply(this->two, this->vectors, this->minus_one, x);
    const auto did = this->exec->get_counters() - before;
    EXPECT_EQ(did.allocations, 0u);
    EXPECT_EQ(did.waits, 0u);
    EXPECT_MTX_NEAR(x, this->dense({{7, 4}, {1, 1}, {-5, -2}}), 0.0);
}

template <typename Types>
class IdentityTest : public CompositeTest<Types> {};
TYPED_TEST_SUITE(IdentityTest, value_types, type_names);

TYPED_TEST(IdentityTest, Copies)
{
    const auto identity = TestFixture::Identity::create(this->exec, 3);
    const auto x = this->dense_of_nan(3, 2, 5);

    identity->apply(this->vectors, x);

    EXPECT_EQ(identity->get_size(), (dim<2>{3, 3}));
    EXPECT_MTX_NEAR(x, this->vectors, 0.0);
    EXPECT_TRUE(padding_is_intact(*x));
}

TYPED_TEST(IdentityTest, AddsScaledOperand)
{
    const auto identity = TestFixture::Identity::create(this->exec, dim<2>{3, 3});
    const auto x = this->dense({{1, 1}, {1, 1}, {1, 1}});

    identity->apply(this->two, this->vectors, this->minus_one, x);

    EXPECT_MTX_NEAR(x, this->dense({{1, -1}, {1, 1}, {1, 3}}), 0.0);
}

TYPED_TEST(IdentityTest, IsSquare)
{
    EXPECT_THROW(TestFixture::Identity::create(this->exec, dim<2>{2, 3}), spruce::DimensionMismatch);
}

TYPED_TEST(IdentityTest, IsItsOwnTranspose)
{
    const auto identity = TestFixture::Identity::create(this->exec, 3);

    EXPECT_EQ(identity->transpose()->get_size(), (dim<2>{3, 3}));
    EXPECT_EQ(identity->conj_transpose()->get_size(), (dim<2>{3, 3}));
}

TYPED_TEST(IdentityTest, IsMadeByItsFactory)
{
    using V = typename TypeParam::value_type;
    const auto factory = spruce::matrix::IdentityFactory<V>::create(this->exec);

    const auto identity = factory->generate(this->a);

    EXPECT_NE(dynamic_cast<typename TestFixture::Identity*>(identity.get()), nullptr);
    EXPECT_EQ(identity->get_size(), (dim<2>{2, 2}));
}

}  // namespace
