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

/// What a range of a profile is about.
enum class profile_event_category { memory, operation, object, linop, factory, solver, criterion, user, internal };

/// A range that ends when the object goes out of scope.
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

/// Turns events into nested ranges of time for a profiler, or for a summary of its own that is written when the logger
/// is destroyed. Added to an executor it also sees the objects on it; add it to executors or to objects, not to both.
/// Ranges: apply(A), advanced_apply(A), generate(F), check(C), copy(from,to), move(from,to), the names of operations,
/// allocate, free, copy, and iteration within the apply of an iterative solver.
class SPRUCE_EXPORT ProfilerHook : public Logger {
public:
    using hook_function = profiling_scope_guard::hook_function;

    /// One name's part in a summary.
    struct summary_entry {
        std::string name;
        std::chrono::nanoseconds
            inclusive{};  ///< with everything inside; ranges within a range of the same name count once
        std::chrono::nanoseconds exclusive{};  ///< less what other ranges inside took
        int64 count{};
    };

    /// One range of a nested summary, all its occurrences below the same parent taken together.
    struct nested_summary_entry {
        std::string name;
        std::chrono::nanoseconds elapsed{};
        int64 count{};
        std::vector<nested_summary_entry> children{};
    };

    /// Receives the summary at the end. Should not throw: exceptions are dropped.
    class SPRUCE_EXPORT SummaryWriter {
    public:
        virtual ~SummaryWriter();
        /// @param overhead  what the profiler itself took on the host, part of the times measured there
        virtual void write(const std::vector<summary_entry>& entries, std::chrono::nanoseconds overhead) = 0;
    };
    /// Receives the nested summary at the end. Should not throw: exceptions are dropped.
    class SPRUCE_EXPORT NestedSummaryWriter {
    public:
        virtual ~NestedSummaryWriter();
        virtual void write_nested(const nested_summary_entry& root, std::chrono::nanoseconds overhead) = 0;
    };

    /// Writes a table for people, the longest first.
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

    /// Sums up the time of each name. Ranges that an exception left open end with the range around them.
    /// @param timer  Timer::create_for_executor() for the time on a device
    /// @param check_nesting  adds an entry "mismatched ranges" that counts the ranges which did not end in order
    static std::shared_ptr<ProfilerHook> create_summary(
        std::shared_ptr<Timer> timer = std::make_shared<CpuTimer>(),
        std::unique_ptr<SummaryWriter> writer = std::make_unique<TableSummaryWriter>(), bool check_nesting = false);

    /// As create_summary(), each name below the ranges that it occurred in.
    static std::shared_ptr<ProfilerHook> create_nested_summary(
        std::shared_ptr<Timer> timer = std::make_shared<CpuTimer>(),
        std::unique_ptr<NestedSummaryWriter> writer = std::make_unique<TableSummaryWriter>(),
        bool check_nesting = false);

    /// Ranges for NVIDIA's tools. @throws NotCompiled  if libnvToolsExt cannot be loaded
    static std::shared_ptr<ProfilerHook> create_nvtx();
    /// Ranges for AMD's tools. @throws NotCompiled  if libroctx64 cannot be loaded
    static std::shared_ptr<ProfilerHook> create_roctx();
    /// @throws NotCompiled  always: not supported
    static std::shared_ptr<ProfilerHook> create_tau(bool initialize = true);
    /// @throws NotCompiled  always: not supported
    static std::shared_ptr<ProfilerHook> create_vtune();

    /// nvtx for cuda, roctx for hip, a summary to std::cerr otherwise.
    static std::shared_ptr<ProfilerHook> create_for_executor(std::shared_ptr<const Executor> exec);

    ~ProfilerHook() override;

    bool needs_propagation() const override { return true; }

    /// Uses name for obj in place of its type until obj is deleted.
    void set_object_name(ptr_param<const PolymorphicObject> obj, std::string name);

    /// Whether executors are waited for at each begin and end, so that ranges on the host's clock hold the device's
    /// work.
    void set_synchronization(bool synchronize) { synchronize_ = synchronize; }

    /// A range of the application's own, until the result goes out of scope.
    profiling_scope_guard user_range(const char* name) const;

    void on_allocation_started(const Executor* exec, const size_type& num_bytes) const override;
    void on_allocation_completed(const Executor* exec, const size_type& num_bytes,
                                 const uintptr& location) const override;
    void on_free_started(const Executor* exec, const uintptr& location) const override;
    void on_free_completed(const Executor* exec, const uintptr& location) const override;
    void on_copy_started(const Executor* from, const Executor* to, const uintptr& location_from,
                         const uintptr& location_to, const size_type& num_bytes) const override;
    void on_copy_completed(const Executor* from, const Executor* to, const uintptr& location_from,
                           const uintptr& location_to, const size_type& num_bytes) const override;
    void on_operation_launched(const Executor* exec, const Operation* op) const override;
    void on_operation_completed(const Executor* exec, const Operation* op) const override;
    void on_polymorphic_object_copy_started(const Executor* exec, const PolymorphicObject* input,
                                            const PolymorphicObject* output) const override;
    void on_polymorphic_object_copy_completed(const Executor* exec, const PolymorphicObject* input,
                                              const PolymorphicObject* output) const override;
    void on_polymorphic_object_move_started(const Executor* exec, const PolymorphicObject* input,
                                            const PolymorphicObject* output) const override;
    void on_polymorphic_object_move_completed(const Executor* exec, const PolymorphicObject* input,
                                              const PolymorphicObject* output) const override;
    void on_polymorphic_object_deleted(const Executor* exec, const PolymorphicObject* object) const override;
    void on_linop_apply_started(const LinOp* A, const LinOp* b, const LinOp* x) const override;
    void on_linop_apply_completed(const LinOp* A, const LinOp* b, const LinOp* x) const override;
    void on_linop_advanced_apply_started(const LinOp* A, const LinOp* alpha, const LinOp* b, const LinOp* beta,
                                         const LinOp* x) const override;
    void on_linop_advanced_apply_completed(const LinOp* A, const LinOp* alpha, const LinOp* b, const LinOp* beta,
                                           const LinOp* x) const override;
    void on_linop_factory_generate_started(const LinOpFactory* factory, const LinOp* input) const override;
    void on_linop_factory_generate_completed(const LinOpFactory* factory, const LinOp* input,
                                             const LinOp* output) const override;
    void on_criterion_check_started(const stop::Criterion* criterion, const size_type& it, const LinOp* r,
                                    const LinOp* tau, const LinOp* x, const uint8& id,
                                    const bool& finalized) const override;
    void on_criterion_check_completed(const stop::Criterion* criterion, const size_type& it, const LinOp* r,
                                      const LinOp* tau, const LinOp* x, const uint8& id, const bool& finalized,
                                      const array<stopping_status>* status, const bool& one_changed,
                                      const bool& all_stopped) const override;
    void on_criterion_check_completed(const stop::Criterion* criterion, const size_type& it, const LinOp* r,
                                      const LinOp* tau, const LinOp* implicit_tau_sq, const LinOp* x, const uint8& id,
                                      const bool& finalized, const array<stopping_status>* status,
                                      const bool& one_changed, const bool& all_stopped) const override;
    void on_iteration_complete(const LinOp* solver, const size_type& it, const LinOp* r, const LinOp* x,
                               const LinOp* tau) const override;
    void on_iteration_complete(const LinOp* solver, const size_type& it, const LinOp* r, const LinOp* x,
                               const LinOp* tau, const LinOp* implicit_tau_sq) const override;
    void on_iteration_complete(const LinOp* solver, const LinOp* b, const LinOp* x, const size_type& it, const LinOp* r,
                               const LinOp* tau, const LinOp* implicit_tau_sq, const array<stopping_status>* status,
                               bool stopped) const override;

private:
    struct object_table;

    ProfilerHook(hook_function begin, hook_function end);

    std::string name_of(const PolymorphicObject* object) const;
    void begin(const Executor* exec, const std::string& name, profile_event_category category) const;
    void end(const Executor* exec, const std::string& name, profile_event_category category) const;
    void end_iteration(const LinOp* solver) const;

    std::unique_ptr<object_table> objects_;
    bool synchronize_{};
    hook_function begin_hook_;
    hook_function end_hook_;
};

}  // namespace log
}  // namespace spruce
