// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Parameters that are factories may be given as factories or as the parameters of one.

#include <ginkgo/ginkgo.hpp>

#include "check.hpp"

using Parameter = gko::deferred_factory_parameter<gko::LinOpFactory>;

int main()
{
    const auto exec = gko::ReferenceExecutor::create();
    const auto parameters = gko::solver::Cg<>::build().with_criteria(gko::stop::Iteration::build().with_max_iters(3u));
    std::shared_ptr<gko::LinOpFactory> factory = parameters.on(exec);

    const Parameter nothing;
    const Parameter null{nullptr};
    Parameter of_parameters{parameters};
    Parameter of_shared{factory};
    Parameter of_unique{gko::solver::Cg<>::build().on(exec)};
    check(nothing.is_empty() && null.is_empty() == false, "only a parameter that was not given is empty");
    check(!of_parameters.is_empty() && !of_shared.is_empty() && !of_unique.is_empty(), "given parameters");
    check(null.on(exec) == nullptr, "a null factory");
    check(of_shared.on(exec) == factory, "a factory is used as it is");
    const auto generated = of_parameters.on(exec);
    check(gko::as<gko::solver::Cg<>::Factory>(generated) != nullptr, "parameters make a factory on the executor");
    check(generated->get_executor() == exec, "parameters make a factory on the executor");
    return exit_status();
}
