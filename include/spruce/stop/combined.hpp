// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <initializer_list>
#include <vector>

#include <spruce/stop/criterion.hpp>

namespace spruce {
namespace stop {

/// Checks several criteria in order, until all columns have stopped. Member k, counted from 1,
/// stops columns with id k. A member that is a Combined itself takes as many ids as it has members.
class SPRUCE_EXPORT Combined : public EnablePolymorphicObject<Combined, Criterion> {
    friend class EnablePolymorphicObject<Combined, Criterion>;

public:
    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory)
    {
        /// Holds at least one criterion, and at most stopping_status::max_criterion_id. The members
        /// of a Combined count instead of it. Null pointers after the first are ignored.
        std::vector<std::shared_ptr<const CriterionFactory>> SPRUCE_DEFERRED_FACTORY_VECTOR_PARAMETER(criteria);

        /// Creates the factory.
        /// @throws NotSupported  if there are no criteria, too many of them, or the first is null
        std::unique_ptr<Factory> on(std::shared_ptr<const Executor> exec) const;
    };
    SPRUCE_DECLARE_CRITERION_FACTORY(Combined, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    /// Returns the reason given by the member with this id.
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
    struct member {
        std::shared_ptr<Criterion> criterion;
        uint8 id;  ///< the first of its ids
    };

    /// Assigns ids to the members, from this one on. Returns the first id that is not assigned.
    uint8 assign_ids(uint8 id);

    std::vector<member> members_;
};

/// Combines factories into one; a single factory is returned itself. Null pointers after the first
/// are ignored.
/// @throws NotSupported  if there are no criteria, too many of them, or the first is null
SPRUCE_EXPORT std::shared_ptr<const CriterionFactory> combine(
    std::vector<std::shared_ptr<const CriterionFactory>> factories);

/// Combines factories of one type, or factories that are not const.
template <typename Factory>
std::shared_ptr<const CriterionFactory> combine(const std::vector<std::shared_ptr<Factory>>& factories)
{
    return combine(std::vector<std::shared_ptr<const CriterionFactory>>(factories.begin(), factories.end()));
}

}  // namespace stop
}  // namespace spruce
