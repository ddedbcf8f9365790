// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include <spruce/base/timer.hpp>
#include <spruce/log/logger.hpp>

namespace spruce {
namespace log {

/// Lists the categories of the ranges in a profile.
enum class profile_event_category { memory, operation, object, linop, factory, solver, criterion, user, internal };

/// Ends a range when this object goes out of scope.
class SPRUCE_EXPORT profiling_scope_guard {
public:
    using hook_function = std::function<void(const char*, profile_event_category)>;

    profiling_scope_guard() = default;
    profiling_scope_guard(const char* name, profile_event_category category, const hook_function& begin,
                          hook_function end);
    profiling_scope_guard(profiling_scope_guard&& other) noexcept;
    profiling_scope_guard& operator=(profiling_scope_guard&& other) noexcept;
    ~profiling_scope_guard();

private:
    void finish();

    std::string name_;
    profile_event_category category_{};
    hook_function end_;
};

/// Turns events into nested ranges of time for a profiler, or for a summary that is written when
/// the logger is destroyed. If it is added to an executor, it also receives the events of the
/// objects there. It should be added either to executors or to objects, not to both. Ranges:
/// apply(A), advanced_apply(A), generate(F), check(C), copy(from,to), move(from,to), the names of
/// operations, allocate, free, copy, and iteration within the apply of an iterative solver.
class SPRUCE_EXPORT ProfilerHook : public Logger {
public:
    using hook_function = profiling_scope_guard::hook_function;

    /// Contains the results for one name in a summary.
    struct summary_entry {
        std::string name;
        std::chrono::nanoseconds inclusive{};  ///< total time; ranges within a range of the same name count once
        std::chrono::nanoseconds exclusive{};  ///< total time without that of other ranges inside
        int64 count{};
    };

    /// Contains one range of a nested summary. It combines all occurrences in one parent.
    struct nested_summary_entry {
        std::string name;
        std::chrono::nanoseconds elapsed{};
        int64 count{};
        std::vector<nested_summary_entry> children{};
    };

    /// Writes the summary at the end. It should not throw, because exceptions are dropped.
    class SPRUCE_EXPORT SummaryWriter {
    public:
        virtual ~SummaryWriter();
        /// Writes the entries.
        /// @param overhead  time that the profiler itself took on the host; it is part of the times
        ///     measured there
        virtual void write(const std::vector<summary_entry>& entries, std::chrono::nanoseconds overhead) = 0;
    };
    /// Writes the nested summary at the end. It should not throw, because exceptions are dropped.
    class SPRUCE_EXPORT NestedSummaryWriter {
    public:
        virtual ~NestedSummaryWriter();
        virtual void write_nested(const nested_summary_entry& root, std::chrono::nanoseconds overhead) = 0;
    };

    /// Writes a table as text, longest time first.
    class SPRUCE_EXPORT TableSummaryWriter : public SummaryWriter, public NestedSummaryWriter {
    public:
        /// Writes to std::cerr.
        TableSummaryWriter();
        /// @param output  has to outlive the writer
        explicit TableSummaryWriter(std::ostream& output, std::string header = "Runtime summary");
        void write(const std::vector<summary_entry>& entries, std::chrono::nanoseconds overhead) override;
        void write_nested(const nested_summary_entry& root, std::chrono::nanoseconds overhead) override;

    private:
        std::ostream& output_;
        std::string header_;
    };

    /// Calls begin and end with the name and category of each range.
    static std::shared_ptr<ProfilerHook> create_custom(hook_function begin, hook_function end);

    /// Sums up the time of each name. A range that an exception left open ends with the range
    /// around it.
    /// @param timer  Timer::create_for_executor() to measure the time on a device
    /// @param check_nesting  adds an entry "mismatched ranges" that counts the ranges which did not
    ///     end in order
    static std::shared_ptr<ProfilerHook> create_summary(
        std::shared_ptr<Timer> timer = std::make_shared<CpuTimer>(),
        std::unique_ptr<SummaryWriter> writer = std::make_unique<TableSummaryWriter>(), bool check_nesting = false);

    /// Sums up the time of each name, separately for each range that contains it. Parameters are
    /// those of create_summary().
    static std::shared_ptr<ProfilerHook> create_nested_summary(
        std::shared_ptr<Timer> timer = std::make_shared<CpuTimer>(),
        std::unique_ptr<NestedSummaryWriter> writer = std::make_unique<TableSummaryWriter>(),
        bool check_nesting = false);

    /// Creates a logger that marks ranges for NVIDIA's tools.
    /// @throws NotCompiled  if libnvToolsExt cannot be loaded
    static std::shared_ptr<ProfilerHook> create_nvtx();
    /// Creates a logger that marks ranges for AMD's tools.
    /// @throws NotCompiled  if libroctx64 cannot be loaded
    static std::shared_ptr<ProfilerHook> create_roctx();
    /// @throws NotCompiled  always: not supported
    static std::shared_ptr<ProfilerHook> create_tau(bool initialize = true);
    /// @throws NotCompiled  always: not supported
    static std::shared_ptr<ProfilerHook> create_vtune();

    /// Creates a logger by create_nvtx() for cuda and by create_roctx() for hip. For other
    /// executors it writes a summary to std::cerr.
    static std::shared_ptr<ProfilerHook> create_for_executor(std::shared_ptr<const Executor> exec);

    ~ProfilerHook() override;

    bool needs_propagation() const override { return true; }

    /// Uses name for obj instead of its type until obj is deleted.
    virtual void set_object_name(ptr_param<const PolymorphicObject> obj, std::string name) = 0;

    /// Sets whether executors are synchronized at the begin and end of each range. Then ranges
    /// measured on the host include the work of the device.
    virtual void set_synchronization(bool synchronize) = 0;

    /// Begins a range of the application, which ends when the result goes out of scope.
    virtual profiling_scope_guard user_range(const char* name) const = 0;

protected:
    using Logger::Logger;
};

}  // namespace log
}  // namespace spruce
