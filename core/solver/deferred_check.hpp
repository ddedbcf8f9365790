// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <spruce/matrix/dense.hpp>
#include <spruce/stop/criterion.hpp>

#include "core/base/launch_graph.hpp"
#include "core/stop/criterion_kernels.hpp"

namespace spruce::solver::detail {

/// Names the outcomes of a stopping test that does not synchronize the host with the device.
enum class check_result {
    unknown,    ///< the test does not run on the device: the host has to call Criterion::check()
    iterating,  ///< no report so far says that all columns have stopped
    stopped     ///< a report says that all columns had stopped before an earlier step
};

/// Refers to the norms that a stopping test reads, 1 x k.
template <typename ValueType>
struct residual_norms {
    const matrix::Dense<remove_complex<ValueType>>& norm;
    const matrix::Dense<ValueType>* implicit_sq_norm;       ///< scaled; null if the method has none
    const matrix::Dense<remove_complex<ValueType>>* scale;  ///< see Reduction::set_scale()
};

/// Tracks stopping tests that run on the device and are polled by the host.
///
/// The device writes a report to pinned host memory after each test. Steps that run after all
/// columns have stopped change nothing. Results and iteration counts therefore do not depend on how
/// far the host runs ahead.
class DeferredCheck {
public:
    using GpuExecutor = spruce::detail::GpuExecutor;
    using LaunchGraph = spruce::detail::LaunchGraph;
    template <typename ValueType>
    using device_check = kernels::stop::device_check<remove_complex<ValueType>>;

    explicit DeferredCheck(std::shared_ptr<const GpuExecutor> exec);
    DeferredCheck(const DeferredCheck&) = delete;
    ~DeferredCheck();

    const GpuExecutor& get_executor() const { return *exec_; }

    /// Discards all reports and the graph. The next test is that of this iteration.
    void begin(size_type iteration);

    /// Launches the test before step number iteration, and polls the reports of earlier ones.
    /// @param iteration  if the result is stopped, receives the iteration at which all columns had
    ///                   stopped
    /// @param max_lag    number of most recent tests whose reports may be missing
    template <typename ValueType>
    check_result check(const stop::Criterion& criterion, array<stopping_status>& status, size_type& iteration,
                       const residual_norms<ValueType>& norms, size_type max_lag);

    /// Returns true if the test of this iteration runs on the device, and the tests of the
    /// num_steps - 1 following iterations can.
    bool can_run_on_device(const stop::Criterion& criterion, size_type iteration, size_type num_steps);

    /// Returns the test that follows step number iteration if that step can perform it in its last
    /// kernel; empty if check() has to launch it.
    template <typename ValueType>
    device_check<ValueType> get_fusible_check(const stop::Criterion& criterion, size_type iteration,
                                              const residual_norms<ValueType>& norms,
                                              const array<stopping_status>& status);
    /// Records that the step performed the test that get_fusible_check() returned.
    void fuse_into_step();

    /// Returns the next test with the bounds of the last one, for steps within a graph. It reports
    /// to device memory only.
    template <typename ValueType>
    device_check<ValueType> get_check_of_graph(const residual_norms<ValueType>& norms,
                                               const array<stopping_status>& status);
    /// Returns true if the kernel that computes the norm can perform the test. This requires a
    /// single column and no bounds on implicit norms (doc/tuning/solvers.md).
    template <typename Real>
    static bool is_fusible(const kernels::stop::device_check<Real>& check, const array<stopping_status>& status);

    /// Holds the launches of several steps and the tests between them. begin() waits for the device
    /// and destroys it.
    std::optional<LaunchGraph>& get_graph() { return graph_; }
    /// Launches the graph, which contains this many tests.
    void replay(size_type num_checks);

private:
    using check_report = kernels::stop::check_report;

    enum class State {
        idle,     ///< the last test, if any, was that of Criterion::check()
        pending,  ///< the last test runs on the device, or has no bounds
        fused,    ///< the last step performed the test of the next check()
        stopped   ///< a report says that all columns have stopped
    };

    /// Returns true if a test has been launched since the beginning.
    bool has_reports() const { return next_ != first_; }
    void advance(size_type num_checks);
    /// Copies the bounds into check. Returns false if the device cannot test them.
    template <typename ValueType>
    bool pack_bounds(device_check<ValueType>& check, volatile check_report* report,
                     const residual_norms<ValueType>& norms, const array<stopping_status>& status);
    /// Waits until all tests but the last max_lag have reported. Returns true if all columns have
    /// stopped.
    /// @param iteration  receives the iteration of the test that found this
    bool wait_for_report(size_type max_lag, size_type& iteration);
    /// Takes the report of the tests in a graph, which write to device memory only. Waits for the
    /// device.
    void read_graph_report();
    /// Waits until the device writes no more reports.
    void drain();

    std::shared_ptr<const GpuExecutor> exec_;
    volatile check_report* report_;
    array<check_report> device_report_;  ///< the current report, and a copy that is not read
    std::vector<stop::residual_bound> bounds_;
    std::optional<LaunchGraph> graph_;
    size_type first_{};  ///< iteration of the first test since the beginning
    size_type next_{};   ///< iteration of the next test
    State state_{State::idle};
};

/// Returns the largest number of tests, from 1 to 8, whose reports the host need not have read, for
/// vectors of n k = num_entries. Short steps take the device no longer than their launches take the
/// host. Steps performed after all columns have stopped are wasted (doc/tuning/solvers.md).
size_type max_check_lag(size_type num_entries);

}  // namespace spruce::solver::detail
