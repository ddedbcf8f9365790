// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include <spruce/solver/solver_base.hpp>

#include "core/base/recording.hpp"
#include "core/stop/criterion_kernels.hpp"

namespace spruce::solver::detail {

/// Where a device reports how the checks of a solve went, in memory of the host, and what the host knows of that.
class late_check {
public:
    using GpuExecutor = spruce::detail::GpuExecutor;
    template <typename ValueType>
    using bounds_check = kernels::stop::bounds_check<remove_complex<ValueType>>;

    explicit late_check(std::shared_ptr<const GpuExecutor> exec);
    late_check(const late_check&) = delete;
    ~late_check();

    const GpuExecutor& get_executor() const { return *exec_; }

    /// A new solve.
    void begin() { this->begin_at(0); }

    /// What the next check finds is waited for.
    void wait_in_next() { waits_in_next_ = true; }

    /// The check before step number iteration: see check_late().
    /// @param max_lag  how many checks may be under way unseen
    template <typename ValueType>
    late_answer check(const stop::Criterion& criterion, array<stopping_status>& status, size_type& iteration,
                      const residual_norms<ValueType>& norms, size_type max_lag);

    /// Whether the check before step number iteration was left to the device, and those before the num_steps - 1 steps that
    /// follow it are for it, too.
    bool leaves_to_device(const stop::Criterion& criterion, size_type iteration, size_type num_steps);

    /// The check after step number iteration, for this step to take along; empty where it has to be done by check().
    template <typename ValueType>
    bounds_check<ValueType> leave_to_step(const stop::Criterion& criterion, size_type iteration,
                                          const residual_norms<ValueType>& norms, const array<stopping_status>& status);

    /// The next check as it was handed over last, for recorded steps: without a look at what it finds.
    template <typename ValueType>
    bounds_check<ValueType> get_next(const residual_norms<ValueType>& norms, const array<stopping_status>& status);
    /// Whether a step can take the check along.
    template <typename Real>
    static bool fits_into_step(const kernels::stop::bounds_check<Real>& check, const array<stopping_status>& status)
    {
        const auto begin = check.bounds.is_implicit;
        return status.get_size() == 1 && std::find(begin, begin + check.bounds.size, true) == begin + check.bounds.size;
    }

    /// Recorded steps and the checks between them: they live until nothing runs any more.
    std::optional<spruce::detail::Recording>& get_recording() { return recording_; }
    /// Recorded steps were started again.
    void replay(size_type num_checks);

private:
    using check_report = kernels::stop::check_report;

    void begin_at(size_type iteration);
    /// Whether the bounds are of a kind that the device can check; check receives them then.
    template <typename ValueType>
    bool hand_over(bounds_check<ValueType>& check, volatile check_report* report,
                   const residual_norms<ValueType>& norms, const array<stopping_status>& status);
    /// Waits until all checks but the last max_lag are reported. Whether all columns have stopped by then, and since when.
    bool look(size_type max_lag, size_type& iteration);
    /// Nothing will write a report any more.
    void settle();

    static constexpr int max_looks = 100000;

    std::shared_ptr<const GpuExecutor> exec_;
    volatile check_report* report_;
    array<check_report> state_;  ///< what checks go by, and a place for reports that nobody reads
    std::vector<stop::residual_bound> bounds_;
    std::optional<spruce::detail::Recording> recording_;
    size_type first_{};  ///< number of the first check since the beginning
    size_type next_{};   ///< of the next one
    bool is_settled_{true};
    bool has_ended_{};
    bool waits_in_next_{};
    bool was_late_{};      ///< the last one was left to the device
    bool is_with_step_{};  ///< the last one was taken along by the step before it
    bool is_reported_{};   ///< what checks find, because there are bounds
};

}  // namespace spruce::solver::detail
