// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/lin_op.hpp>

#include "test/utils/fixture.hpp"

namespace {

using spruce::dim;
using spruce::LinOp;
using Dense = spruce::matrix::Dense<double>;

/// Records the operands of its applies, as an operator of an application.
class Probe : public spruce::EnableLinOp<Probe>, public spruce::EnableCreateMethod<Probe> {
public:
    explicit Probe(std::shared_ptr<const spruce::Executor> exec, dim<2> size = {}, bool fails = false)
        : spruce::EnableLinOp<Probe>(exec, size), fails{fails}
    {}
    bool fails;
    mutable std::vector<const LinOp*> operands;

protected:
    void apply_impl(const LinOp* b, LinOp* x) const override
    {
        operands = {b, x};
        if (fails) {
            spruce::as<Dense>(x)->fill(99.0);
            throw std::runtime_error("on purpose");
        }
    }
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override
    {
        operands = {alpha, b, beta, x};
    }
};

class LinearOperator : public ::testing::Test {
protected:
    std::shared_ptr<spruce::Executor> ref{spruce::ReferenceExecutor::create()};
    std::shared_ptr<spruce::Executor> omp{spruce::OmpExecutor::create()};
    std::unique_ptr<Probe> op{Probe::create(ref, dim<2>{2, 3})};
    std::unique_ptr<Dense> b{spruce::initialize<Dense>({1.0, 2.0, 3.0}, ref)};
    std::unique_ptr<Dense> x{spruce::initialize<Dense>({4.0, 5.0}, ref)};
    std::unique_ptr<Dense> scalar{spruce::initialize<Dense>({1.0}, ref)};
};

TEST_F(LinearOperator, PassesOperandsOnAndReturnsItself)
{
    const auto& const_op = *op;

    Probe* result = op->apply(b, x);
    EXPECT_EQ(result, op.get());
    EXPECT_EQ(op->operands, (std::vector<const LinOp*>{b.get(), x.get()}));
    const Probe* const_result = const_op.apply(scalar, b, scalar, x);
    EXPECT_EQ(const_result, op.get());
    EXPECT_EQ(op->operands, (std::vector<const LinOp*>{scalar.get(), b.get(), scalar.get(), x.get()}));
    LinOp* base = op.get();
    EXPECT_EQ(base->apply(b, x)->apply(scalar, b, scalar, x), base);
    const LinOp* const_base = op.get();
    EXPECT_EQ(const_base->apply(b, x)->apply(scalar, b, scalar, x), const_base);
}

TEST_F(LinearOperator, TakesTemporariesAndAllKindsOfPointers)
{
    const std::shared_ptr<const Dense> shared = clone(b);

    op->apply(shared, x.get());
    op->apply(clone(b), x->create_submatrix({0, 2}, {0, 1}));

    EXPECT_EQ(op->operands.size(), 2u);
}

TEST_F(LinearOperator, CopiesOperandsFromOtherExecutors)
{
    const auto there_b = clone(omp, b);
    const auto there_x = clone(omp, x);

    op->apply(there_b, there_x);

    EXPECT_NE(op->operands[0], there_b.get());
    EXPECT_NE(op->operands[1], there_x.get());
}

TEST_F(LinearOperator, DoesNotCopyBackAfterAnException)
{
    op->fails = true;
    const auto there_x = clone(omp, x);

    EXPECT_THROW(op->apply(b, there_x), std::runtime_error);

    EXPECT_MTX_NEAR(there_x, x, 0.0);
}

TEST_F(LinearOperator, ChecksBeforeItRuns)
{
    EXPECT_THROW_WITH(op->apply(x, x), spruce::DimensionMismatch, "Probe::apply: A is 2 x 3, but b is 2 x 1");
    EXPECT_THROW(op->apply(b, b), spruce::DimensionMismatch);
    EXPECT_THROW(op->apply(b, x, scalar, x), spruce::DimensionMismatch);

    EXPECT_TRUE(op->operands.empty());
}

struct event_log : spruce::log::Logger {
    void on_linop_apply_started(const LinOp*, const LinOp* b, const LinOp*) const override
    {
        text += "apply; ";
        last_b = b;
    }
    void on_linop_apply_completed(const LinOp*, const LinOp*, const LinOp*) const override { text += "applied; "; }
    void on_linop_advanced_apply_started(const LinOp*, const LinOp*, const LinOp*, const LinOp*,
                                         const LinOp*) const override
    {
        text += "advanced; ";
    }
    void on_linop_advanced_apply_completed(const LinOp*, const LinOp*, const LinOp*, const LinOp*,
                                           const LinOp*) const override
    {
        text += "done; ";
    }
    void on_linop_factory_generate_started(const spruce::LinOpFactory*, const LinOp*) const override
    {
        text += "generate; ";
    }
    void on_linop_factory_generate_completed(const spruce::LinOpFactory*, const LinOp*, const LinOp*) const override
    {
        text += "generated; ";
    }
    mutable std::string text;
    mutable const LinOp* last_b{};
};

TEST_F(LinearOperator, TellsItsLoggersAboutTheCallersOperands)
{
    const auto log = std::make_shared<event_log>();
    const auto there_b = clone(omp, b);
    op->add_logger(log);

    op->apply(there_b, x);
    op->apply(scalar, b, scalar, x);

    EXPECT_EQ(log->text, "apply; applied; advanced; done; ");
    EXPECT_EQ(log->last_b, there_b.get());
}

TEST_F(LinearOperator, IsCopiedAndMovedLikeAnyObject)
{
    const auto copy = op->clone(omp);
    const auto moved = Probe::create(ref);

    EXPECT_EQ(copy->get_size(), (dim<2>{2, 3}));
    moved->move_from(op);
    EXPECT_EQ(moved->get_size(), (dim<2>{2, 3}));
    EXPECT_EQ(op->get_size(), (dim<2>{}));
    EXPECT_FALSE(op->apply_uses_initial_guess());
    copy->clear();
    EXPECT_EQ(copy->get_size(), (dim<2>{}));
}

// ---- factories ----------------------------------------------------------------------------------

/// Represents the product of a user's factory, with parameters of every kind.
struct Product : spruce::EnableLinOp<Product>, spruce::EnableCreateMethod<Product> {
    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory)
    {
        int SPRUCE_FACTORY_PARAMETER_SCALAR(steps, 3);
        std::vector<int> SPRUCE_FACTORY_PARAMETER_VECTOR(list, 1, 2);
        std::shared_ptr<const spruce::LinOpFactory> SPRUCE_DEFERRED_FACTORY_PARAMETER(inner);
        std::vector<std::shared_ptr<const spruce::stop::CriterionFactory>> SPRUCE_DEFERRED_FACTORY_VECTOR_PARAMETER(
            criteria);
    };
    SPRUCE_ENABLE_LIN_OP_FACTORY(Product, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    explicit Product(std::shared_ptr<const spruce::Executor> exec) : spruce::EnableLinOp<Product>(std::move(exec)) {}
    Product(const Factory* factory, std::shared_ptr<const LinOp> input)
        : spruce::EnableLinOp<Product>(factory->get_executor(), transpose(input->get_size())),
          parameters_{factory->get_parameters()},
          input{input}
    {}
    void apply_impl(const LinOp*, LinOp*) const override {}
    void apply_impl(const LinOp*, const LinOp*, const LinOp*, LinOp*) const override {}
    std::shared_ptr<const LinOp> input;
};

/// Declares a parameter for others to inherit.
template <typename Parameters, typename Factory>
struct inherited_parameters : spruce::enable_parameters_type<Parameters, Factory> {
    std::shared_ptr<const spruce::LinOpFactory> SPRUCE_DEFERRED_FACTORY_PARAMETER(inner);
};

/// Represents data that lie before the inherited parameters.
struct Described {
    virtual ~Described() = default;
    double description[3]{1, 2, 3};
};

/// Represents the product of a factory whose parameters have two bases and a member with the name
/// of an inherited one.
struct ProductOfInherited : spruce::EnableLinOp<ProductOfInherited> {
    class Builder;
    struct options_type : Described, inherited_parameters<options_type, Builder> {
        int inner{7};
    };
    SPRUCE_ENABLE_LIN_OP_FACTORY(ProductOfInherited, options, Builder);
    SPRUCE_ENABLE_BUILD_METHOD(Builder);

    explicit ProductOfInherited(std::shared_ptr<const spruce::Executor> exec)
        : spruce::EnableLinOp<ProductOfInherited>(std::move(exec))
    {}
    ProductOfInherited(const Builder* factory, std::shared_ptr<const LinOp> input)
        : spruce::EnableLinOp<ProductOfInherited>(factory->get_executor(), input->get_size()),
          options_{factory->get_parameters()}
    {}
    void apply_impl(const LinOp*, LinOp*) const override {}
    void apply_impl(const LinOp*, const LinOp*, const LinOp*, LinOp*) const override {}
};

TEST_F(LinearOperator, FactorySetsTheParameterWhereItIsDeclared)
{
    const auto factory = ProductOfInherited::build().with_inner(Product::build()).on(ref);

    const auto& parameters = factory->get_parameters();
    const inherited_parameters<ProductOfInherited::options_type, ProductOfInherited::Builder>& inherited = parameters;
    EXPECT_NE(inherited.inner, nullptr);
    EXPECT_EQ(parameters.inner, 7);
    EXPECT_EQ(parameters.description[2], 3.0);
}

/// Represents a matrix of an application, which may extend the format that it derives from.
class DerivedMatrix : public spruce::matrix::Csr<double, spruce::int32> {
public:
    explicit DerivedMatrix(std::shared_ptr<const spruce::Executor> exec) : Csr(std::move(exec), dim<2>{2, 2}) {}
};

template <typename Matrix>
std::shared_ptr<LinOp> make_square(std::shared_ptr<const spruce::Executor> exec)
{
    auto result = Matrix::create(exec);
    result->read({{2.0, 1.0}, {0.0, 3.0}});
    return spruce::share(std::move(result));
}

TEST_F(LinearOperator, OfFormatsHasStaticLaunches)
{
    using namespace spruce::matrix;
    using spruce::int32;
    using Csr = Csr<double, int32>;

    EXPECT_TRUE(make_square<Csr>(ref)->launches_are_static());
    EXPECT_TRUE((make_square<Coo<double, int32>>(ref)->launches_are_static()));
    EXPECT_TRUE((make_square<Ell<double, int32>>(ref)->launches_are_static()));
    EXPECT_TRUE((make_square<Sellp<double, int32>>(ref)->launches_are_static()));
    EXPECT_TRUE((make_square<Hybrid<double, int32>>(ref)->launches_are_static()));
    EXPECT_TRUE((make_square<Fbcsr<double, int32>>(ref)->launches_are_static()));
    EXPECT_TRUE((make_square<SparsityCsr<double, int32>>(ref)->launches_are_static()));
    EXPECT_TRUE(Diagonal<double>::create(ref, 2)->launches_are_static());
    EXPECT_TRUE(Permutation<int32>::create(ref, 2)->launches_are_static());
    for (const auto& strategy : std::vector<std::shared_ptr<Csr::strategy_type>>{
             std::make_shared<Csr::classical>(), std::make_shared<Csr::merge_path>(),
             std::make_shared<Csr::load_balance>(), std::make_shared<Csr::automatical>()}) {
        EXPECT_TRUE(Csr::create(ref, dim<2>{2, 2}, 0, strategy)->launches_are_static()) << strategy->get_name();
    }
}

TEST_F(LinearOperator, HasNoStaticLaunchesUnlessItSaysSo)
{
    using namespace spruce::matrix;
    using Csr = Csr<double, spruce::int32>;

    EXPECT_FALSE(op->launches_are_static());
    EXPECT_FALSE(DerivedMatrix{ref}.launches_are_static());
    EXPECT_FALSE(Csr::create(ref, dim<2>{2, 2}, 0, std::make_shared<Csr::sparselib>())->launches_are_static());
    EXPECT_FALSE(spruce::solver::Cg<double>::build()
                     .with_criteria(spruce::stop::Iteration::build().with_max_iters(1u))
                     .on(ref)
                     ->generate(make_square<Csr>(ref))
                     ->launches_are_static());
}

TEST_F(LinearOperator, HasNoStaticLaunchesWhileALoggerNeedsItsEvents)
{
    struct listener : spruce::log::Logger {};
    const auto matrix = make_square<spruce::matrix::Csr<double, spruce::int32>>(ref);
    const auto logger = std::make_shared<listener>();

    matrix->add_logger(logger);
    EXPECT_FALSE(matrix->launches_are_static());
    matrix->remove_logger(logger);
    EXPECT_TRUE(matrix->launches_are_static());
}

TEST_F(LinearOperator, OfOthersHasStaticLaunchesIfTheyHave)
{
    struct listener : spruce::log::Logger {};
    const auto matrix = make_square<spruce::matrix::Csr<double, spruce::int32>>(ref);
    const auto other = spruce::share(Probe::create(ref, dim<2>{2, 2}));
    const auto one = spruce::share(spruce::initialize<Dense>({1.0}, ref));
    using Composition = spruce::Composition<double>;
    using Combination = spruce::Combination<double>;
    const auto product = Composition::create(matrix, matrix);
    const auto sum = Combination::create(one, matrix, one, matrix);

    EXPECT_TRUE(product->launches_are_static());
    EXPECT_TRUE(sum->launches_are_static());
    EXPECT_FALSE(Composition::create(matrix, other)->launches_are_static());
    EXPECT_FALSE(Combination::create(one, matrix, one, other)->launches_are_static());

    matrix->add_logger(std::make_shared<listener>());
    EXPECT_FALSE(product->launches_are_static());
    EXPECT_FALSE(sum->launches_are_static());
}

class Factory : public LinearOperator {};

TEST_F(Factory, HasDefaultsAndTakesParameters)
{
    const auto plain = Product::build().on(ref);
    const auto set = Product::build().with_steps(5u).with_list(7, 8, 9).on(ref);

    EXPECT_EQ(plain->get_parameters().steps, 3);
    EXPECT_EQ(plain->get_parameters().list, (std::vector<int>{1, 2}));
    EXPECT_EQ(plain->get_parameters().inner, nullptr);
    EXPECT_EQ(set->get_parameters().steps, 5);
    EXPECT_EQ(set->get_parameters().list, (std::vector<int>{7, 8, 9}));
    EXPECT_EQ(set->get_executor(), ref);
}

TEST_F(Factory, ParametersCanBeTakenFromAFactoryAndChanged)
{
    const auto first = Product::build().with_steps(5).on(ref);

    auto parameters = first->get_parameters();
    const auto second = parameters.with_steps(6).on(omp);

    EXPECT_EQ(first->get_parameters().steps, 5);
    EXPECT_EQ(second->get_parameters().steps, 6);
    EXPECT_EQ(second->get_executor(), omp);
}

TEST_F(Factory, GeneratesFromInputAndKeepsParameters)
{
    const std::shared_ptr<const LinOp> input = clone(b);

    const std::unique_ptr<Product> product = Product::build().with_steps(7).on(ref)->generate(input);

    EXPECT_EQ(product->get_size(), (dim<2>{1, 3}));
    EXPECT_EQ(product->input, input);
    EXPECT_EQ(product->get_parameters().steps, 7);
}

TEST_F(Factory, CopiesInputFromAnotherExecutor)
{
    const std::shared_ptr<const LinOp> there = clone(omp, b);

    const auto product = Product::build().on(ref)->generate(there);

    EXPECT_NE(product->input, there);
    EXPECT_EQ(product->input->get_executor(), ref);
    EXPECT_MTX_NEAR(product->input, b, 0.0);
}

TEST_F(Factory, TakesInputOnAnEquivalentHandleAsItIs)
{
    const std::shared_ptr<const LinOp> same = clone(spruce::ReferenceExecutor::create(), b);

    EXPECT_EQ(Product::build().on(ref)->generate(same)->input, same);
}

TEST_F(Factory, RefusesNull)
{
    EXPECT_THROW(Product::build().on(ref)->generate(std::shared_ptr<const LinOp>{}), spruce::NotSupported);
}

TEST_F(Factory, ResolvesDeferredParametersOnItsExecutor)
{
    const auto from_parameters = Product::build().with_inner(Product::build().with_steps(9)).on(omp);
    const std::shared_ptr<const spruce::LinOpFactory> finished = Product::build().on(ref);
    const auto from_factory = Product::build().with_inner(finished).on(omp);
    const auto from_unique = Product::build().with_inner(Product::build().on(ref)).on(omp);
    const auto from_null = Product::build().with_inner(Product::build()).with_inner(nullptr).on(omp);

    EXPECT_EQ(from_parameters->get_parameters().inner->get_executor(), omp);
    EXPECT_EQ(spruce::as<Product::Factory>(from_parameters->get_parameters().inner)->get_parameters().steps, 9);
    EXPECT_EQ(from_factory->get_parameters().inner, finished);
    EXPECT_EQ(from_unique->get_parameters().inner->get_executor(), ref);
    EXPECT_EQ(from_null->get_parameters().inner, nullptr);
}

TEST_F(Factory, ListsTakeFactoriesAndParametersMixed)
{
    namespace stop = spruce::stop;
    const std::shared_ptr<const stop::CriterionFactory> finished = stop::Iteration::build().on(ref);
    const std::vector<std::shared_ptr<const stop::CriterionFactory>> list{finished, finished, finished};

    auto parameters = Product::build().with_criteria(finished, stop::Iteration::build().with_max_iters(3),
                                                     stop::Time::build().on(ref));
    const auto mixed = parameters.on(omp);
    const auto replaced = parameters.with_criteria(list).on(omp);

    ASSERT_EQ(mixed->get_parameters().criteria.size(), 3u);
    EXPECT_EQ(mixed->get_parameters().criteria[0], finished);
    EXPECT_EQ(mixed->get_parameters().criteria[1]->get_executor(), omp);
    EXPECT_EQ(mixed->get_parameters().criteria[2]->get_executor(), ref);
    EXPECT_EQ(replaced->get_parameters().criteria.size(), 3u);
    EXPECT_EQ(replaced->get_parameters().criteria[1], finished);
}

TEST_F(Factory, DeferredParameterKnowsWhetherItIsEmpty)
{
    spruce::deferred_factory_parameter<spruce::LinOpFactory> empty;

    EXPECT_TRUE(empty.is_empty());
    EXPECT_THROW(empty.on(ref), spruce::NotSupported);
    EXPECT_FALSE(spruce::deferred_factory_parameter<spruce::LinOpFactory>(Product::build()).is_empty());
    EXPECT_EQ(spruce::deferred_factory_parameter<spruce::LinOpFactory>(nullptr).on(ref), nullptr);
}

TEST_F(Factory, HandsItsLoggersToTheProduct)
{
    const auto log = std::make_shared<event_log>();
    const std::shared_ptr<const LinOp> input = clone(b);
    const auto factory = Product::build().with_loggers(log).on(ref);

    const auto product = factory->generate(input);

    EXPECT_EQ(log->text, "generate; generated; ");
    ASSERT_EQ(product->get_loggers().size(), 1u);
    EXPECT_EQ(product->get_loggers()[0], log);
    const auto later = std::make_shared<event_log>();
    factory->add_logger(later);
    EXPECT_EQ(product->get_loggers().size(), 1u);
    EXPECT_EQ(factory->generate(input)->get_loggers().size(), 2u);
}

TEST_F(Factory, CanBeClonedWithItsParameters)
{
    const auto factory = Product::build().with_steps(5).on(ref);

    const auto copy = factory->clone(omp);

    EXPECT_EQ(copy->get_parameters().steps, 5);
    EXPECT_EQ(copy->get_executor(), omp);
}

}  // namespace
