// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/stop/criterion.hpp>

#include <array>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::share;
using spruce::stop_reason;
using spruce::stopping_status;

namespace stop = spruce::stop;

TEST(StoppingStatus, RunsAtFirst)
{
    const stopping_status status;

    EXPECT_FALSE(status.has_stopped());
    EXPECT_FALSE(status.has_converged());
    EXPECT_FALSE(status.is_finalized());
    EXPECT_EQ(status.get_id(), 0);
}

TEST(StoppingStatus, NamesEachReasonInItsOwnWords)
{
    const auto in_words = [](auto number) {
        std::ostringstream text;
        text << static_cast<stop_reason>(number);
        return text.str();
    };
    std::set<std::string> seen;
    for (auto reason = 0; reason <= static_cast<int>(stop_reason::not_finite); ++reason) {
        EXPECT_TRUE(seen.insert(in_words(reason)).second) << in_words(reason);
    }
    EXPECT_EQ(in_words(stop_reason::breakdown_inner_product), "breakdown: inner product");
    EXPECT_EQ(in_words(200), "unknown stop_reason");
    EXPECT_EQ(seen.count("unknown stop_reason"), 0u);
}

TEST(StoppingStatus, StopsOnceAndForAll)
{
    stopping_status stopped;
    stopping_status converged;

    stopped.stop(5);
    stopped.converge(6);
    converged.converge(47, false);
    converged.stop(6);

    EXPECT_TRUE(stopped.has_stopped());
    EXPECT_FALSE(stopped.has_converged());
    EXPECT_TRUE(stopped.is_finalized());
    EXPECT_EQ(stopped.get_id(), 5);
    EXPECT_TRUE(converged.has_converged());
    EXPECT_FALSE(converged.is_finalized());
    EXPECT_EQ(converged.get_id(), 47);
    converged.finalize();
    EXPECT_TRUE(converged.is_finalized());
    EXPECT_NE(stopped, converged);
    converged.reset();
    EXPECT_EQ(converged, stopping_status{});
    converged.finalize();  // nothing to finalise
    EXPECT_FALSE(converged.is_finalized());
}

TEST(StoppingStatus, KeepsTheIdsOfCriteriaApartFromItsOwnReasons)
{
    for (const spruce::uint8 id : {47, 48, 50, 63, 64, 255}) {
        stopping_status stopped;
        stopping_status converged;

        stopped.stop(id);
        converged.converge(id);

        EXPECT_EQ(stopped.get_id(), stopping_status::max_criterion_id);
        EXPECT_EQ(stopped.get_reason(), stop_reason::criterion);
        EXPECT_EQ(converged.get_id(), stopping_status::max_criterion_id);
        EXPECT_EQ(converged.get_reason(), stop_reason::converged);
    }
    for (auto number = 1; number <= static_cast<int>(stop_reason::not_finite); ++number) {
        stopping_status status;

        status.stop(static_cast<stop_reason>(number));

        EXPECT_EQ(status.get_reason(), static_cast<stop_reason>(number));
        EXPECT_EQ(status.has_converged(), status.get_reason() == stop_reason::converged);
    }
}

template <typename Types>
class Criteria : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::real;
    using ResidualNorm = stop::ResidualNorm<V>;
    using ImplicitResidualNorm = stop::ImplicitResidualNorm<V>;

    void SetUp() override
    {
        // ||b|| = (5, 10), and the initial residual b - A x has norms (4, 10).
        a = this->csr({{1, 0}, {0, 2}});
        b = this->dense({{3, 6}, {4, 8}});
        x = this->dense({{3, 0}, {0, 0}});
        residual = this->dense({{0, 6}, {4, 8}});
        this->running();
    }

    void running()
    {
        const std::vector<stopping_status> two(2);
        status = array<stopping_status>{this->exec, two.begin(), two.end()};
    }

    std::unique_ptr<stop::Criterion> make(std::shared_ptr<const stop::CriterionFactory> factory) const
    {
        return factory->generate(a, b, x.get(), residual.get());
    }

    /// Checks with these residual norms.
    bool check_norms(stop::Criterion& criterion, std::initializer_list<real> norms)
    {
        const auto tau = this->real_dense({norms});
        changed = false;
        return criterion.update().residual_norm(tau.get()).check(1, true, &status, &changed);
    }

    std::vector<bool> converged() const
    {
        std::vector<bool> result;
        for (const auto& column : status.copy_to_host()) {
            result.push_back(column.has_converged());
        }
        return result;
    }

    std::shared_ptr<spruce::LinOp> a;
    std::shared_ptr<typename kernel_test<Types>::Dense> b;
    std::shared_ptr<typename kernel_test<Types>::Dense> x;
    std::shared_ptr<typename kernel_test<Types>::Dense> residual;
    array<stopping_status> status;
    bool changed{};
};
TYPED_TEST_SUITE(Criteria, value_types, type_names);

using columns = std::vector<bool>;

TYPED_TEST(Criteria, IterationStopsAllColumnsAtItsLimitWithoutConvergence)
{
    const auto criterion = this->make(share(stop::Iteration::build().with_max_iters(3u).on(this->exec)));

    EXPECT_FALSE(criterion->update().num_iterations(2).check(1, true, &this->status, &this->changed));
    EXPECT_FALSE(this->changed);
    EXPECT_TRUE(criterion->update().num_iterations(3).check(1, true, &this->status, &this->changed));
    EXPECT_TRUE(this->changed);
    EXPECT_EQ(this->converged(), (columns{false, false}));
    for (const auto& column : this->status.copy_to_host()) {
        EXPECT_TRUE(column.has_stopped());
        EXPECT_EQ(column.get_id(), 1);
    }
}

TYPED_TEST(Criteria, IterationStopsAtOnceByDefault)
{
    const auto criterion = this->make(share(stop::Iteration::build().on(this->exec)));

    EXPECT_TRUE(criterion->update().num_iterations(0).check(1, true, &this->status, &this->changed));
}

TYPED_TEST(Criteria, TimeStopsAllColumnsWithoutConvergence)
{
    using namespace std::chrono_literals;
    const auto patient = this->make(share(stop::Time::build().on(this->exec)));
    const auto hasty = this->make(share(stop::Time::build().with_time_limit(1ms).on(this->exec)));
    std::this_thread::sleep_for(2ms);

    EXPECT_FALSE(patient->update().check(1, true, &this->status, &this->changed));
    EXPECT_TRUE(hasty->update().check(1, true, &this->status, &this->changed));
    EXPECT_TRUE(this->changed);
    EXPECT_EQ(this->converged(), (columns{false, false}));
}

TYPED_TEST(Criteria, ResidualNormComparesWithRightHandSide)
{
    using real = typename TestFixture::real;
    const auto criterion =
        this->make(share(TestFixture::ResidualNorm::build().with_reduction_factor(real(0.5)).on(this->exec)));

    EXPECT_FALSE(this->check_norms(*criterion, {2.6, 5.0}));
    EXPECT_EQ(this->converged(), (columns{false, true}));
    EXPECT_TRUE(this->changed);
    EXPECT_FALSE(this->check_norms(*criterion, {2.6, 100}));
    EXPECT_FALSE(this->changed);
    EXPECT_TRUE(this->check_norms(*criterion, {2.5, 100}));
    EXPECT_EQ(this->converged(), (columns{true, true}));
}

TYPED_TEST(Criteria, ResidualNormComparesWithInitialResidual)
{
    using real = typename TestFixture::real;
    const auto factory = share(TestFixture::ResidualNorm::build()
                                   .with_reduction_factor(real(0.5))
                                   .with_baseline(stop::mode::initial_resnorm)
                                   .on(this->exec));
    const auto given = this->make(factory);
    const std::unique_ptr<stop::Criterion> computed = factory->generate(this->a, this->b, this->x.get());

    for (const auto criterion : {given.get(), computed.get()}) {
        this->running();
        EXPECT_FALSE(this->check_norms(*criterion, {2.1, 5.0}));
        EXPECT_EQ(this->converged(), (columns{false, true}));
        EXPECT_TRUE(this->check_norms(*criterion, {2.0, 5.0}));
    }
}

TYPED_TEST(Criteria, ResidualNormComparesWithOne)
{
    using real = typename TestFixture::real;
    const auto criterion = this->make(share(TestFixture::ResidualNorm::build()
                                                .with_reduction_factor(real(0.5))
                                                .with_baseline(stop::mode::absolute)
                                                .on(this->exec)));

    EXPECT_FALSE(this->check_norms(*criterion, {0.5, 0.51}));
    EXPECT_EQ(this->converged(), (columns{true, false}));
}

TYPED_TEST(Criteria, OlderSpellingsMeanResidualNormWithABaseline)
{
    using V = typename TypeParam::value_type;
    using real = typename TestFixture::real;
    using ResidualNorm = typename TestFixture::ResidualNorm;
    const auto half = real(0.5);
    const auto with = [&](stop::mode baseline) {
        return this->make(
            share(ResidualNorm::build().with_reduction_factor(half).with_baseline(baseline).on(this->exec)));
    };
    struct pair {
        std::unique_ptr<stop::Criterion> older;
        std::unique_ptr<stop::Criterion> newer;
    };
    std::vector<pair> pairs;
    pairs.push_back(
        {this->make(share(stop::ResidualNormReduction<V>::build().with_reduction_factor(half).on(this->exec))),
         with(stop::mode::initial_resnorm)});
    pairs.push_back({this->make(share(stop::RelativeResidualNorm<V>::build().with_tolerance(half).on(this->exec))),
                     with(stop::mode::rhs_norm)});
    pairs.push_back({this->make(share(stop::AbsoluteResidualNorm<V>::build().with_tolerance(half).on(this->exec))),
                     with(stop::mode::absolute)});

    for (const auto& [older, newer] : pairs) {
        // ||b|| = (5, 10), and the initial residual is (4, 10). Each pair of norms but the first
        // stops one more column with one of the baselines.
        for (const auto& norms : std::vector<std::array<real, 2>>{{3, 6}, {2.5, 6}, {2, 6}, {0.5, 0.6}, {0.5, 0.5}}) {
            this->running();
            const auto is_done = this->check_norms(*older, {norms[0], norms[1]});
            const auto converged = this->converged();
            this->running();
            EXPECT_EQ(is_done, this->check_norms(*newer, {norms[0], norms[1]}));
            EXPECT_EQ(converged, this->converged());
        }
        std::vector<stop::residual_bound> bounds;
        EXPECT_TRUE(older->append_bounds(1, 0, bounds));  // solvers may check later, as with the newer class
        EXPECT_TRUE(newer->append_bounds(1, 0, bounds));
        EXPECT_EQ(bounds[0].factor, bounds[1].factor);
        EXPECT_MTX_NEAR(bounds[0].baseline, bounds[1].baseline, 0.0);
    }
    EXPECT_EQ(stop::ResidualNormReduction<V>::build().on(this->exec)->get_parameters().reduction_factor,
              5 * std::numeric_limits<real>::epsilon());
}

TYPED_TEST(Criteria, OlderSpellingsServeSolvers)
{
    using V = typename TypeParam::value_type;
    const auto matrix = share(this->csr({{4, 1, 0}, {1, 3, 1}, {0, 1, 5}}));
    const auto b = this->dense({{1}, {2}, {3}});
    const auto log = share(spruce::log::Convergence<V>::create());
    const auto num_iterations = [&](auto criterion) {
        const auto solver = spruce::solver::Cg<V>::build()
                                .with_criteria(stop::Iteration::build().with_max_iters(99), criterion)
                                .on(this->exec)
                                ->generate(matrix);
        solver->add_logger(log);
        solver->apply(b, this->dense({{0}, {0}, {0}}));
        EXPECT_TRUE(log->has_converged());
        return log->get_num_iterations();
    };

    const auto expected = num_iterations(stop::ResidualNorm<V>::build().with_reduction_factor(0.01));

    EXPECT_EQ(num_iterations(stop::RelativeResidualNorm<V>::build().with_tolerance(0.01)), expected);
    EXPECT_EQ(num_iterations(stop::ResidualNormReduction<V>::build().with_reduction_factor(0.01)), expected);
    EXPECT_GE(num_iterations(stop::AbsoluteResidualNorm<V>::build().with_tolerance(0.01)), expected);
}

TYPED_TEST(Criteria, ResidualNormUsesWhatTheSolverGives)
{
    using real = typename TestFixture::real;
    const auto factory = share(TestFixture::ResidualNorm::build().with_reduction_factor(real(0.9)).on(this->exec));
    const auto criterion = this->make(factory);

    // Given the residual, the norms are 4 <= 0.9 * 5 and 10 > 0.9 * 10.
    EXPECT_FALSE(criterion->update().residual(this->residual.get()).check(1, true, &this->status, &this->changed));
    EXPECT_EQ(this->converged(), (columns{true, false}));

    // Given only x, the criterion computes b - A x and the same norms.
    this->running();
    EXPECT_FALSE(criterion->update().solution(this->x.get()).check(1, true, &this->status, &this->changed));
    EXPECT_EQ(this->converged(), (columns{true, false}));

    // A given norm has priority over the residual.
    this->running();
    const auto tau = this->real_dense({{100, 0}});
    EXPECT_FALSE(criterion->update()
                     .residual(this->residual.get())
                     .residual_norm(tau.get())
                     .check(1, true, &this->status, &this->changed));
    EXPECT_EQ(this->converged(), (columns{false, true}));

    EXPECT_THROW(criterion->update().check(1, true, &this->status, &this->changed), spruce::NotSupported);
}

TYPED_TEST(Criteria, ResidualNormSkipsTheCheckWhenTold)
{
    const auto criterion = this->make(share(TestFixture::ResidualNorm::build().on(this->exec)));
    const auto tau = this->real_dense({{0, 0}});

    EXPECT_FALSE(criterion->update().residual_norm(tau.get()).ignore_residual_check(true).check(1, true, &this->status,
                                                                                                &this->changed));
}

TYPED_TEST(Criteria, NanNeverConverges)
{
    const auto nan = spruce::nan<typename TestFixture::real>();
    const auto criterion = this->make(share(TestFixture::ResidualNorm::build().on(this->exec)));

    EXPECT_FALSE(this->check_norms(*criterion, {nan, nan}));
    EXPECT_EQ(this->converged(), (columns{false, false}));
}

TYPED_TEST(Criteria, ZeroRightHandSideConvergesOnlyWithZeroResidual)
{
    this->b->fill(0);
    const auto criterion = this->make(share(TestFixture::ResidualNorm::build().on(this->exec)));

    EXPECT_FALSE(this->check_norms(*criterion, {0, 1e-30}));
    EXPECT_EQ(this->converged(), (columns{true, false}));
}

TYPED_TEST(Criteria, ResidualNormHasATightDefault)
{
    EXPECT_EQ(TestFixture::ResidualNorm::build().on(this->exec)->get_parameters().reduction_factor,
              5 * std::numeric_limits<typename TestFixture::real>::epsilon());
    EXPECT_EQ(TestFixture::ResidualNorm::build().on(this->exec)->get_parameters().baseline, stop::mode::rhs_norm);
}

TYPED_TEST(Criteria, ImplicitResidualNormTakesTheRoot)
{
    using real = typename TestFixture::real;
    const auto criterion =
        this->make(share(TestFixture::ImplicitResidualNorm::build().with_reduction_factor(real(0.5)).on(this->exec)));
    const auto tau = this->dense({{7, 25}});

    EXPECT_FALSE(
        criterion->update().implicit_sq_residual_norm(tau.get()).check(1, true, &this->status, &this->changed));
    EXPECT_EQ(this->converged(), (columns{false, true}));
    EXPECT_THROW_WITH(criterion->update().residual_norm(tau.get()).check(1, true, &this->status, &this->changed),
                      spruce::NotSupported, "without implicit residual norm");
}

struct check_log : spruce::log::Logger {
    void on_criterion_check_completed(const stop::Criterion*, const spruce::size_type&, const spruce::LinOp*,
                                      const spruce::LinOp*, const spruce::LinOp*, const spruce::uint8& id, const bool&,
                                      const array<stopping_status>*, const bool&, const bool& all) const override
    {
        text += std::to_string(id) + (all ? " all; " : "; ");
    }
    mutable std::string text;
};

TYPED_TEST(Criteria, CombinedChecksInOrderUntilOneStopsEverything)
{
    const auto log = std::make_shared<check_log>();
    const auto combined = share(stop::Combined::build()
                                    .with_criteria(TestFixture::ResidualNorm::build()
                                                       .with_reduction_factor(typename TestFixture::real(0.5))
                                                       .with_loggers(log),
                                                   stop::Iteration::build().with_max_iters(2).with_loggers(log),
                                                   stop::Time::build().with_loggers(log))
                                    .on(this->exec));
    const auto criterion = this->make(combined);
    const auto tau = this->real_dense({{100, 1}});

    EXPECT_FALSE(
        criterion->update().num_iterations(0).residual_norm(tau.get()).check(9, true, &this->status, &this->changed));
    EXPECT_EQ(log->text, "1; 2; 3; ");
    EXPECT_TRUE(this->changed);  // the second column, by the first criterion
    log->text.clear();
    EXPECT_TRUE(
        criterion->update().num_iterations(2).residual_norm(tau.get()).check(9, true, &this->status, &this->changed));
    EXPECT_EQ(log->text, "1; 2 all; ");  // the third criterion is not checked
    const auto status = this->status.copy_to_host();
    EXPECT_EQ(status[0].get_id(), 2);
    EXPECT_FALSE(status[0].has_converged());
    EXPECT_EQ(status[1].get_id(), 1);
    EXPECT_TRUE(status[1].has_converged());
}

TYPED_TEST(Criteria, CombineGivesTheSimplestFactory)
{
    const std::shared_ptr<const stop::CriterionFactory> one = stop::Iteration::build().on(this->exec);
    const std::shared_ptr<const stop::CriterionFactory> two = stop::Time::build().on(this->exec);

    EXPECT_EQ(stop::combine({one}), one);
    EXPECT_NE(dynamic_cast<const stop::Combined::Factory*>(stop::combine({one, two}).get()), nullptr);
    EXPECT_THROW_WITH(stop::combine({}), spruce::NotSupported, "with_criteria");
}

TYPED_TEST(Criteria, AfterTheFirstMayBeNull)
{
    using V = typename TypeParam::value_type;
    using list = std::vector<std::shared_ptr<const stop::CriterionFactory>>;
    const std::shared_ptr<const stop::CriterionFactory> one = stop::Iteration::build().with_max_iters(3).on(this->exec);
    const std::shared_ptr<const stop::CriterionFactory> none;
    const auto a = share(this->csr({{4, 1, 0}, {1, 3, 1}, {0, 1, 5}}));
    const auto iterations_with = [&](auto... criteria) {
        const auto log = share(spruce::log::Convergence<V>::create());
        const auto solver =
            spruce::solver::Chebyshev<V>::build()  // has no implicit norm and searches for criteria that need one
                .with_foci(V{2}, V{6})
                .with_criteria(criteria...)
                .on(this->exec)
                ->generate(a);
        solver->add_logger(log);
        solver->apply(this->dense({{1}, {2}, {3}}), this->dense({{0}, {0}, {0}}));
        return log->get_num_iterations();
    };

    EXPECT_EQ(stop::combine({one, nullptr, nullptr}), one);
    EXPECT_EQ(iterations_with(one, nullptr), 3u);
    EXPECT_EQ(iterations_with(one, none, one), 3u);
    EXPECT_EQ(iterations_with(list{one, none}), 3u);
    EXPECT_EQ(iterations_with(stop::Combined::build().with_criteria(one, none)), 3u);
    EXPECT_THROW_WITH(stop::combine({nullptr, one}), spruce::NotSupported, "null");
    EXPECT_THROW_WITH(stop::combine({nullptr, nullptr}), spruce::NotSupported, "null");
    EXPECT_THROW_WITH(iterations_with(none, none), spruce::NotSupported, "null");
    EXPECT_THROW_WITH(stop::Combined::build().with_criteria(none, one).on(this->exec), spruce::NotSupported, "null");
}

TYPED_TEST(Criteria, AreUpdatedByAnyPointer)
{
    const auto criterion = TestFixture::ResidualNorm::build()
                               .with_reduction_factor(typename TestFixture::real(0.5))
                               .with_baseline(stop::mode::absolute)
                               .on(this->exec)
                               ->generate(nullptr, share(this->dense({{0, 0}})), nullptr);
    const std::unique_ptr<spruce::LinOp> solution = this->dense({{1, 1}});
    const auto check = [&](const auto& updater) {
        return updater.num_iterations(1).check(1, true, &this->status, &this->changed);
    };

    EXPECT_FALSE(check(criterion->update().residual(this->dense({{1, 1}})).solution(solution)));
    EXPECT_FALSE(check(criterion->update().residual_norm(share(this->real_dense({{1, 1}})))));
    EXPECT_TRUE(
        check(criterion->update().implicit_sq_residual_norm(nullptr).residual_norm(this->real_dense({{0, 0}}))));
}

/// Stops columns after a given number of checks, as a criterion of an application.
class CheckLimit : public spruce::EnablePolymorphicObject<CheckLimit, stop::Criterion> {
    friend class spruce::EnablePolymorphicObject<CheckLimit, stop::Criterion>;

public:
    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory) { int SPRUCE_FACTORY_PARAMETER_SCALAR(checks, 2); };
    SPRUCE_ENABLE_CRITERION_FACTORY(CheckLimit, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

protected:
    bool check_impl(spruce::uint8 id, bool finalize, array<stopping_status>* status, bool* changed,
                    const Updater&) override
    {
        const auto stops = ++num_checks_ >= parameters_.checks;
        if (stops) {
            this->set_all_statuses(id, finalize, status);
            *changed = true;
        }
        return stops;
    }
    explicit CheckLimit(std::shared_ptr<const spruce::Executor> exec)
        : spruce::EnablePolymorphicObject<CheckLimit, stop::Criterion>(std::move(exec))
    {}
    CheckLimit(const Factory* factory, const stop::CriterionArgs&)
        : spruce::EnablePolymorphicObject<CheckLimit, stop::Criterion>(factory->get_executor()),
          parameters_{factory->get_parameters()}
    {}

private:
    int num_checks_{};
};

TYPED_TEST(Criteria, OfAnApplicationServeSolvers)
{
    using V = typename TypeParam::value_type;
    const auto log = share(spruce::log::Convergence<V>::create());
    const auto solver =
        spruce::solver::Cg<V>::build()
            .with_criteria(CheckLimit::build().with_checks(3), stop::Iteration::build().with_max_iters(99))
            .on(this->exec)
            ->generate(share(this->csr({{4, 1, 0}, {1, 3, 1}, {0, 1, 5}})));
    solver->add_logger(log);
    const auto x = this->dense({{0}, {0}, {0}});

    solver->apply(this->dense({{1}, {2}, {3}}), x);

    EXPECT_EQ(log->get_num_iterations(), 2u);
    EXPECT_FALSE(log->has_converged());
}

TYPED_TEST(Criteria, CombinedNumbersTheMembersOfItsMembers)
{
    using ResidualNorm = typename TestFixture::ResidualNorm;
    const auto norm = ResidualNorm::build().with_reduction_factor(typename TestFixture::real(0.5));
    const auto inner = stop::Combined::build().with_criteria(norm, stop::Iteration::build().with_max_iters(5));
    const auto criterion = this->make(share(stop::Combined::build()
                                                .with_criteria(norm, stop::Combined::build().with_criteria(inner, norm),
                                                               stop::Time::build(), CheckLimit::build())
                                                .on(this->exec)));

    EXPECT_EQ(criterion->get_stop_reason(0), stop_reason::criterion);
    EXPECT_EQ(criterion->get_stop_reason(1), stop_reason::criterion);
    EXPECT_EQ(criterion->get_stop_reason(3), stop_reason::iteration_limit);
    EXPECT_EQ(criterion->get_stop_reason(4), stop_reason::criterion);
    EXPECT_EQ(criterion->get_stop_reason(5), stop_reason::time_limit);
    EXPECT_EQ(criterion->get_stop_reason(6), stop_reason::criterion);
    const auto tau = this->real_dense({{100, 1}});
    EXPECT_TRUE(
        criterion->update().num_iterations(5).residual_norm(tau.get()).check(1, true, &this->status, &this->changed));
    EXPECT_EQ(this->status.copy_to_host()[0].get_id(), 3);
    EXPECT_EQ(this->status.copy_to_host()[1].get_id(), 1);
}

TYPED_TEST(Criteria, CombinedNumbersBoundsThatTheDeviceChecks)
{
    using ResidualNorm = typename TestFixture::ResidualNorm;
    const auto inner =
        stop::Combined::build().with_criteria(ResidualNorm::build(), stop::Iteration::build().with_max_iters(5));
    const auto criterion = this->make(share(
        stop::Combined::build().with_criteria(ResidualNorm::build(), inner, ResidualNorm::build()).on(this->exec)));
    std::vector<stop::residual_bound> bounds;

    EXPECT_TRUE(criterion->append_bounds(1, 0, bounds));

    ASSERT_EQ(bounds.size(), 3u);
    EXPECT_EQ(bounds[0].id, 1);
    EXPECT_EQ(bounds[1].id, 2);
    EXPECT_EQ(bounds[2].id, 4);
}

TYPED_TEST(Criteria, NestedLimitsGiveTheirOwnReason)
{
    using V = typename TypeParam::value_type;
    const auto inner = stop::Combined::build().with_criteria(stop::ResidualNorm<V>::build(),
                                                             stop::Iteration::build().with_max_iters(1));
    const auto solver = spruce::solver::Cg<V>::build()
                            .with_criteria(inner, stop::Time::build().with_time_limit(std::chrono::seconds(100)))
                            .on(this->exec)
                            ->generate(share(this->csr({{4, 1, 0}, {1, 3, 1}, {0, 1, 5}})));

    // The second column has converged before, which a device reports some steps late.
    solver->apply(this->dense({{1, 0}, {2, 0}, {3, 0}}), this->dense({{0, 0}, {0, 0}, {0, 0}}));

    EXPECT_EQ(solver->get_stop_reasons(),
              (std::vector<stop_reason>{stop_reason::iteration_limit, stop_reason::converged}));
}

TYPED_TEST(Criteria, CombinedNeedsMembersAndNumbersForThem)
{
    using list = std::vector<std::shared_ptr<const stop::CriterionFactory>>;
    const std::shared_ptr<const stop::CriterionFactory> one = stop::Iteration::build().on(this->exec);
    const auto of = [&](const list& criteria) { return stop::Combined::build().with_criteria(criteria); };
    const auto cleared = share(of({one, one}).on(this->exec));
    cleared->clear();

    EXPECT_THROW_WITH(stop::Combined::build().on(this->exec), spruce::NotSupported, "an empty list of criteria");
    EXPECT_THROW_WITH(of({}).on(this->exec), spruce::NotSupported, "an empty list of criteria");
    EXPECT_THROW_WITH(this->make(cleared), spruce::NotSupported, "an empty list of criteria");
    EXPECT_NO_THROW(of(list(47, one)).on(this->exec));
    EXPECT_THROW_WITH(of(list(48, one)).on(this->exec), spruce::NotSupported, "48 criteria");
    EXPECT_THROW_WITH(of({one, share(of(list(47, one)).on(this->exec))}).on(this->exec), spruce::NotSupported,
                      "48 criteria");
}

TYPED_TEST(Criteria, ResidualNormNeedsANormAndAStatusForEachColumn)
{
    using real = typename TestFixture::real;
    const auto criterion =
        this->make(share(TestFixture::ResidualNorm::build().with_reduction_factor(real(0.5)).on(this->exec)));

    EXPECT_THROW_WITH(this->check_norms(*criterion, {1, 2, 3}), spruce::DimensionMismatch, "the norm is 1 x 3");
    const std::vector<stopping_status> three(3);
    this->status = array<stopping_status>{this->exec, three.begin(), three.end()};
    EXPECT_THROW_WITH(this->check_norms(*criterion, {1, 2}), spruce::DimensionMismatch,
                      "the array of statuses is 1 x 3");
}

TYPED_TEST(Criteria, CombinedSeesThatAllColumnsHaveStoppedForOtherReasons)
{
    const auto criterion =
        this->make(share(stop::Combined::build()
                             .with_criteria(CheckLimit::build().with_checks(99), CheckLimit::build().with_checks(99))
                             .on(this->exec)));
    std::vector<stopping_status> broken(2);

    broken[0].stop(stop_reason::breakdown_curvature);
    this->status = array<stopping_status>{this->exec, broken.begin(), broken.end()};
    EXPECT_FALSE(criterion->update().num_iterations(0).check(1, true, &this->status, &this->changed));
    broken[1].stop(stop_reason::not_finite);
    this->status = array<stopping_status>{this->exec, broken.begin(), broken.end()};
    EXPECT_TRUE(criterion->update().num_iterations(0).check(1, true, &this->status, &this->changed));
    EXPECT_FALSE(this->changed);
}

}  // namespace
