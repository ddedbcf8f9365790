// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/stop/criterion.hpp>

namespace spruce {
namespace stop {

/// Stops all running columns, without convergence, once max_iters iterations are done (default: 0).
class SPRUCE_EXPORT Iteration : public EnablePolymorphicObject<Iteration, Criterion> {
    friend class EnablePolymorphicObject<Iteration, Criterion>;

public:
    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory) { size_type SPRUCE_FACTORY_PARAMETER_SCALAR(max_iters, 0); };
    SPRUCE_DECLARE_CRITERION_FACTORY(Iteration, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    stop_reason get_stop_reason(uint8) const override { return stop_reason::iteration_limit; }

protected:
    bool check_impl(uint8 stopping_id, bool set_finalized, array<stopping_status>* status, bool* one_changed,
                    const Updater& updater) override;
    bool append_bounds_impl(uint8 stopping_id, size_type iteration, std::vector<residual_bound>& bounds) const override;
    explicit Iteration(std::shared_ptr<const Executor> exec)
        : EnablePolymorphicObject<Iteration, Criterion>(std::move(exec))
    {}
    Iteration(const Factory* factory, const CriterionArgs&)
        : EnablePolymorphicObject<Iteration, Criterion>(factory->get_executor()), parameters_{factory->get_parameters()}
    {}
};

}  // namespace stop
}  // namespace spruce
