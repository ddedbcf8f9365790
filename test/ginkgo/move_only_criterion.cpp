// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Stops a solve by a criterion with members that cannot be copied.

#include <ginkgo/ginkgo.hpp>

#include <memory>
#include <utility>
#include <vector>

#include "check.hpp"

class Stop : public gko::EnablePolymorphicObject<Stop, gko::stop::Criterion> {
    friend class gko::EnablePolymorphicObject<Stop, gko::stop::Criterion>;

public:
    GKO_CREATE_FACTORY_PARAMETERS(parameters, Factory) { gko::uint64 GKO_FACTORY_PARAMETER_SCALAR(max_iters, 5); };
    GKO_ENABLE_CRITERION_FACTORY(Stop, parameters, Factory);
    GKO_ENABLE_BUILD_METHOD(Factory);

protected:
    bool check_impl(gko::uint8 id, bool finalize, gko::array<gko::stopping_status>* status, bool* changed,
                    const Updater& updater) override
    {
        return criteria_[0]->check(id, finalize, status, changed, updater);
    }
    explicit Stop(std::shared_ptr<const gko::Executor> exec)
        : EnablePolymorphicObject<Stop, gko::stop::Criterion>(std::move(exec))
    {}
    explicit Stop(const Factory* factory, const gko::stop::CriterionArgs& args)
        : EnablePolymorphicObject<Stop, gko::stop::Criterion>(factory->get_executor()),
          parameters_{factory->get_parameters()}
    {
        criteria_.push_back(gko::stop::Iteration::build()
                                .with_max_iters(parameters_.max_iters)
                                .on(factory->get_executor())
                                ->generate(args));
    }

private:
    std::vector<std::unique_ptr<gko::stop::Criterion>> criteria_;
};

int main()
{
    using Dense = gko::matrix::Dense<double>;
    const auto exec = gko::ReferenceExecutor::create();
    const auto factory = gko::share(Stop::build().with_max_iters(2u).on(exec));
    const auto log = gko::share(gko::log::Convergence<>::create());
    const auto solver = gko::solver::Cg<>::build().with_criteria(factory).on(exec)->generate(
        gko::share(gko::initialize<Dense>({{4.0, 1.0, 0.0}, {1.0, 3.0, 1.0}, {0.0, 1.0, 5.0}}, exec)));
    solver->add_logger(log);

    solver->apply(gko::initialize<Dense>({1.0, 2.0, 3.0}, exec), gko::initialize<Dense>({0.0, 0.0, 0.0}, exec));

    print("iterations until the criterion ends the solve", log->get_num_iterations());
    const auto criterion = factory->generate(nullptr, nullptr, nullptr);
    print("a copy of the criterion throws", thrown_by([&] { criterion->clone(); }));
    print("limit by default", Stop::build().on(exec)->get_parameters().max_iters);
    return exit_status();
}
