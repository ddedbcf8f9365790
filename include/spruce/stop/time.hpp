// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>

#include <spruce/stop/criterion.hpp>

namespace spruce {
namespace stop {

/// Stops all running columns, without convergence, once time_limit has passed since the solve began
/// (default: 10 seconds).
class SPRUCE_EXPORT Time : public EnablePolymorphicObject<Time, Criterion> {
    friend class EnablePolymorphicObject<Time, Criterion>;

public:
    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory)
    {
        std::chrono::nanoseconds SPRUCE_FACTORY_PARAMETER_SCALAR(time_limit, 10000000000LL);
    };
    SPRUCE_DECLARE_CRITERION_FACTORY(Time, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    stop_reason get_stop_reason(uint8) const override { return stop_reason::time_limit; }

protected:
    bool check_impl(uint8 stopping_id, bool set_finalized, array<stopping_status>* status, bool* one_changed,
                    const Updater& updater) override;
    bool append_bounds_impl(uint8 stopping_id, size_type iteration, std::vector<residual_bound>& bounds) const override;
    explicit Time(std::shared_ptr<const Executor> exec) : EnablePolymorphicObject<Time, Criterion>(std::move(exec)) {}
    Time(const Factory* factory, const CriterionArgs&)
        : EnablePolymorphicObject<Time, Criterion>(factory->get_executor()),
          parameters_{factory->get_parameters()},
          start_{std::chrono::steady_clock::now()}
    {}

private:
    std::chrono::steady_clock::time_point start_{};
};

}  // namespace stop
}  // namespace spruce
