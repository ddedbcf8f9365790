// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <thread>
#include <utility>

#include <spruce/solver/solver_base.hpp>

#include "core/base/device_runtime.hpp"
#include "core/stop/criterion_kernels.hpp"

namespace spruce::solver::detail {

using kernels::stop::check_report;
using spruce::detail::GpuExecutor;

/// Where a device reports how the checks of a solve went, in memory of the host, and what the host knows of that.
class late_check {
public:
    explicit late_check(std::shared_ptr<const GpuExecutor> exec)
        : exec_{std::move(exec)},
          report_{static_cast<volatile check_report*>(exec_->get_runtime().allocate(
              spruce::detail::memory_kind::pinned_host, sizeof(check_report), exec_->get_raw_stream()))},
          end_{exec_, 1}
    {}
    late_check(const late_check&) = delete;
    ~late_check()
    {
        try {
            this->settle();
        } catch (const Error&) {
            // A device that failed writes no more reports.
        }
        exec_->get_runtime().deallocate(spruce::detail::memory_kind::pinned_host, const_cast<check_report*>(report_),
                                        nullptr);
    }

    const GpuExecutor& get_executor() const { return *exec_; }

    /// A new solve.
    void begin()
    {
        this->settle();
        num_checks_ = 0;
        has_ended_ = false;
        *report_ = 0;
        end_.fill(0);
    }

    /// What the next check finds is waited for.
    void wait_in_next() { waits_in_next_ = true; }

    template <typename Real>
    late_answer check(const stop::Criterion& criterion, array<stopping_status>& status, size_type& iteration,
                      const matrix::Dense<Real>& norm, size_type max_lag)
    {
        if (has_ended_) {
            this->begin();  // some columns go on after all
        }
        if (std::exchange(waits_in_next_, false)) {
            max_lag = 0;
        }
        bounds_.clear();
        kernels::stop::residual_bounds<Real> bounds;
        if (!criterion.append_bounds(1, iteration, bounds_) || !this->hand_over(bounds, status)) {
            return this->look(0, iteration) ? late_answer::ended : late_answer::ask;
        }
        if (bounds.size == 0) {
            return late_answer::running;
        }
        ++num_checks_;
        is_settled_ = false;
        kernels::stop::check_bounds<Real>(*exec_, norm, bounds, kernels::stop::report_of_checks(num_checks_),
                                          kernels::stop::report_of_end(iteration), status, end_, report_);
        return this->look(max_lag, iteration) ? late_answer::ended : late_answer::running;
    }

private:
    /// Whether the bounds are of a kind that the device can check.
    template <typename Real>
    bool hand_over(kernels::stop::residual_bounds<Real>& bounds, const array<stopping_status>& status) const
    {
        if (bounds_.size() > bounds.max_size) {
            return false;
        }
        for (const auto& bound : bounds_) {
            const auto baseline = dynamic_cast<const matrix::Dense<Real>*>(bound.baseline);
            if (!baseline || baseline->get_executor() != exec_ || baseline->get_size()[1] != status.get_size()) {
                return false;
            }
            bounds.baseline[bounds.size] = baseline->get_const_values();
            bounds.factor[bounds.size] = static_cast<Real>(bound.factor);
            bounds.id[bounds.size++] = bound.id;
        }
        return true;
    }

    /// Waits until all checks but the last max_lag are reported. Whether all columns have stopped by then, and since when.
    bool look(size_type max_lag, size_type& iteration)
    {
        if (num_checks_ == 0) {
            return false;
        }
        const auto wanted = kernels::stop::report_of_checks(num_checks_ - std::min(num_checks_, max_lag));
        const auto is_there = [&] { return *report_ % 2 == 1 || *report_ >= wanted; };
        for (int i = 0; i < max_looks && !is_there(); ++i) {
            std::this_thread::yield();
        }
        if (!is_there()) {
            exec_->synchronize();  // which also throws what went wrong on the device
        }
        const check_report report = *report_;
        if (report % 2 == 1) {
            has_ended_ = true;
            iteration = static_cast<size_type>(report / 2);
            return true;
        }
        return false;
    }

    /// Nothing will write a report any more.
    void settle()
    {
        if (!is_settled_) {
            exec_->synchronize();
            is_settled_ = true;
        }
    }

    static constexpr int max_looks = 100000;

    std::shared_ptr<const GpuExecutor> exec_;
    volatile check_report* report_;
    array<check_report> end_;
    std::vector<stop::residual_bound> bounds_;
    size_type num_checks_{};
    bool is_settled_{true};
    bool has_ended_{};
    bool waits_in_next_{};
};

template <typename Real>
late_answer check_late(workspace& work, const stop::Criterion& criterion, array<stopping_status>& status,
                       size_type& iteration, const matrix::Dense<Real>& norm, size_type num_entries)
{
    const auto exec = std::dynamic_pointer_cast<const GpuExecutor>(norm.get_executor());
    if (!exec) {
        return late_answer::ask;
    }
    auto& check = work.get_late_check();
    if (!check || &check->get_executor() != exec.get()) {
        check = std::make_shared<late_check>(exec);
    }
    if (iteration == 0) {
        check->begin();
    }
    // Steps on few entries take no longer than it takes to start them. What runs ahead is in vain in the end.
    constexpr size_type entries_of_long_steps = 1 << 20;
    constexpr size_type most = 8;
    const auto max_lag = std::clamp<size_type>(entries_of_long_steps / (num_entries + 1), 1, most);
    return check->check(criterion, status, iteration, norm, max_lag);
}

void wait_in_next_check(workspace& work)
{
    if (const auto& check = work.get_late_check()) {
        check->wait_in_next();
    }
}

#define SPRUCE_CHECK_LATE(_real)                                                                               \
    template SPRUCE_EXPORT late_answer check_late(workspace&, const stop::Criterion&, array<stopping_status>&, \
                                                  size_type&, const matrix::Dense<_real>&, size_type)
SPRUCE_CHECK_LATE(float);
SPRUCE_CHECK_LATE(double);

}  // namespace spruce::solver::detail
