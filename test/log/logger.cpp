// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/log/logger.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <spruce/base/lin_op.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/solver/cg.hpp>
#include <spruce/stop/iteration.hpp>

namespace {

using spruce::array;
using spruce::dim;
using spruce::Executor;
using spruce::LinOp;
using spruce::LinOpFactory;
using spruce::Operation;
using spruce::PolymorphicObject;
using spruce::size_type;
using spruce::stopping_status;
using spruce::uint8;
using spruce::uintptr;
using spruce::log::Logger;

using Dense = spruce::matrix::Dense<double>;
using Csr = spruce::matrix::Csr<double, spruce::int32>;

/// Returns the name and the arguments of an event as text.
template <typename... Args>
std::string line_of(const char* name, const Args&... args)
{
    std::ostringstream os;
    os << name;
    ((os << ' ' << args), ...);
    return os.str();
}
const void* address(const void* pointer) { return pointer; }
const void* address(std::nullptr_t) { return nullptr; }
const void* address(uintptr location) { return reinterpret_cast<const void*>(location); }

/// Records all events that it receives.
class Recorder : public Logger {
public:
    explicit Recorder(mask_type mask = all_events_mask, bool propagated = false) : Logger{mask}, propagated_{propagated}
    {}
    bool needs_propagation() const override { return propagated_; }

    void on_allocation_started(const Executor* exec, const size_type& bytes) const override
    {
        this->add("allocation_started", address(exec), bytes);
    }
    void on_allocation_completed(const Executor* exec, const size_type& bytes, const uintptr& where) const override
    {
        this->add("allocation_completed", address(exec), bytes, address(where));
    }
    void on_free_started(const Executor* exec, const uintptr& where) const override
    {
        this->add("free_started", address(exec), address(where));
    }
    void on_free_completed(const Executor* exec, const uintptr& where) const override
    {
        this->add("free_completed", address(exec), address(where));
    }
    void on_copy_started(const Executor* from, const Executor* to, const uintptr& where_from, const uintptr& where_to,
                         const size_type& bytes) const override
    {
        this->add("copy_started", address(from), address(to), address(where_from), address(where_to), bytes);
    }
    void on_copy_completed(const Executor* from, const Executor* to, const uintptr& where_from, const uintptr& where_to,
                           const size_type& bytes) const override
    {
        this->add("copy_completed", address(from), address(to), address(where_from), address(where_to), bytes);
    }
    void on_operation_launched(const Executor* exec, const Operation* op) const override
    {
        this->add("operation_launched", address(exec), op->get_name());
    }
    void on_operation_completed(const Executor* exec, const Operation* op) const override
    {
        this->add("operation_completed", address(exec), op->get_name());
    }
    void on_polymorphic_object_create_started(const Executor* exec, const PolymorphicObject* object) const override
    {
        this->add("create_started", address(exec), address(object));
    }
    void on_polymorphic_object_create_completed(const Executor* exec, const PolymorphicObject* input,
                                                const PolymorphicObject* output) const override
    {
        this->add("create_completed", address(exec), address(input), address(output));
    }
    void on_polymorphic_object_copy_started(const Executor* exec, const PolymorphicObject* input,
                                            const PolymorphicObject* output) const override
    {
        this->add("object_copy_started", address(exec), address(input), address(output));
    }
    void on_polymorphic_object_copy_completed(const Executor* exec, const PolymorphicObject* input,
                                              const PolymorphicObject* output) const override
    {
        this->add("object_copy_completed", address(exec), address(input), address(output));
    }
    void on_polymorphic_object_move_started(const Executor* exec, const PolymorphicObject* input,
                                            const PolymorphicObject* output) const override
    {
        this->add("object_move_started", address(exec), address(input), address(output));
    }
    void on_polymorphic_object_move_completed(const Executor* exec, const PolymorphicObject* input,
                                              const PolymorphicObject* output) const override
    {
        this->add("object_move_completed", address(exec), address(input), address(output));
    }
    void on_polymorphic_object_deleted(const Executor* exec, const PolymorphicObject* object) const override
    {
        this->add("deleted", address(exec), address(object));
    }
    void on_linop_apply_started(const LinOp* A, const LinOp* b, const LinOp* x) const override
    {
        this->add("apply_started", address(A), address(b), address(x));
    }
    void on_linop_apply_completed(const LinOp* A, const LinOp* b, const LinOp* x) const override
    {
        this->add("apply_completed", address(A), address(b), address(x));
    }
    void on_linop_advanced_apply_started(const LinOp* A, const LinOp* alpha, const LinOp* b, const LinOp* beta,
                                         const LinOp* x) const override
    {
        this->add("advanced_apply_started", address(A), address(alpha), address(b), address(beta), address(x));
    }
    void on_linop_advanced_apply_completed(const LinOp* A, const LinOp* alpha, const LinOp* b, const LinOp* beta,
                                           const LinOp* x) const override
    {
        this->add("advanced_apply_completed", address(A), address(alpha), address(b), address(beta), address(x));
    }
    void on_linop_factory_generate_started(const LinOpFactory* factory, const LinOp* input) const override
    {
        this->add("generate_started", address(factory), address(input));
    }
    void on_linop_factory_generate_completed(const LinOpFactory* factory, const LinOp* input,
                                             const LinOp* output) const override
    {
        this->add("generate_completed", address(factory), address(input), address(output));
    }
    void on_criterion_check_started(const spruce::stop::Criterion*, const size_type& it, const LinOp* r, const LinOp*,
                                    const LinOp* x, const uint8& id, const bool& finalized) const override
    {
        this->add("check_started", it, r != nullptr, address(x), int{id}, finalized);
    }
    void on_criterion_check_completed(const spruce::stop::Criterion*, const size_type& it, const LinOp* r, const LinOp*,
                                      const LinOp* x, const uint8& id, const bool& finalized,
                                      const array<stopping_status>* status, const bool& one_changed,
                                      const bool& all_stopped) const override
    {
        this->add("check_completed", it, r != nullptr, address(x), int{id}, finalized, status->get_size(), one_changed,
                  all_stopped);
    }
    void on_iteration_complete(const LinOp* solver, const size_type& it, const LinOp* r, const LinOp* x,
                               const LinOp* tau) const override
    {
        this->add("iteration_complete", address(solver), it, r != nullptr, address(x), tau != nullptr);
    }

    template <typename... Args>
    void add(const char* name, const Args&... args) const
    {
        events.push_back(line_of(name, args...));
    }

    /// Returns only the names.
    std::vector<std::string> names() const
    {
        std::vector<std::string> result;
        for (const auto& one : events) {
            result.push_back(one.substr(0, one.find(' ')));
        }
        return result;
    }

    mutable std::vector<std::string> events;

private:
    bool propagated_;
};

using strings = std::vector<std::string>;

/// Computes x = b or x = alpha b + beta x and reports it to a recorder; fails if fails is true.
class Copier : public spruce::EnableLinOp<Copier>, public spruce::EnableCreateMethod<Copier> {
public:
    explicit Copier(std::shared_ptr<const Executor> exec, size_type size = 0)
        : EnableLinOp<Copier>(std::move(exec), dim<2>{size, size})
    {}

    std::shared_ptr<const Recorder> recorder;
    bool fails{};

protected:
    void apply_impl(const LinOp* b, LinOp* x) const override
    {
        this->work();
        x->copy_from(b);
    }
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override
    {
        this->work();
        spruce::as<Dense>(x)->scale(beta);
        spruce::as<Dense>(x)->add_scaled(alpha, b);
    }

private:
    void work() const
    {
        if (fails) {
            throw spruce::NotSupported(__FILE__, __LINE__, "Copier::apply", "an object that fails");
        }
        if (recorder) {
            recorder->add("work");
        }
    }
};

/// Multiplies by the factor of its factory.
class Product : public spruce::EnableLinOp<Product> {
    friend class spruce::EnablePolymorphicObject<Product, LinOp>;

public:
    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory) { double SPRUCE_FACTORY_PARAMETER_SCALAR(factor, 1.0); };
    SPRUCE_ENABLE_LIN_OP_FACTORY(Product, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

protected:
    explicit Product(std::shared_ptr<const Executor> exec) : EnableLinOp<Product>(std::move(exec)) {}
    Product(const Factory* factory, std::shared_ptr<const LinOp> input)
        : EnableLinOp<Product>(factory->get_executor(), input->get_size()), parameters_{factory->get_parameters()}
    {}
    void apply_impl(const LinOp*, LinOp*) const override {}
    void apply_impl(const LinOp*, const LinOp*, const LinOp*, LinOp*) const override {}
};

class Events : public ::testing::Test {
protected:
    static constexpr auto no_executor_events =
        Logger::all_events_mask & ~Logger::executor_events_mask & ~Logger::operation_events_mask;

    std::unique_ptr<Dense> vector(std::initializer_list<double> values)
    {
        return spruce::initialize<Dense>(values, exec);
    }
    const void* on_exec() const { return exec.get(); }

    std::shared_ptr<Executor> exec = spruce::ReferenceExecutor::create();
    std::shared_ptr<Recorder> recorder = std::make_shared<Recorder>();
};

TEST_F(Events, OfAllocationAndRelease)
{
    exec->add_logger(recorder);

    const auto data = exec->alloc<int>(3);
    exec->free(data);

    EXPECT_EQ(recorder->events, (strings{line_of("allocation_started", on_exec(), 12),
                                         line_of("allocation_completed", on_exec(), 12, address(data)),
                                         line_of("free_started", on_exec(), address(data)),
                                         line_of("free_completed", on_exec(), address(data))}));
}

TEST_F(Events, AreAbsentWhereNothingIsDone)
{
    exec->add_logger(recorder);

    const auto data = exec->alloc<int>(0);
    exec->copy(0, data, data);
    exec->free(data);

    EXPECT_EQ(recorder->events, strings{});
}

TEST_F(Events, OfCopyWithinAnExecutor)
{
    const int from{};
    int to{};
    exec->add_logger(recorder);

    exec->copy(1, &from, &to);

    EXPECT_EQ(recorder->events,
              (strings{line_of("copy_started", on_exec(), on_exec(), address(&from), address(&to), 4),
                       line_of("copy_completed", on_exec(), on_exec(), address(&from), address(&to), 4)}));
}

TEST_F(Events, OfCopyBetweenExecutorsReachBoth)
{
    const int from{};
    int to{};
    const auto target = spruce::ReferenceExecutor::create();
    const auto target_recorder = std::make_shared<Recorder>();
    exec->add_logger(recorder);
    target->add_logger(target_recorder);

    target->copy_from(exec, 1, &from, &to);

    EXPECT_EQ(recorder->events,
              (strings{line_of("copy_started", on_exec(), address(target.get()), address(&from), address(&to), 4),
                       line_of("copy_completed", on_exec(), address(target.get()), address(&from), address(&to), 4)}));
    EXPECT_EQ(target_recorder->events, recorder->events);
}

TEST_F(Events, OfOperationSurroundIt)
{
    exec->add_logger(recorder);
    const auto work = [&] { recorder->add("work"); };
    const auto nothing = [] {};

    exec->run("mine", work, nothing, nothing, nothing, nothing);

    EXPECT_EQ(recorder->events, (strings{line_of("operation_launched", on_exec(), "mine"), "work",
                                         line_of("operation_completed", on_exec(), "mine")}));
}

TEST_F(Events, OfOperationThatFailsAreComplete)
{
    struct Missing : Operation {
    } missing;
    exec->add_logger(recorder);

    EXPECT_THROW(exec->run(missing), spruce::NotImplemented);

    EXPECT_EQ(recorder->names(), (strings{"operation_launched", "operation_completed"}));
}

TEST_F(Events, OfObjectCreation)
{
    const auto object = this->vector({1.0, 2.0});
    object->add_logger(recorder);

    const auto created = object->create_default();

    EXPECT_EQ(recorder->events,
              (strings{line_of("create_started", on_exec(), address(object.get())),
                       line_of("create_completed", on_exec(), address(object.get()), address(created.get()))}));
}

TEST_F(Events, OfCloneReachTheOriginalAsCreation)
{
    const auto object = this->vector({1.0, 2.0});
    object->add_logger(recorder);

    const auto copy = object->clone();

    EXPECT_EQ(recorder->names(), (strings{"create_started", "create_completed"}));
    EXPECT_TRUE(copy->get_loggers().empty());
}

TEST_F(Events, OfObjectCopyReachTheTarget)
{
    const auto source = this->vector({1.0, 2.0});
    const auto target = this->vector({3.0, 4.0});
    target->add_logger(recorder);

    target->copy_from(source);

    EXPECT_EQ(recorder->events,
              (strings{line_of("object_copy_started", on_exec(), address(source.get()), address(target.get())),
                       line_of("object_copy_completed", on_exec(), address(source.get()), address(target.get()))}));
}

TEST_F(Events, OfObjectMoveReachTheTarget)
{
    const auto source = this->vector({1.0, 2.0});
    const auto target = this->vector({3.0, 4.0});
    target->add_logger(recorder);

    target->move_from(source);

    EXPECT_EQ(recorder->events,
              (strings{line_of("object_move_started", on_exec(), address(source.get()), address(target.get())),
                       line_of("object_move_completed", on_exec(), address(source.get()), address(target.get()))}));
}

TEST_F(Events, OfDeletion)
{
    auto object = this->vector({1.0, 2.0});
    const auto where = address(static_cast<PolymorphicObject*>(object.get()));
    object->add_logger(recorder);

    object.reset();

    EXPECT_EQ(recorder->events, (strings{line_of("deleted", on_exec(), where)}));
}

TEST_F(Events, OfObjectsReachTheirExecutorWithoutPropagation)
{
    const auto object = this->vector({1.0, 2.0});
    const auto copy = object->clone();
    recorder = std::make_shared<Recorder>(Logger::polymorphic_object_events_mask);
    exec->add_logger(recorder);
    exec->set_log_propagation_mode(spruce::log_propagation_mode::never);

    object->copy_from(copy);

    EXPECT_EQ(recorder->events,
              (strings{line_of("object_copy_started", on_exec(), address(copy.get()), address(object.get())),
                       line_of("object_copy_completed", on_exec(), address(copy.get()), address(object.get()))}));
}

TEST_F(Events, OfApplySurroundTheWork)
{
    const auto op = Copier::create(exec, 2);
    const auto b = this->vector({1.0, 2.0});
    const auto x = this->vector({3.0, 4.0});
    op->recorder = recorder;
    op->add_logger(recorder);

    op->apply(b, x);

    const LinOp* const A = op.get();
    EXPECT_EQ(recorder->events,
              (strings{line_of("apply_started", address(A), address(b.get()), address(x.get())), "work",
                       line_of("apply_completed", address(A), address(b.get()), address(x.get()))}));
}

TEST_F(Events, OfAdvancedApplySurroundTheWork)
{
    const auto op = Copier::create(exec, 2);
    const auto alpha = this->vector({2.0});
    const auto b = this->vector({1.0, 2.0});
    const auto beta = this->vector({0.0});
    const auto x = this->vector({3.0, 4.0});
    op->recorder = recorder;
    op->add_logger(recorder);

    op->apply(alpha, b, beta, x);

    const LinOp* const A = op.get();
    EXPECT_EQ(recorder->events, (strings{line_of("advanced_apply_started", address(A), address(alpha.get()),
                                                 address(b.get()), address(beta.get()), address(x.get())),
                                         "work",
                                         line_of("advanced_apply_completed", address(A), address(alpha.get()),
                                                 address(b.get()), address(beta.get()), address(x.get()))}));
}

TEST_F(Events, OfApplyThatFailsHaveNoEnd)
{
    const auto op = Copier::create(exec, 2);
    op->fails = true;
    op->add_logger(recorder);

    EXPECT_THROW(op->apply(this->vector({1.0, 2.0}), this->vector({3.0, 4.0})), spruce::NotSupported);

    EXPECT_EQ(recorder->names(), strings{"apply_started"});
}

TEST_F(Events, OfApplyNameTheCallersOperandsNotTheirCopies)
{
    const auto other = spruce::ReferenceExecutor::create();
    const auto op = Copier::create(exec, 1);
    const auto b = spruce::initialize<Dense>({1.0}, other);
    const auto x = spruce::initialize<Dense>({2.0}, other);
    op->add_logger(recorder);

    op->apply(b, x);

    EXPECT_EQ(recorder->events.front(),
              line_of("apply_started", address(static_cast<LinOp*>(op.get())), address(b.get()), address(x.get())));
}

TEST_F(Events, OfMatrixProductHoldItsKernel)
{
    const auto a = spruce::initialize<Csr>({{1.0, 0.0}, {0.0, 2.0}}, exec);
    const auto b = this->vector({1.0, 2.0});
    const auto x = this->vector({3.0, 4.0});
    recorder = std::make_shared<Recorder>(Logger::linop_events_mask | Logger::operation_events_mask);
    a->add_logger(recorder);
    exec->add_logger(recorder);

    a->apply(b, x);

    const LinOp* const A = a.get();
    EXPECT_EQ(recorder->events, (strings{line_of("apply_started", address(A), address(b.get()), address(x.get())),
                                         line_of("operation_launched", on_exec(), "csr::spmv"),
                                         line_of("operation_completed", on_exec(), "csr::spmv"),
                                         line_of("apply_completed", address(A), address(b.get()), address(x.get()))}));
}

TEST_F(Events, OfGenerate)
{
    const std::shared_ptr<LinOp> input = Copier::create(exec, 2);
    const auto factory = Product::build().with_factor(2.0).on(exec);
    factory->add_logger(recorder);

    const auto product = factory->generate(input);

    EXPECT_EQ(recorder->events, (strings{line_of("generate_started", address(factory.get()), address(input.get())),
                                         line_of("generate_completed", address(factory.get()), address(input.get()),
                                                 address(static_cast<LinOp*>(product.get())))}));
}

TEST_F(Events, OfProductsReachTheLoggersOfTheFactory)
{
    const auto factory = Product::build().with_loggers(recorder).on(exec);

    const auto product = factory->generate(Copier::create(exec, 2));

    ASSERT_EQ(product->get_loggers().size(), 1u);
    EXPECT_EQ(product->get_loggers()[0], recorder);
    recorder->events.clear();
    product->apply(this->vector({1.0, 2.0}), this->vector({3.0, 4.0}));
    EXPECT_EQ(recorder->names(), (strings{"apply_started", "apply_completed"}));
}

TEST_F(Events, OfSolveAreOneCheckAndOneIterationForEachCount)
{
    using spruce::stop::Iteration;
    const auto criterion = spruce::share(Iteration::build().with_max_iters(2).on(exec));
    const auto solver = spruce::solver::Cg<>::build().with_criteria(criterion).on(exec)->generate(
        spruce::initialize<Dense>({{1.0, 0.0, 0.0}, {0.0, 2.0, 0.0}, {0.0, 0.0, 3.0}}, exec));
    const auto b = this->vector({1.0, 1.0, 1.0});
    const auto x = this->vector({0.0, 0.0, 0.0});
    recorder = std::make_shared<Recorder>(Logger::criterion_events_mask | Logger::iteration_complete_mask |
                                          Logger::linop_events_mask);
    solver->add_logger(recorder);
    criterion->add_logger(recorder);

    solver->apply(b, x);

    const auto S = address(static_cast<LinOp*>(solver.get()));
    const auto X = address(static_cast<LinOp*>(x.get()));
    strings expected{line_of("apply_started", S, address(b.get()), X)};
    for (int it = 0; it < 3; ++it) {
        const auto stops = it == 2;
        expected.push_back(line_of("check_started", it, true, X, 1, true));
        expected.push_back(line_of("check_completed", it, true, X, 1, true, 1, stops, stops));
        expected.push_back(line_of("iteration_complete", S, it, true, X, true));
    }
    expected.push_back(line_of("apply_completed", S, address(b.get()), X));
    EXPECT_EQ(recorder->events, expected);
}

/// Overrides all forms of the two events that have several.
class AllForms : public Logger {
public:
    AllForms() : Logger{all_events_mask} {}

    void on_criterion_check_completed(const spruce::stop::Criterion*, const size_type&, const LinOp*, const LinOp*,
                                      const LinOp*, const uint8&, const bool&, const array<stopping_status>*,
                                      const bool&, const bool&) const override
    {
        calls.emplace_back("check 10");
    }
    void on_criterion_check_completed(const spruce::stop::Criterion*, const size_type&, const LinOp*, const LinOp*,
                                      const LinOp*, const LinOp*, const uint8&, const bool&,
                                      const array<stopping_status>*, const bool&, const bool&) const override
    {
        calls.emplace_back("check 11");
    }
    void on_iteration_complete(const LinOp*, const size_type&, const LinOp*, const LinOp*, const LinOp*) const override
    {
        calls.emplace_back("iteration 5");
    }
    void on_iteration_complete(const LinOp*, const size_type&, const LinOp*, const LinOp*, const LinOp*,
                               const LinOp*) const override
    {
        calls.emplace_back("iteration 6");
    }
    void on_iteration_complete(const LinOp*, const LinOp*, const LinOp*, const size_type&, const LinOp*, const LinOp*,
                               const LinOp*, const array<stopping_status>*, bool) const override
    {
        calls.emplace_back("iteration 9");
    }

    mutable strings calls;
};

/// Overrides only the middle form of the event that has three.
class MiddleForm : public Logger {
public:
    MiddleForm() : Logger{all_events_mask} {}
    void on_iteration_complete(const LinOp*, const size_type& it, const LinOp* r, const LinOp* x, const LinOp* tau,
                               const LinOp* implicit) const override
    {
        num_iterations = it;
        operands = {r, x, tau, implicit};
    }

    mutable size_type num_iterations{};
    mutable std::vector<const LinOp*> operands;
};

TEST_F(Events, InTheirLatestFormComeOnce)
{
    const spruce::stop::Criterion* criterion{};
    const LinOp* op{};
    array<stopping_status> status{exec};
    const AllForms logger;

    logger.on<Logger::criterion_check_completed>(criterion, size_type{}, op, op, op, op, uint8{}, false, &status, false,
                                                 false);
    logger.on<Logger::iteration_complete>(op, op, op, size_type{}, op, op, op, &status, false);

    EXPECT_EQ(logger.calls, (strings{"check 11", "iteration 9"}));
}

TEST_F(Events, OfANumberReachTheHandlerIfTheMaskHasThem)
{
    struct Counter : Logger {
        explicit Counter(mask_type mask) : Logger{mask} {}
        void on_allocation_started(const Executor*, const size_type& num_bytes) const override { started += num_bytes; }
        void on_free_started(const Executor*, const spruce::uintptr&) const override { ++freed; }
        mutable size_type started{};
        mutable int freed{};
    };
    const Counter listens{Logger::allocation_started_mask};

    listens.on<Logger::allocation_started>(exec.get(), size_type{8});
    listens.on<Logger::free_started>(exec.get(), spruce::uintptr{1});

    EXPECT_EQ(listens.started, 8u);
    EXPECT_EQ(listens.freed, 0);
}

TEST_F(Events, AreHandedOnToTheEarlierFormsWithTheirArguments)
{
    const spruce::stop::Criterion* criterion{};
    const auto solver = this->vector({1.0});
    const auto b = this->vector({1.0});
    const auto x = this->vector({1.0});
    const auto r = this->vector({1.0});
    const auto tau = this->vector({1.0});
    const auto implicit = this->vector({1.0});
    array<stopping_status> status{exec, 1};
    const MiddleForm middle;
    const auto X = address(static_cast<LinOp*>(x.get()));

    for (const Logger* logger : {static_cast<const Logger*>(recorder.get()), static_cast<const Logger*>(&middle)}) {
        logger->on<Logger::iteration_complete>(solver.get(), b.get(), x.get(), size_type{7}, r.get(), tau.get(),
                                               implicit.get(), &status, true);
    }
    recorder->on<Logger::criterion_check_completed>(criterion, size_type{8}, r.get(), tau.get(), implicit.get(),
                                                    x.get(), uint8{3}, true, &status, true, false);

    EXPECT_EQ(middle.num_iterations, 7u);
    EXPECT_EQ(middle.operands, (std::vector<const LinOp*>{r.get(), x.get(), tau.get(), implicit.get()}));
    EXPECT_EQ(recorder->events,
              (strings{line_of("iteration_complete", address(static_cast<LinOp*>(solver.get())), 7, true, X, true),
                       line_of("check_completed", 8, true, X, 3, true, 1, true, false)}));
}

TEST_F(Events, OfIterationNeedNoSolutionAndNorm)
{
    const auto r = this->vector({1.0});
    const LinOp* const solver = r.get();

    recorder->on<Logger::iteration_complete>(solver, size_type{4}, r.get());

    EXPECT_EQ(recorder->events,
              strings{line_of("iteration_complete", address(solver), 4, true, address(nullptr), false)});
}

TEST_F(Events, AreSelectedByMask)
{
    recorder = std::make_shared<Recorder>(Logger::free_started_mask | Logger::allocation_completed_mask);
    exec->add_logger(recorder);

    exec->free(exec->alloc<int>(1));

    EXPECT_EQ(recorder->names(), (strings{"allocation_completed", "free_started"}));
}

TEST(EventMasks, AreOneBitForEachEventAndGroupsOfThese)
{
    EXPECT_EQ(Logger::allocation_started, 0u);
    EXPECT_EQ(Logger::batch_solver_completed, 26u);
    EXPECT_EQ(Logger::zero_diagonal_replaced, 27u);
    EXPECT_EQ(Logger::sweeps_failed, 28u);
    EXPECT_EQ(Logger::hierarchy_generated, 29u);
    EXPECT_EQ(Logger::iteration_complete_mask, Logger::mask_type{1} << 21);
    EXPECT_EQ(Logger::executor_events_mask, 0x3fu);
    EXPECT_EQ(Logger::operation_events_mask, 0xc0u);
    EXPECT_EQ(Logger::polymorphic_object_events_mask, 0xc01f00u);
    EXPECT_EQ(Logger::linop_events_mask, 0x1e000u);
    EXPECT_EQ(Logger::linop_factory_events_mask, 0x60000u);
    EXPECT_EQ(Logger::criterion_events_mask, 0x180000u);
    EXPECT_EQ(Logger::batch_linop_factory_events_mask, 0x3000000u);
}

class Loggers : public Events {
protected:
    std::unique_ptr<Copier> object = Copier::create(exec, 1);
    std::shared_ptr<Recorder> other = std::make_shared<Recorder>();
};

TEST_F(Loggers, HearInTheOrderOfTheirAddition)
{
    object->add_logger(recorder);
    object->add_logger(other);

    EXPECT_EQ(object->get_loggers(), (std::vector<std::shared_ptr<const Logger>>{recorder, other}));
}

TEST_F(Loggers, MayNotBeNull)
{
    EXPECT_THROW(object->add_logger(nullptr), spruce::NotSupported);
    EXPECT_THROW(exec->add_logger(nullptr), spruce::NotSupported);

    EXPECT_TRUE(object->get_loggers().empty());
}

TEST_F(Loggers, CanBeRemoved)
{
    object->add_logger(recorder);
    object->add_logger(other);

    object->remove_logger(recorder);     // accepts a smart pointer
    object->remove_logger(other.get());  // and a plain pointer
    object->create_default();

    EXPECT_TRUE(object->get_loggers().empty());
    EXPECT_TRUE(recorder->events.empty());
}

TEST_F(Loggers, ThatAreUnknownCannotBeRemoved)
{
    object->add_logger(recorder);

    EXPECT_THROW(object->remove_logger(other), spruce::OutOfBoundsError);
    EXPECT_THROW(exec->remove_logger(other), spruce::OutOfBoundsError);
    EXPECT_EQ(object->get_loggers().size(), 1u);
}

TEST_F(Loggers, CanBeCleared)
{
    object->add_logger(recorder);
    object->add_logger(other);

    object->clear_loggers();

    EXPECT_TRUE(object->get_loggers().empty());
}

/// Removes itself from the object and adds another logger while it handles an event.
class SelfReplacing : public Logger {
public:
    SelfReplacing(spruce::log::Loggable* object, std::shared_ptr<const Logger> replacement)
        : object_{object}, replacement_{std::move(replacement)}
    {}
    void on_linop_apply_started(const LinOp*, const LinOp*, const LinOp*) const override
    {
        ++num_events;
        object_->add_logger(replacement_);
        object_->remove_logger(this);  // the last owner: this object lives until the handler returns
    }
    static inline int num_events = 0;

private:
    spruce::log::Loggable* object_;
    std::shared_ptr<const Logger> replacement_;
};

TEST_F(Loggers, MayRemoveThemselvesAndAddOthersInHandlers)
{
    object->add_logger(std::make_shared<SelfReplacing>(object.get(), recorder));
    const auto b = this->vector({1.0});
    const auto x = this->vector({2.0});
    recorder->events.clear();

    object->apply(b, x);
    object->apply(b, x);

    EXPECT_EQ(SelfReplacing::num_events, 1);
    EXPECT_EQ(object->get_loggers(), (std::vector<std::shared_ptr<const Logger>>{recorder}));
    EXPECT_FALSE(recorder->events.empty());
}

class Propagation : public Events {
protected:
    /// Performs operations on objects that cause every kind of event.
    void use_objects()
    {
        const auto op = Copier::create(exec, 1);
        const auto x = this->vector({2.0});
        recorder->events.clear();
        op->apply(this->vector({1.0}), x);
        x->create_default();
        x->move_from(this->vector({5.0}));
        Product::build().on(exec)->generate(op->clone());
    }

    size_type count(const std::string& name) const
    {
        const auto names = recorder->names();
        return static_cast<size_type>(std::count(names.begin(), names.end(), name));
    }

    std::shared_ptr<Recorder> propagated = std::make_shared<Recorder>(no_executor_events, true);
};

TEST_F(Propagation, BringsEachEventOfAnObjectOnce)
{
    recorder = propagated;
    exec->add_logger(recorder);
    const auto op = Copier::create(exec, 1);
    const auto b = this->vector({1.0});
    const auto x = this->vector({2.0});
    recorder->events.clear();

    op->apply(b, x);

    const auto A = address(static_cast<LinOp*>(op.get()));
    const auto B = address(static_cast<PolymorphicObject*>(b.get()));
    const auto X = address(static_cast<PolymorphicObject*>(x.get()));
    EXPECT_EQ(recorder->events,
              (strings{line_of("apply_started", A, B, X), line_of("object_copy_started", on_exec(), B, X),
                       line_of("object_copy_completed", on_exec(), B, X), line_of("apply_completed", A, B, X)}));
}

TEST_F(Propagation, ReachesAllKindsOfObjects)
{
    recorder = propagated;
    exec->add_logger(recorder);

    this->use_objects();

    EXPECT_EQ(this->count("apply_started"), 1u);
    EXPECT_EQ(this->count("apply_completed"), 1u);
    EXPECT_EQ(this->count("object_move_completed"), 1u);
    EXPECT_EQ(this->count("create_completed"), 2u);  // clone() creates an object, too
    EXPECT_EQ(this->count("generate_started"), 1u);
    EXPECT_EQ(this->count("generate_completed"), 1u);
}

TEST_F(Propagation, CanBeTurnedOff)
{
    recorder = propagated;
    exec->add_logger(recorder);
    exec->set_log_propagation_mode(spruce::log_propagation_mode::never);
    EXPECT_FALSE(exec->should_propagate_log());

    this->use_objects();

    EXPECT_EQ(this->count("apply_started"), 0u);
    EXPECT_EQ(this->count("generate_started"), 0u);
}

TEST_F(Propagation, IsOnlyForLoggersThatAskForIt)
{
    exec->add_logger(recorder);

    this->use_objects();

    EXPECT_EQ(this->count("apply_started"), 0u);
    EXPECT_EQ(this->count("generate_started"), 0u);
    EXPECT_GT(this->count("allocation_started"), 0u);
}

}  // namespace
