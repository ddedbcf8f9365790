// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Passes parameters that are factories as factories or as the parameters of a factory.

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
    print("empty: not given, null", nothing.is_empty(), null.is_empty());
    print("empty: parameters, shared_ptr, unique_ptr", of_parameters.is_empty(), of_shared.is_empty(),
          of_unique.is_empty());
    print("null gives no factory", null.on(exec) == nullptr);
    print("a factory is used as it is", of_shared.on(exec) == factory);
    const auto generated = of_parameters.on(exec);
    print("parameters of Cg make a factory of Cg",
          std::dynamic_pointer_cast<const gko::solver::Cg<>::Factory>(generated) != nullptr);
    check(generated->get_executor() == exec, "parameters make a factory on the executor");
    return exit_status();
}
