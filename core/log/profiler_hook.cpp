// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/log/profiler_hook.hpp>

#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <dlfcn.h>

#include <spruce/base/lin_op.hpp>
#include <spruce/base/name_demangling.hpp>
#include <spruce/stop/criterion.hpp>

#include "core/log/event_unifier.hpp"

namespace spruce::log {

profiling_scope_guard::profiling_scope_guard(const char* name, profile_event_category category,
                                             const hook_function& begin, hook_function end)
    : name_{(detail::require_pointers("a range of a profile (the name)", name), name)},
      category_{category},
      end_{std::move(end)}
{
    begin(name_.c_str(), category);
}
profiling_scope_guard::profiling_scope_guard(profiling_scope_guard&& other) noexcept
    : name_{std::move(other.name_)}, category_{other.category_}, end_{std::exchange(other.end_, nullptr)}
{}
profiling_scope_guard& profiling_scope_guard::operator=(profiling_scope_guard&& other) noexcept
{
    if (this != &other) {
        this->finish();
        name_ = std::move(other.name_);
        category_ = other.category_;
        end_ = std::exchange(other.end_, nullptr);
    }
    return *this;
}
profiling_scope_guard::~profiling_scope_guard() { this->finish(); }
void profiling_scope_guard::finish()
{
    if (const auto end = std::exchange(end_, nullptr)) {
        try {
            end(name_.c_str(), category_);
        } catch (...) {
            Logger::count_caught_exception();
        }
    }
}

namespace {

using category = profile_event_category;

/// Calls the functions of a profiler for events.
class HookCaller final : public EventUnifier<ProfilerHook> {
public:
    HookCaller(hook_function begin, hook_function end) : begin_hook_{std::move(begin)}, end_hook_{std::move(end)} {}

    void set_object_name(ptr_param<const PolymorphicObject> obj, std::string name) override
    {
        detail::require_pointers("set_object_name", obj);
        const std::lock_guard<std::mutex> lock{mutex_};
        names_[obj.get()] = std::move(name);
    }

    void set_synchronization(bool synchronize) override { synchronize_ = synchronize; }

    profiling_scope_guard user_range(const char* name) const override
    {
        return {name, profile_event_category::user, begin_hook_, end_hook_};
    }

    void on_allocation_started(const Executor* exec, const size_type&) const override
    {
        this->begin(exec, "allocate", category::memory);
    }
    void on_allocation_completed(const Executor* exec, const size_type&, const uintptr&) const override
    {
        this->end(exec, "allocate", category::memory);
    }
    void on_free_started(const Executor* exec, const uintptr&) const override
    {
        this->begin(exec, "free", category::memory);
    }
    void on_free_completed(const Executor* exec, const uintptr&) const override
    {
        this->end(exec, "free", category::memory);
    }
    void on_copy_started(const Executor* from, const Executor* to, const uintptr&, const uintptr&,
                         const size_type&) const override
    {
        if (synchronize_ && from) {
            from->synchronize();
        }
        this->begin(to, "copy", category::memory);
    }
    void on_copy_completed(const Executor* from, const Executor* to, const uintptr&, const uintptr&,
                           const size_type&) const override
    {
        if (synchronize_ && from) {
            from->synchronize();
        }
        this->end(to, "copy", category::memory);
    }
    void on_operation_launched(const Executor* exec, const Operation* op) const override
    {
        this->begin(exec, name_of(op), category::operation);
    }
    void on_operation_completed(const Executor* exec, const Operation* op) const override
    {
        this->end(exec, name_of(op), category::operation);
    }
    void on_polymorphic_object_copy_started(const Executor* exec, const PolymorphicObject* input,
                                            const PolymorphicObject* output) const override
    {
        this->begin(exec, "copy(" + this->name_of(input) + "," + this->name_of(output) + ")", category::object);
    }
    void on_polymorphic_object_copy_completed(const Executor* exec, const PolymorphicObject* input,
                                              const PolymorphicObject* output) const override
    {
        this->end(exec, "copy(" + this->name_of(input) + "," + this->name_of(output) + ")", category::object);
    }
    void on_polymorphic_object_move_started(const Executor* exec, const PolymorphicObject* input,
                                            const PolymorphicObject* output) const override
    {
        this->begin(exec, "move(" + this->name_of(input) + "," + this->name_of(output) + ")", category::object);
    }
    void on_polymorphic_object_move_completed(const Executor* exec, const PolymorphicObject* input,
                                              const PolymorphicObject* output) const override
    {
        this->end(exec, "move(" + this->name_of(input) + "," + this->name_of(output) + ")", category::object);
    }
    void on_polymorphic_object_deleted(const Executor*, const PolymorphicObject* object) const override
    {
        // Another object may be created at this address.
        const std::lock_guard<std::mutex> lock{mutex_};
        names_.erase(object);
    }
    void on_linop_apply_started(const LinOp* A, const LinOp*, const LinOp*) const override
    {
        this->end_iteration(A);  // an exception may have left it open
        this->begin(executor_of(A), "apply(" + this->name_of(A) + ")", category::linop);
    }
    void on_linop_apply_completed(const LinOp* A, const LinOp*, const LinOp*) const override
    {
        this->end_iteration(A);
        this->end(executor_of(A), "apply(" + this->name_of(A) + ")", category::linop);
    }
    void on_linop_advanced_apply_started(const LinOp* A, const LinOp*, const LinOp*, const LinOp*,
                                         const LinOp*) const override
    {
        this->end_iteration(A);
        this->begin(executor_of(A), "advanced_apply(" + this->name_of(A) + ")", category::linop);
    }
    void on_linop_advanced_apply_completed(const LinOp* A, const LinOp*, const LinOp*, const LinOp*,
                                           const LinOp*) const override
    {
        this->end_iteration(A);
        this->end(executor_of(A), "advanced_apply(" + this->name_of(A) + ")", category::linop);
    }
    void on_linop_factory_generate_started(const LinOpFactory* factory, const LinOp*) const override
    {
        this->begin(executor_of(factory), "generate(" + this->name_of(factory) + ")", category::factory);
    }
    void on_linop_factory_generate_completed(const LinOpFactory* factory, const LinOp*, const LinOp*) const override
    {
        this->end(executor_of(factory), "generate(" + this->name_of(factory) + ")", category::factory);
    }
    void on_criterion_check_started(const stop::Criterion* criterion, const size_type&, const LinOp*, const LinOp*,
                                    const LinOp*, const uint8&, const bool&) const override
    {
        this->begin(executor_of(criterion), "check(" + this->name_of(criterion) + ")", category::criterion);
    }
    void on_criterion_check_completed(const stop::Criterion* criterion, const size_type&, const LinOp*, const LinOp*,
                                      const LinOp*, const LinOp*, const uint8&, const bool&,
                                      const array<stopping_status>*, const bool&, const bool&) const override
    {
        this->end(executor_of(criterion), "check(" + this->name_of(criterion) + ")", category::criterion);
    }

    void on_iteration_complete(const LinOp* solver, const LinOp*, const LinOp*, const size_type&, const LinOp*,
                               const LinOp*, const LinOp*, const array<stopping_status>*, bool stopped) const override
    {
        // The event with count 0 precedes the first iteration. Each later event separates two
        // iterations, and the last event follows the last iteration.
        this->end_iteration(solver);
        if (!stopped) {
            {
                const std::lock_guard<std::mutex> lock{mutex_};
                iterating_.insert(solver);
            }
            this->begin(executor_of(solver), "iteration", category::solver);
        }
    }

private:
    static const Executor* executor_of(const PolymorphicObject* object)
    {
        return object ? object->get_executor().get() : nullptr;
    }

    static const char* name_of(const Operation* operation) { return operation ? operation->get_name() : "nullptr"; }

    std::string name_of(const PolymorphicObject* object) const
    {
        if (!object) {
            return "nullptr";
        }
        {
            const std::lock_guard<std::mutex> lock{mutex_};
            if (const auto found = names_.find(object); found != names_.end()) {
                return found->second;
            }
        }
        return name_demangling::get_type_name(typeid(*object));
    }

    void begin(const Executor* exec, const std::string& name, profile_event_category category) const
    {
        if (synchronize_ && exec) {
            exec->synchronize();
        }
        begin_hook_(name.c_str(), category);
    }

    void end(const Executor* exec, const std::string& name, profile_event_category category) const
    {
        if (synchronize_ && exec) {
            exec->synchronize();
        }
        end_hook_(name.c_str(), category);
    }

    void end_iteration(const LinOp* solver) const
    {
        bool was_iterating{};
        {
            const std::lock_guard<std::mutex> lock{mutex_};
            was_iterating = iterating_.erase(solver) > 0;
        }
        if (was_iterating) {
            this->end(executor_of(solver), "iteration", category::solver);
        }
    }

    mutable std::mutex mutex_;
    mutable std::unordered_map<const PolymorphicObject*, std::string> names_;
    mutable std::unordered_set<const LinOp*> iterating_;  ///< solvers with an open range "iteration"
    bool synchronize_{};
    hook_function begin_hook_;
    hook_function end_hook_;
};

}  // namespace

ProfilerHook::~ProfilerHook() = default;

std::shared_ptr<ProfilerHook> ProfilerHook::create_custom(hook_function begin, hook_function end)
{
    return std::make_shared<HookCaller>(std::move(begin), std::move(end));
}

namespace {

using push_function = int(const char*);
using pop_function = int();

/// Finds the two functions of a marker library, which remains loaded until the end of the program.
std::pair<push_function*, pop_function*> load_markers(const char* tool, const char* library, const char* push,
                                                      const char* pop)
{
    const auto handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    const auto push_range = handle ? reinterpret_cast<push_function*>(dlsym(handle, push)) : nullptr;
    const auto pop_range = push_range ? reinterpret_cast<pop_function*>(dlsym(handle, pop)) : nullptr;
    if (!pop_range) {
        const auto failure = dlerror();
        throw NotCompiled(__FILE__, __LINE__, std::string("ProfilerHook::create_") + tool,
                          std::string(tool) + " (" + (failure ? failure : library) + ")");
    }
    return {push_range, pop_range};
}

std::shared_ptr<ProfilerHook> create_with_markers(const char* tool, const char* library, const char* push,
                                                  const char* pop)
{
    const auto [push_range, pop_range] = load_markers(tool, library, push, pop);
    return ProfilerHook::create_custom([push = push_range](const char* name, category) { push(name); },
                                       [pop = pop_range](const char*, category) { pop(); });
}

[[noreturn]] void throw_not_supported(const char* tool)
{
    throw NotCompiled(__FILE__, __LINE__, std::string("ProfilerHook::create_") + tool,
                      std::string(tool) + " (not supported; use create_custom() with its functions)");
}

}  // namespace

std::shared_ptr<ProfilerHook> ProfilerHook::create_nvtx()
{
    return create_with_markers("nvtx", "libnvToolsExt.so.1", "nvtxRangePushA", "nvtxRangePop");
}
std::shared_ptr<ProfilerHook> ProfilerHook::create_roctx()
{
    return create_with_markers("roctx", "libroctx64.so.4", "roctxRangePushA", "roctxRangePop");
}
std::shared_ptr<ProfilerHook> ProfilerHook::create_tau(bool) { throw_not_supported("tau"); }
std::shared_ptr<ProfilerHook> ProfilerHook::create_vtune() { throw_not_supported("vtune"); }

std::shared_ptr<ProfilerHook> ProfilerHook::create_for_executor(std::shared_ptr<const Executor> exec)
{
    if (!exec) {
        detail::throw_null_pointer("ProfilerHook::create_for_executor");
    }
    switch (exec->get_backend()) {
    case backend::cuda:
        return create_nvtx();
    case backend::hip:
        return create_roctx();
    default:
        return create_summary(Timer::create_for_executor(exec));
    }
}

}  // namespace spruce::log
