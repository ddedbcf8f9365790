// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <initializer_list>
#include <vector>

#include <spruce/stop/criterion.hpp>

namespace spruce {
namespace stop {

/// Several criteria, checked in their order; the first by which all columns have stopped ends the check.
/// Member k stops columns with id k, counted from 1.
class SPRUCE_EXPORT Combined : public EnablePolymorphicObject<Combined, Criterion> {
    friend class EnablePolymorphicObject<Combined, Criterion>;

public:
    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory)
    {
        std::vector<std::shared_ptr<const CriterionFactory>> SPRUCE_DEFERRED_FACTORY_VECTOR_PARAMETER(criteria);
    };
    SPRUCE_ENABLE_CRITERION_FACTORY(Combined, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    /// That of member id.
    stop_reason get_stop_reason(uint8 id) const override;

protected:
    bool check_impl(uint8 stopping_id, bool set_finalized, array<stopping_status>* status, bool* one_changed,
                    const Updater& updater) override;
    bool append_bounds_impl(uint8 stopping_id, size_type iteration, std::vector<residual_bound>& bounds) const override;
    explicit Combined(std::shared_ptr<const Executor> exec)
        : EnablePolymorphicObject<Combined, Criterion>(std::move(exec))
    {}
    Combined(const Factory* factory, const CriterionArgs& args);

private:
    std::vector<std::shared_ptr<Criterion>> criteria_;
};

/// One factory from several: itself if there is one. @throws NotSupported  if there is none
SPRUCE_EXPORT std::shared_ptr<const CriterionFactory> combine(
    std::vector<std::shared_ptr<const CriterionFactory>> factories);

}  // namespace stop
}  // namespace spruce
