// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/stop/criterion.hpp>

#include <algorithm>

#include <spruce/stop/combined.hpp>
#include <spruce/stop/iteration.hpp>
#include <spruce/stop/time.hpp>

#include "core/stop/criterion_kernels.hpp"

namespace spruce::stop {

using log::Logger;

namespace {

/// As far as that is worth a look before step number iteration: copies from devices are for some of the steps.
bool have_all_stopped(size_type iteration, const array<stopping_status>& status)
{
    const auto exec = status.get_executor();
    const auto has_stopped = [](stopping_status column) { return column.has_stopped(); };
    if (exec == exec->get_master()) {
        const auto begin = status.get_const_data();
        return std::all_of(begin, begin + status.get_size(), has_stopped);
    }
    if (iteration % Criterion::period_of_looks != 0) {
        return false;
    }
    const auto on_host = status.copy_to_host();
    return std::all_of(on_host.begin(), on_host.end(), has_stopped);
}

}  // namespace

bool Criterion::check(uint8 stopping_id, bool set_finalized, array<stopping_status>* status, bool* one_changed,
                      const Updater& updater)
{
    this->log<Logger::criterion_check_started>(this, updater.num_iterations_, updater.residual_, updater.residual_norm_,
                                               updater.solution_, stopping_id, set_finalized);
    const auto exec = this->get_executor();
    bool all_stopped{};
    if (exec->memory_accessible(status->get_executor())) {
        all_stopped = this->check_impl(stopping_id, set_finalized, status, one_changed, updater);
    } else {  // a solver that was cloned to another executor keeps its criteria where they are
        array<stopping_status> local{exec, *status};
        all_stopped = this->check_impl(stopping_id, set_finalized, &local, one_changed, updater);
        *status = local;
    }
    // Columns may have stopped for reasons that the criterion does not look at.
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

Combined::Combined(const Factory* factory, const CriterionArgs& args)
    : EnablePolymorphicObject<Combined, Criterion>(factory->get_executor()), parameters_{factory->get_parameters()}
{
    for (const auto& criterion : parameters_.criteria) {
        criteria_.push_back(criterion->generate(args));
    }
}

bool Combined::check_impl(uint8, bool set_finalized, array<stopping_status>* status, bool* one_changed,
                          const Updater& updater)
{
    *one_changed = false;
    uint8 id = 1;
    for (const auto& criterion : criteria_) {
        bool changed{};
        const auto all_stopped = criterion->check(id, set_finalized, status, &changed, updater);
        *one_changed |= changed;
        if (all_stopped) {
            return true;
        }
        ++id;
    }
    return false;
}

bool Combined::append_bounds_impl(uint8, size_type iteration, std::vector<residual_bound>& bounds) const
{
    uint8 id = 1;
    for (const auto& criterion : criteria_) {
        if (!criterion->append_bounds(id++, iteration, bounds)) {
            return false;
        }
    }
    return true;
}

stop_reason Combined::get_stop_reason(uint8 id) const
{
    return id >= 1 && id <= criteria_.size() ? criteria_[id - 1]->get_stop_reason(1) : stop_reason::criterion;
}

std::shared_ptr<const CriterionFactory> combine(std::vector<std::shared_ptr<const CriterionFactory>> factories)
{
    for (const auto& factory : factories) {
        if (!factory) {
            detail::throw_null_pointer("a stopping criterion");
        }
    }
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

}  // namespace spruce::stop
