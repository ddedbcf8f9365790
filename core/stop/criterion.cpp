// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/stop/criterion.hpp>

#include <algorithm>

#include <spruce/stop/combined.hpp>
#include <spruce/stop/iteration.hpp>
#include <spruce/stop/time.hpp>

#include "core/base/define_factory.hpp"
#include "core/stop/criterion_kernels.hpp"

namespace spruce::stop {

using log::Logger;

namespace {

/// Returns true if all columns are known to have stopped before step number iteration. Statuses on
/// a device are copied to the host only at some of the steps; at others the result is false.
bool have_all_stopped(size_type iteration, const array<stopping_status>& status)
{
    const auto exec = status.get_executor();
    const auto has_stopped = [](stopping_status column) { return column.has_stopped(); };
    if (exec == exec->get_master()) {
        const auto begin = status.get_const_data();
        return std::all_of(begin, begin + status.get_size(), has_stopped);
    }
    if (iteration % Criterion::checkpoint_interval != 0) {
        return false;
    }
    const auto on_host = status.copy_to_host();
    return std::all_of(on_host.begin(), on_host.end(), has_stopped);
}

}  // namespace

bool Criterion::check(uint8 stopping_id, bool set_finalized, array<stopping_status>* status, bool* one_changed,
                      const Updater& updater)
{
    detail::require_pointers("Criterion::check", status, one_changed);
    this->log<Logger::criterion_check_started>(this, updater.num_iterations_, updater.residual_, updater.residual_norm_,
                                               updater.solution_, stopping_id, set_finalized);
    const auto exec = this->get_executor();
    bool all_stopped{};
    const auto check_columns = [&](array<stopping_status>* columns) {
        all_stopped = this->check_impl(stopping_id, set_finalized, columns, one_changed, updater);
        if (all_stopped) {  // a criterion of an application may have left the statuses as they were
            this->set_all_statuses(stopping_id, set_finalized, columns);
        }
    };
    if (exec->memory_accessible(status->get_executor())) {
        check_columns(status);
    } else {  // a solver that was cloned to another executor does not copy its criteria
        array<stopping_status> local{exec, *status};
        check_columns(&local);
        *status = local;
    }
    // Columns may have stopped for reasons that the criterion does not test.
    all_stopped = all_stopped || have_all_stopped(updater.num_iterations_, *status);
    this->log<Logger::criterion_check_completed>(
        this, updater.num_iterations_, updater.residual_, updater.residual_norm_, updater.implicit_sq_residual_norm_,
        updater.solution_, stopping_id, set_finalized, status, *one_changed, all_stopped);
    return all_stopped;
}

void Criterion::set_all_statuses(uint8 stopping_id, bool set_finalized, array<stopping_status>* status)
{
    kernels::stop::set_all_statuses(*this->get_executor(), stopping_id, set_finalized, *status);
}

bool Iteration::check_impl(uint8 stopping_id, bool set_finalized, array<stopping_status>* status, bool* one_changed,
                           const Updater& updater)
{
    const auto reached = updater.num_iterations_ >= parameters_.max_iters;
    if (reached) {
        this->set_all_statuses(stopping_id, set_finalized, status);
        *one_changed = true;
    }
    return reached;
}

bool Iteration::append_bounds_impl(uint8, size_type iteration, std::vector<residual_bound>&) const
{
    return iteration < parameters_.max_iters;
}

bool Time::check_impl(uint8 stopping_id, bool set_finalized, array<stopping_status>* status, bool* one_changed,
                      const Updater&)
{
    const auto reached = std::chrono::steady_clock::now() - start_ >= parameters_.time_limit;
    if (reached) {
        this->set_all_statuses(stopping_id, set_finalized, status);
        *one_changed = true;
    }
    return reached;
}

bool Time::append_bounds_impl(uint8, size_type, std::vector<residual_bound>&) const
{
    return std::chrono::steady_clock::now() - start_ < parameters_.time_limit;
}

namespace {

/// Checks that the first criterion is not null. Later ones may be null and are ignored then.
/// @throws NotSupported  if the first criterion is null
void require_first(const std::vector<std::shared_ptr<const CriterionFactory>>& criteria)
{
    if (!criteria.empty() && !criteria.front()) {
        detail::throw_null_pointer("a list of stopping criteria (the first of them)");
    }
}

/// Counts the ids that the criteria need, including those of members that are Combined.
/// @throws NotSupported  if there are no criteria
size_type count_ids(const std::vector<std::shared_ptr<const CriterionFactory>>& criteria)
{
    if (criteria.empty()) {
        throw NotSupported(__FILE__, __LINE__, "stop::Combined",
                           "an empty list of criteria, by which no iteration would ever end");
    }
    require_first(criteria);
    size_type num_ids{};
    for (const auto& criterion : criteria) {
        if (const auto combined = dynamic_cast<const Combined::Factory*>(criterion.get())) {
            num_ids += count_ids(combined->get_parameters().criteria);
        } else if (criterion) {
            ++num_ids;
        }
    }
    return num_ids;
}

/// Checks that a Combined can be created from the criteria.
/// @throws NotSupported  otherwise
void require_combinable(const std::vector<std::shared_ptr<const CriterionFactory>>& criteria)
{
    const auto num_ids = count_ids(criteria);
    if (num_ids > stopping_status::max_criterion_id) {
        throw NotSupported(__FILE__, __LINE__, "stop::Combined",
                           std::to_string(num_ids) + " criteria: the status of a column has numbers for " +
                               std::to_string(stopping_status::max_criterion_id));
    }
}

}  // namespace

std::unique_ptr<Combined::Factory> Combined::parameters_type::on(std::shared_ptr<const Executor> exec) const
{
    auto result = enable_parameters_type::on(std::move(exec));
    require_combinable(result->get_parameters().criteria);
    return result;
}

Combined::Combined(const Factory* factory, const CriterionArgs& args)
    : EnablePolymorphicObject<Combined, Criterion>(factory->get_executor()), parameters_{factory->get_parameters()}
{
    require_combinable(parameters_.criteria);  // a factory that was cleared has none
    for (const auto& criterion : parameters_.criteria) {
        if (criterion) {
            members_.push_back({criterion->generate(args), 0});
        }
    }
    this->assign_ids(1);
}

uint8 Combined::assign_ids(uint8 id)
{
    for (auto& member : members_) {
        member.id = id;
        const auto combined = dynamic_cast<Combined*>(member.criterion.get());
        id = combined ? combined->assign_ids(id) : static_cast<uint8>(id + 1);
    }
    return id;
}

bool Combined::check_impl(uint8, bool set_finalized, array<stopping_status>* status, bool* one_changed,
                          const Updater& updater)
{
    *one_changed = false;
    for (const auto& member : members_) {
        bool changed{};
        const auto all_stopped = member.criterion->check(member.id, set_finalized, status, &changed, updater);
        *one_changed |= changed;
        if (all_stopped) {
            return true;
        }
    }
    return false;
}

bool Combined::append_bounds_impl(uint8, size_type iteration, std::vector<residual_bound>& bounds) const
{
    return std::all_of(members_.begin(), members_.end(), [&](const auto& member) {
        return member.criterion->append_bounds(member.id, iteration, bounds);
    });
}

stop_reason Combined::get_stop_reason(uint8 id) const
{
    const auto next =
        std::find_if(members_.begin(), members_.end(), [=](const auto& member) { return id < member.id; });
    return next == members_.begin() ? stop_reason::criterion : std::prev(next)->criterion->get_stop_reason(id);
}

std::shared_ptr<const CriterionFactory> combine(std::vector<std::shared_ptr<const CriterionFactory>> factories)
{
    require_first(factories);
    factories.erase(std::remove(factories.begin(), factories.end(), nullptr), factories.end());
    switch (factories.size()) {
    case 0:
        throw NotSupported(__FILE__, __LINE__, "a solver",
                           "an empty list of stopping criteria (give at least one with with_criteria(...))");
    case 1:
        return factories.front();
    default:
        const auto exec = factories.front()->get_executor();
        return Combined::build().with_criteria(std::move(factories)).on(exec);
    }
}

SPRUCE_DEFINE_FACTORY((), Iteration);
SPRUCE_DEFINE_FACTORY((), Time);
SPRUCE_DEFINE_FACTORY((), Combined);

}  // namespace spruce::stop
