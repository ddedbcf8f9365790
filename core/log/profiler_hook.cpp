// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/log/profiler_hook.hpp>

#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <dlfcn.h>

#include <spruce/base/lin_op.hpp>
#include <spruce/stop/criterion.hpp>

#include "core/base/demangle.hpp"

namespace spruce::log {

profiling_scope_guard::profiling_scope_guard(const char* name, profile_event_category category,
                                             const hook_function& begin, hook_function end)
    : name_{name}, category_{category}, end_{std::move(end)}
{
    begin(name, category);
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
        end(name_.c_str(), category_);
    }
}

struct ProfilerHook::object_table {
    std::mutex mutex;
    std::unordered_map<const PolymorphicObject*, std::string> names;
    std::unordered_set<const LinOp*> iterating;  ///< solvers in a range "iteration"
};

ProfilerHook::ProfilerHook(hook_function begin, hook_function end)
    : Logger{all_events_mask},
      objects_{std::make_unique<object_table>()},
      begin_hook_{std::move(begin)},
      end_hook_{std::move(end)}
{}

ProfilerHook::~ProfilerHook() = default;

void ProfilerHook::set_object_name(ptr_param<const PolymorphicObject> obj, std::string name)
{
    const std::lock_guard<std::mutex> lock{objects_->mutex};
    objects_->names[obj.get()] = std::move(name);
}

std::string ProfilerHook::name_of(const PolymorphicObject* object) const
{
    if (!object) {
        return "nullptr";
    }
    {
        const std::lock_guard<std::mutex> lock{objects_->mutex};
        if (const auto found = objects_->names.find(object); found != objects_->names.end()) {
            return found->second;
        }
    }
    return name_demangling::get_type_name(typeid(*object));
}

void ProfilerHook::begin(const Executor* exec, const std::string& name, profile_event_category category) const
{
    if (synchronize_ && exec) {
        exec->synchronize();
    }
    begin_hook_(name.c_str(), category);
}

void ProfilerHook::end(const Executor* exec, const std::string& name, profile_event_category category) const
{
    if (synchronize_ && exec) {
        exec->synchronize();
    }
    end_hook_(name.c_str(), category);
}

profiling_scope_guard ProfilerHook::user_range(const char* name) const
{
    return {name, profile_event_category::user, begin_hook_, end_hook_};
}

using category = profile_event_category;

void ProfilerHook::on_allocation_started(const Executor* exec, const size_type&) const
{
    this->begin(exec, "allocate", category::memory);
}
void ProfilerHook::on_allocation_completed(const Executor* exec, const size_type&, const uintptr&) const
{
    this->end(exec, "allocate", category::memory);
}
void ProfilerHook::on_free_started(const Executor* exec, const uintptr&) const
{
    this->begin(exec, "free", category::memory);
}
void ProfilerHook::on_free_completed(const Executor* exec, const uintptr&) const
{
    this->end(exec, "free", category::memory);
}
void ProfilerHook::on_copy_started(const Executor* from, const Executor* to, const uintptr&, const uintptr&,
                                   const size_type&) const
{
    if (synchronize_) {
        from->synchronize();
    }
    this->begin(to, "copy", category::memory);
}
void ProfilerHook::on_copy_completed(const Executor* from, const Executor* to, const uintptr&, const uintptr&,
                                     const size_type&) const
{
    if (synchronize_) {
        from->synchronize();
    }
    this->end(to, "copy", category::memory);
}

void ProfilerHook::on_operation_launched(const Executor* exec, const Operation* op) const
{
    this->begin(exec, op->get_name(), category::operation);
}
void ProfilerHook::on_operation_completed(const Executor* exec, const Operation* op) const
{
    this->end(exec, op->get_name(), category::operation);
}

void ProfilerHook::on_polymorphic_object_copy_started(const Executor* exec, const PolymorphicObject* input,
                                                      const PolymorphicObject* output) const
{
    this->begin(exec, "copy(" + this->name_of(input) + "," + this->name_of(output) + ")", category::object);
}
void ProfilerHook::on_polymorphic_object_copy_completed(const Executor* exec, const PolymorphicObject* input,
                                                        const PolymorphicObject* output) const
{
    this->end(exec, "copy(" + this->name_of(input) + "," + this->name_of(output) + ")", category::object);
}
void ProfilerHook::on_polymorphic_object_move_started(const Executor* exec, const PolymorphicObject* input,
                                                      const PolymorphicObject* output) const
{
    this->begin(exec, "move(" + this->name_of(input) + "," + this->name_of(output) + ")", category::object);
}
void ProfilerHook::on_polymorphic_object_move_completed(const Executor* exec, const PolymorphicObject* input,
                                                        const PolymorphicObject* output) const
{
    this->end(exec, "move(" + this->name_of(input) + "," + this->name_of(output) + ")", category::object);
}
void ProfilerHook::on_polymorphic_object_deleted(const Executor*, const PolymorphicObject* object) const
{
    // Another object may come to lie at this address.
    const std::lock_guard<std::mutex> lock{objects_->mutex};
    objects_->names.erase(object);
}

void ProfilerHook::end_iteration(const LinOp* solver) const
{
    bool was_iterating{};
    {
        const std::lock_guard<std::mutex> lock{objects_->mutex};
        was_iterating = objects_->iterating.erase(solver) > 0;
    }
    if (was_iterating) {
        this->end(solver->get_executor().get(), "iteration", category::solver);
    }
}

void ProfilerHook::on_linop_apply_started(const LinOp* A, const LinOp*, const LinOp*) const
{
    this->end_iteration(A);  // an exception may have left it open
    this->begin(A->get_executor().get(), "apply(" + this->name_of(A) + ")", category::linop);
}
void ProfilerHook::on_linop_apply_completed(const LinOp* A, const LinOp*, const LinOp*) const
{
    this->end_iteration(A);
    this->end(A->get_executor().get(), "apply(" + this->name_of(A) + ")", category::linop);
}
void ProfilerHook::on_linop_advanced_apply_started(const LinOp* A, const LinOp*, const LinOp*, const LinOp*,
                                                   const LinOp*) const
{
    this->end_iteration(A);
    this->begin(A->get_executor().get(), "advanced_apply(" + this->name_of(A) + ")", category::linop);
}
void ProfilerHook::on_linop_advanced_apply_completed(const LinOp* A, const LinOp*, const LinOp*, const LinOp*,
                                                     const LinOp*) const
{
    this->end_iteration(A);
    this->end(A->get_executor().get(), "advanced_apply(" + this->name_of(A) + ")", category::linop);
}

void ProfilerHook::on_linop_factory_generate_started(const LinOpFactory* factory, const LinOp*) const
{
    this->begin(factory->get_executor().get(), "generate(" + this->name_of(factory) + ")", category::factory);
}
void ProfilerHook::on_linop_factory_generate_completed(const LinOpFactory* factory, const LinOp*, const LinOp*) const
{
    this->end(factory->get_executor().get(), "generate(" + this->name_of(factory) + ")", category::factory);
}

void ProfilerHook::on_criterion_check_started(const stop::Criterion* criterion, const size_type&, const LinOp*,
                                              const LinOp*, const LinOp*, const uint8&, const bool&) const
{
    this->begin(criterion->get_executor().get(), "check(" + this->name_of(criterion) + ")", category::criterion);
}
void ProfilerHook::on_criterion_check_completed(const stop::Criterion* criterion, const size_type&, const LinOp*,
                                                const LinOp*, const LinOp*, const uint8&, const bool&,
                                                const array<stopping_status>*, const bool&, const bool&) const
{
    this->end(criterion->get_executor().get(), "check(" + this->name_of(criterion) + ")", category::criterion);
}
void ProfilerHook::on_criterion_check_completed(const stop::Criterion* criterion, const size_type& it, const LinOp* r,
                                                const LinOp* tau, const LinOp*, const LinOp* x, const uint8& id,
                                                const bool& finalized, const array<stopping_status>* status,
                                                const bool& one_changed, const bool& all_stopped) const
{
    this->on_criterion_check_completed(criterion, it, r, tau, x, id, finalized, status, one_changed, all_stopped);
}

void ProfilerHook::on_iteration_complete(const LinOp* solver, const size_type& it, const LinOp* r, const LinOp* x,
                                         const LinOp* tau) const
{
    this->on_iteration_complete(solver, nullptr, x, it, r, tau, nullptr, nullptr, false);
}
void ProfilerHook::on_iteration_complete(const LinOp* solver, const size_type& it, const LinOp* r, const LinOp* x,
                                         const LinOp* tau, const LinOp* implicit_tau_sq) const
{
    this->on_iteration_complete(solver, nullptr, x, it, r, tau, implicit_tau_sq, nullptr, false);
}
void ProfilerHook::on_iteration_complete(const LinOp* solver, const LinOp*, const LinOp*, const size_type&,
                                         const LinOp*, const LinOp*, const LinOp*, const array<stopping_status>*,
                                         bool stopped) const
{
    // The event at count 0 comes before the first iteration, each later one between two, the last one after the last.
    this->end_iteration(solver);
    if (!stopped) {
        {
            const std::lock_guard<std::mutex> lock{objects_->mutex};
            objects_->iterating.insert(solver);
        }
        this->begin(solver->get_executor().get(), "iteration", category::solver);
    }
}

std::shared_ptr<ProfilerHook> ProfilerHook::create_custom(hook_function begin, hook_function end)
{
    return std::shared_ptr<ProfilerHook>(new ProfilerHook(std::move(begin), std::move(end)));
}

namespace {

using push_function = int(const char*);
using pop_function = int();

/// Looks up the two functions of a marker library, which stays loaded until the end of the program.
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

[[noreturn]] void throw_not_offered(const char* tool)
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
std::shared_ptr<ProfilerHook> ProfilerHook::create_tau(bool) { throw_not_offered("tau"); }
std::shared_ptr<ProfilerHook> ProfilerHook::create_vtune() { throw_not_offered("vtune"); }

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
