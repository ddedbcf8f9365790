// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Shows a user-defined stopping criterion, combined with those of the library. It stops the solver
// at the request of the application. The request may come from another thread or, as in this
// program, after a number of checks.
// usage: custom-stopping-criterion [EXECUTOR]

#include <atomic>

#include "../shared.hpp"

namespace {

using namespace example;

class OnRequest : public spruce::EnablePolymorphicObject<OnRequest, spruce::stop::Criterion> {
    friend class spruce::EnablePolymorphicObject<OnRequest, spruce::stop::Criterion>;

public:
    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory)
    {
        std::atomic<int>* SPRUCE_FACTORY_PARAMETER_SCALAR(checks_left, nullptr);
    };
    SPRUCE_ENABLE_CRITERION_FACTORY(OnRequest, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

protected:
    explicit OnRequest(std::shared_ptr<const spruce::Executor> exec)
        : EnablePolymorphicObject<OnRequest, spruce::stop::Criterion>(std::move(exec))
    {}
    OnRequest(const Factory* factory, const spruce::stop::CriterionArgs&)
        : EnablePolymorphicObject<OnRequest, spruce::stop::Criterion>(factory->get_executor()),
          parameters_{factory->get_parameters()}
    {}

    bool check_impl(spruce::uint8 stopping_id, bool set_finalized, spruce::array<spruce::stopping_status>* status,
                    bool* one_changed, const Updater&) override
    {
        const auto stops = --*parameters_.checks_left <= 0;
        if (stops) {
            this->set_all_statuses(stopping_id, set_finalized, status);
            *one_changed = true;
        }
        return stops;
    }
};

int solve(std::shared_ptr<spruce::Executor> exec)
{
    const auto data = laplacian(30);
    const auto a = spruce::share(spruce::matrix::Csr<double, index_type>::create(exec));
    a->read(data);
    const auto b = wave(exec, data.size[0]);
    const auto x = vector::create(exec, b->get_size());
    x->fill(0.0);
    std::atomic<int> checks_left{8};
    const auto solver = spruce::solver::Cg<double>::build()
                            .with_criteria(OnRequest::build().with_checks_left(&checks_left),
                                           spruce::stop::ResidualNorm<double>::build().with_reduction_factor(1e-8))
                            .on(exec)
                            ->generate(a);
    const auto log = spruce::share(spruce::log::Convergence<double>::create());
    solver->add_logger(log);

    solver->apply(b, x);

    std::cout << "stopped after " << log->get_num_iterations() << " iterations\n";
    return conclude(log->get_num_iterations() == 7 && !log->has_converged() &&
                    solver->get_stop_reasons().front() == spruce::stop_reason::criterion);
}

}  // namespace

int main(int argc, char* argv[]) { return run(argc, argv, solve); }
