// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/deferred_check.hpp"

#include <algorithm>
#include <thread>

#include "core/base/device_runtime.hpp"

namespace spruce::solver::detail {

DeferredCheck::DeferredCheck(std::shared_ptr<const GpuExecutor> exec)
    : exec_{std::move(exec)},
      report_{static_cast<volatile check_report*>(exec_->get_runtime().allocate(
          spruce::detail::memory_kind::pinned_host, sizeof(check_report), exec_->get_raw_stream()))},
      device_report_{exec_, 2}
{}

DeferredCheck::~DeferredCheck()
{
    try {
        this->drain();
    } catch (const Error&) {
        // A device that failed writes no more reports.
    }
    exec_->get_runtime().deallocate(spruce::detail::memory_kind::pinned_host, const_cast<check_report*>(report_),
                                    nullptr);
}

void DeferredCheck::begin(size_type iteration)
{
    this->drain();
    graph_.reset();
    first_ = next_ = iteration;
    state_ = State::idle;
    *report_ = kernels::stop::encode_running(iteration);
    device_report_.fill(kernels::stop::encode_running(iteration));
}

void DeferredCheck::drain()
{
    if (this->has_reports() || graph_) {
        exec_->synchronize();
    }
}

void DeferredCheck::advance(size_type num_checks)
{
    if (!this->has_reports()) {
        first_ += num_checks;
    }
    next_ += num_checks;
}

template <typename ValueType>
check_result DeferredCheck::check(const stop::Criterion& criterion, array<stopping_status>& status,
                                  size_type& iteration, const residual_norms<ValueType>& norms, size_type max_lag)
{
    if (state_ == State::stopped) {
        this->begin(iteration);  // some columns were restarted
    }
    const auto poll = [&] {
        return this->wait_for_report(max_lag, iteration) ? check_result::stopped : check_result::iterating;
    };
    if (state_ == State::fused && next_ == iteration + 1) {
        state_ = State::pending;
        return poll();
    }
    bounds_.clear();
    device_check<ValueType> check;
    if (!criterion.append_bounds(1, iteration, bounds_) || !this->pack_bounds(check, report_, norms, status)) {
        state_ = State::idle;
        this->read_graph_report();
        return this->wait_for_report(0, iteration) ? check_result::stopped : check_result::unknown;
    }
    if (check ? next_ != iteration : this->has_reports()) {
        this->begin(iteration);
    }
    state_ = State::pending;
    if (!check) {
        // Columns may break down, which the criterion detects at checkpoints.
        first_ = next_ = iteration + 1;
        return iteration % stop::Criterion::checkpoint_interval == 0 ? check_result::unknown : check_result::iterating;
    }
    ++next_;
    kernels::stop::check_bounds<ValueType>(*exec_, norms.norm, norms.implicit_sq_norm, check, status);
    return poll();
}

bool DeferredCheck::can_run_on_device(const stop::Criterion& criterion, size_type iteration, size_type num_steps)
{
    if (state_ != State::pending || next_ != iteration + 1) {
        return false;
    }
    for (size_type i = 1; i < num_steps; ++i) {
        bounds_.clear();
        if (!criterion.append_bounds(1, iteration + i, bounds_)) {
            return false;
        }
    }
    return true;
}

template <typename Real>
bool DeferredCheck::is_fusible(const kernels::stop::device_check<Real>& check, const array<stopping_status>& status)
{
    const auto begin = check.bounds.is_implicit;
    const auto end = begin + check.bounds.size;
    return status.get_size() == 1 && std::find(begin, end, true) == end;
}

template <typename ValueType>
auto DeferredCheck::get_fusible_check(const stop::Criterion& criterion, size_type iteration,
                                      const residual_norms<ValueType>& norms, const array<stopping_status>& status)
    -> device_check<ValueType>
{
    device_check<ValueType> check;
    if (!this->has_reports() || !this->can_run_on_device(criterion, iteration, 2) ||
        !this->pack_bounds(check, report_, norms, status) || !is_fusible(check, status)) {
        return {};
    }
    return check;
}

void DeferredCheck::fuse_into_step()
{
    ++next_;
    state_ = State::fused;
}

template <typename ValueType>
auto DeferredCheck::get_check_of_graph(const residual_norms<ValueType>& norms, const array<stopping_status>& status)
    -> device_check<ValueType>
{
    device_check<ValueType> check;
    // Writing to host memory would take longer, and the host does not read reports within a graph.
    return this->pack_bounds(check, device_report_.get_data() + 1, norms, status) ? check : device_check<ValueType>{};
}

void DeferredCheck::replay(size_type num_checks)
{
    graph_->replay();
    this->advance(num_checks);
}

void DeferredCheck::read_graph_report()
{
    if (graph_) {
        const auto report = exec_->copy_val_to_host(device_report_.get_const_data());
        if (kernels::stop::is_end(report)) {
            *report_ = report;
        }
    }
}

template <typename ValueType>
bool DeferredCheck::pack_bounds(device_check<ValueType>& check, volatile check_report* report,
                                const residual_norms<ValueType>& norms, const array<stopping_status>& status)
{
    using real = remove_complex<ValueType>;
    auto& bounds = check.bounds;
    if (bounds_.size() > bounds.max_size) {
        return false;
    }
    for (const auto& bound : bounds_) {
        const auto baseline = dynamic_cast<const matrix::Dense<real>*>(bound.baseline);
        if (!baseline || baseline->get_executor() != exec_ || baseline->get_size()[1] != status.get_size() ||
            (bound.is_implicit && !norms.implicit_sq_norm)) {
            return false;
        }
        bounds.baseline[bounds.size] = baseline->get_const_values();
        bounds.factor[bounds.size] = static_cast<real>(bound.factor);
        bounds.is_implicit[bounds.size] = bound.is_implicit;
        bounds.id[bounds.size++] = bound.id;
    }
    check.scale = norms.scale->get_const_values();
    check.state = device_report_.get_data();
    check.report = report;
    return true;
}

bool DeferredCheck::wait_for_report(size_type max_lag, size_type& iteration)
{
    if (!this->has_reports()) {
        return false;
    }
    constexpr int max_polls = 100000;
    const auto expected = kernels::stop::encode_running(next_ - std::min(next_ - first_, max_lag));
    const auto has_arrived = [&] { return kernels::stop::is_end(*report_) || *report_ >= expected; };
    for (int i = 0; i < max_polls && !has_arrived(); ++i) {
        std::this_thread::yield();
    }
    if (!has_arrived()) {
        exec_->synchronize();  // throws if the device has failed
    }
    const check_report report = *report_;
    if (kernels::stop::is_end(report)) {
        state_ = State::stopped;
        iteration = kernels::stop::iteration_of(report);
        return true;
    }
    return false;
}

size_type max_check_lag(size_type num_entries)
{
    constexpr size_type entries_of_long_steps = 1 << 20;
    constexpr size_type limit = 8;
    return std::clamp<size_type>(entries_of_long_steps / (num_entries + 1), 1, limit);
}

#define SPRUCE_CHECK(_value)                                                                       \
    check_result DeferredCheck::check(const stop::Criterion&, array<stopping_status>&, size_type&, \
                                      const residual_norms<_value>&, size_type)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_CHECK);
#define SPRUCE_GET_FUSIBLE_CHECK(_value)                                  \
    DeferredCheck::device_check<_value> DeferredCheck::get_fusible_check( \
        const stop::Criterion&, size_type, const residual_norms<_value>&, const array<stopping_status>&)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_GET_FUSIBLE_CHECK);
#define SPRUCE_GET_CHECK_OF_GRAPH(_value)                                                                \
    DeferredCheck::device_check<_value> DeferredCheck::get_check_of_graph(const residual_norms<_value>&, \
                                                                          const array<stopping_status>&)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_GET_CHECK_OF_GRAPH);
template bool DeferredCheck::is_fusible(const kernels::stop::device_check<float>&, const array<stopping_status>&);
template bool DeferredCheck::is_fusible(const kernels::stop::device_check<double>&, const array<stopping_status>&);

}  // namespace spruce::solver::detail
