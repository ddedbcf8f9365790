// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <spruce/base/exception.hpp>
#include <spruce/base/pointers.hpp>
#include <spruce/base/types.hpp>

namespace spruce {

class Executor;
class LinOp;
class LinOpFactory;
class Operation;
class PolymorphicObject;
class stopping_status;
template <typename ValueType>
class array;

namespace batch {
class BatchLinOp;
class BatchLinOpFactory;
}  // namespace batch
namespace stop {
class Criterion;
}

/// Selects whether the loggers of an executor that need propagation also receive the events of the
/// objects on this executor.
enum class log_propagation_mode { never, automatic };

namespace log {

/// Observes events. Derived classes override the handlers of the events of interest. Each event has
/// a number, a mask bit with the suffix _mask, and a handler with the prefix on_.
///
/// Threads: a handler runs in the thread that called the library function which causes the event,
/// before that function returns. Threads that the library starts, such as those of OpenMP, cause no
/// events. A logger of objects or executors that several threads use is called concurrently.
/// ProfilerHook and PerformanceHint allow this. Convergence, Record, SolverProgress, Stream and
/// loggers without a lock of their own do not. Loggers may be added and removed only while no other
/// thread uses the object or executor.
///
/// Exceptions: an exception of a handler reaches the caller of the function that causes the event,
/// and the remaining loggers are not called. At a ..._started event nothing has happened yet, and
/// no ..._completed event follows. At a ..._completed event the work is done and remains done. Only
/// new memory and new objects are released: allocation_completed,
/// polymorphic_object_create_completed, linop_factory_generate_completed. An exception in the work
/// itself omits the ..._completed event, too. Two cases differ. operation_completed always follows
/// operation_launched. Destructors cause the events operation_completed, free_started,
/// free_completed and polymorphic_object_deleted. Exceptions of their handlers are caught and
/// counted, and all loggers are called.
class SPRUCE_EXPORT Logger {
    template <size_type Id>
    using event = std::integral_constant<size_type, Id>;

public:
    using mask_type = uint64;

    static constexpr mask_type all_events_mask = ~mask_type{0};

    virtual ~Logger();

    /// Returns the number of exceptions of handlers that were caught in the process because a
    /// destructor caused the event.
    static size_type get_num_caught_exceptions() noexcept;
    static void count_caught_exception() noexcept;

    /// Calls the handler of the event with this number if the mask of the logger contains the
    /// event: logger->on<Logger::allocation_started>(exec, num_bytes).
    template <size_type Event, typename... Args>
    void on(Args&&... args) const
    {
        this->on_event(event<Event>{}, std::forward<Args>(args)...);
    }

    /// Returns true if this logger, when added to an executor, also receives the events of the
    /// objects on the executor.
    virtual bool needs_propagation() const { return false; }

    /// Returns true if a solver has to log iteration_complete for every iteration while it runs. If
    /// no logger of a solver on a GPU requires this, the host launches iterations before it has the
    /// results of earlier ones. Then the solver logs only the last iteration.
    virtual bool needs_every_iteration() const { return true; }

#define SPRUCE_LOGGER_EVENT(_id, _event, ...)                        \
private:                                                             \
    template <typename... Args>                                      \
    void on_event(event<_id>, Args&&... args) const                  \
    {                                                                \
        if (enabled_events_ & _event##_mask) {                       \
            this->on_##_event(args...);                              \
        }                                                            \
    }                                                                \
                                                                     \
public:                                                              \
    static constexpr size_type _event{_id};                          \
    static constexpr mask_type _event##_mask{mask_type{1} << (_id)}; \
    virtual void on_##_event(__VA_ARGS__) const

    SPRUCE_LOGGER_EVENT(0, allocation_started, const Executor*, const size_type&) {}
    SPRUCE_LOGGER_EVENT(1, allocation_completed, const Executor*, const size_type&, const uintptr&) {}
    SPRUCE_LOGGER_EVENT(2, free_started, const Executor*, const uintptr&) {}
    SPRUCE_LOGGER_EVENT(3, free_completed, const Executor*, const uintptr&) {}
    SPRUCE_LOGGER_EVENT(4, copy_started, const Executor*, const Executor*, const uintptr&, const uintptr&,
                        const size_type&)
    {}
    SPRUCE_LOGGER_EVENT(5, copy_completed, const Executor*, const Executor*, const uintptr&, const uintptr&,
                        const size_type&)
    {}
    SPRUCE_LOGGER_EVENT(6, operation_launched, const Executor*, const Operation*) {}
    SPRUCE_LOGGER_EVENT(7, operation_completed, const Executor*, const Operation*) {}
    SPRUCE_LOGGER_EVENT(8, polymorphic_object_create_started, const Executor*, const PolymorphicObject*) {}
    SPRUCE_LOGGER_EVENT(9, polymorphic_object_create_completed, const Executor*, const PolymorphicObject*,
                        const PolymorphicObject*)
    {}
    SPRUCE_LOGGER_EVENT(10, polymorphic_object_copy_started, const Executor*, const PolymorphicObject*,
                        const PolymorphicObject*)
    {}
    SPRUCE_LOGGER_EVENT(11, polymorphic_object_copy_completed, const Executor*, const PolymorphicObject*,
                        const PolymorphicObject*)
    {}
    SPRUCE_LOGGER_EVENT(12, polymorphic_object_deleted, const Executor*, const PolymorphicObject*) {}
    SPRUCE_LOGGER_EVENT(13, linop_apply_started, const LinOp*, const LinOp*, const LinOp*) {}
    SPRUCE_LOGGER_EVENT(14, linop_apply_completed, const LinOp*, const LinOp*, const LinOp*) {}
    SPRUCE_LOGGER_EVENT(15, linop_advanced_apply_started, const LinOp*, const LinOp*, const LinOp*, const LinOp*,
                        const LinOp*)
    {}
    SPRUCE_LOGGER_EVENT(16, linop_advanced_apply_completed, const LinOp*, const LinOp*, const LinOp*, const LinOp*,
                        const LinOp*)
    {}
    SPRUCE_LOGGER_EVENT(17, linop_factory_generate_started, const LinOpFactory*, const LinOp*) {}
    SPRUCE_LOGGER_EVENT(18, linop_factory_generate_completed, const LinOpFactory*, const LinOp*, const LinOp*) {}
    SPRUCE_LOGGER_EVENT(19, criterion_check_started, const stop::Criterion*, const size_type&, const LinOp*,
                        const LinOp*, const LinOp*, const uint8&, const bool&)
    {}

    // Later forms of an event contain more data. Unless overridden, they call the earlier form.
    SPRUCE_LOGGER_EVENT(20, criterion_check_completed, const stop::Criterion*, const size_type&, const LinOp*,
                        const LinOp*, const LinOp*, const uint8&, const bool&, const array<stopping_status>*,
                        const bool&, const bool&)
    {}
    virtual void on_criterion_check_completed(const stop::Criterion* criterion, const size_type& it, const LinOp* r,
                                              const LinOp* tau, const LinOp* implicit_tau_sq, const LinOp* x,
                                              const uint8& id, const bool& finalized,
                                              const array<stopping_status>* status, const bool& one_changed,
                                              const bool& all_stopped) const;

    SPRUCE_LOGGER_EVENT(21, iteration_complete, const LinOp*, const size_type&, const LinOp*, const LinOp* = nullptr,
                        const LinOp* = nullptr)
    {}
    virtual void on_iteration_complete(const LinOp* solver, const size_type& it, const LinOp* r, const LinOp* x,
                                       const LinOp* tau, const LinOp* implicit_tau_sq) const;
    virtual void on_iteration_complete(const LinOp* solver, const LinOp* b, const LinOp* x, const size_type& it,
                                       const LinOp* r, const LinOp* tau, const LinOp* implicit_tau_sq,
                                       const array<stopping_status>* status, bool stopped) const;

    SPRUCE_LOGGER_EVENT(22, polymorphic_object_move_started, const Executor*, const PolymorphicObject*,
                        const PolymorphicObject*)
    {}
    SPRUCE_LOGGER_EVENT(23, polymorphic_object_move_completed, const Executor*, const PolymorphicObject*,
                        const PolymorphicObject*)
    {}
    SPRUCE_LOGGER_EVENT(24, batch_linop_factory_generate_started, const batch::BatchLinOpFactory*,
                        const batch::BatchLinOp*)
    {}
    SPRUCE_LOGGER_EVENT(25, batch_linop_factory_generate_completed, const batch::BatchLinOpFactory*,
                        const batch::BatchLinOp*, const batch::BatchLinOp*)
    {}
    SPRUCE_LOGGER_EVENT(26, batch_solver_completed, const array<int>&, const array<double>&) {}
    virtual void on_batch_solver_completed(const array<int>&, const array<float>&) const {}

    // A preconditioner took diagonal entries that are zero for 1. generate() notifies the loggers
    // of the factory, refresh() those of the preconditioner.
    SPRUCE_LOGGER_EVENT(27, zero_diagonal_replaced, const LinOp*) {}
    // The sweeps of a factorization did not converge, and its factors were computed by elimination;
    // or there were no stable factors with fill-in, and those in the pattern of the matrix were
    // computed.
    // generate() notifies the loggers of the factory, refresh() those of the factorization.
    SPRUCE_LOGGER_EVENT(28, sweeps_failed, const LinOp*) {}
    // A solver::Multigrid has computed its levels. The text is that of explain(). generate()
    // notifies the loggers of the factory, refresh() those of the solver.
    SPRUCE_LOGGER_EVENT(29, hierarchy_generated, const LinOp*, const std::string&) {}
#undef SPRUCE_LOGGER_EVENT

    static constexpr mask_type executor_events_mask = allocation_started_mask | allocation_completed_mask |
                                                      free_started_mask | free_completed_mask | copy_started_mask |
                                                      copy_completed_mask;
    static constexpr mask_type operation_events_mask = operation_launched_mask | operation_completed_mask;
    static constexpr mask_type polymorphic_object_events_mask =
        polymorphic_object_create_started_mask | polymorphic_object_create_completed_mask |
        polymorphic_object_copy_started_mask | polymorphic_object_copy_completed_mask |
        polymorphic_object_deleted_mask | polymorphic_object_move_started_mask | polymorphic_object_move_completed_mask;
    static constexpr mask_type linop_events_mask = linop_apply_started_mask | linop_apply_completed_mask |
                                                   linop_advanced_apply_started_mask |
                                                   linop_advanced_apply_completed_mask;
    static constexpr mask_type linop_factory_events_mask =
        linop_factory_generate_started_mask | linop_factory_generate_completed_mask;
    static constexpr mask_type batch_linop_factory_events_mask =
        batch_linop_factory_generate_started_mask | batch_linop_factory_generate_completed_mask;
    static constexpr mask_type criterion_events_mask = criterion_check_started_mask | criterion_check_completed_mask;

protected:
    explicit Logger(const mask_type& enabled_events = all_events_mask) : enabled_events_{enabled_events} {}
    /// Creates a logger. The executor is ignored; this form exists for compatibility.
    explicit Logger(std::shared_ptr<const Executor>, const mask_type& enabled_events = all_events_mask)
        : Logger{enabled_events}
    {}

private:
    mask_type enabled_events_;
};

/// Describes an object that loggers can be added to.
class SPRUCE_EXPORT Loggable {
public:
    virtual ~Loggable();
    /// Adds a logger.
    /// @throws NotSupported  for a null pointer
    virtual void add_logger(std::shared_ptr<const Logger> logger) = 0;
    /// Removes a logger.
    /// @throws OutOfBoundsError  if the logger was not added, and for a null pointer
    virtual void remove_logger(const Logger* logger) = 0;
    void remove_logger(ptr_param<const Logger> logger) { this->remove_logger(logger.get()); }
    virtual const std::vector<std::shared_ptr<const Logger>>& get_loggers() const = 0;
    virtual void clear_loggers() = 0;
};

/// Implements Loggable. The loggers of the executor that need propagation receive the events, too.
template <typename Concrete, typename Base = Loggable>
class EnableLogging : public Base {
public:
    using Base::remove_logger;

    void add_logger(std::shared_ptr<const Logger> logger) override
    {
        if (!logger) {
            detail::throw_null_pointer("add_logger");
        }
        loggers_.push_back(std::move(logger));
    }

    void remove_logger(const Logger* logger) override
    {
        const auto found =
            std::find_if(loggers_.begin(), loggers_.end(), [&](const auto& held) { return held.get() == logger; });
        if (found == loggers_.end()) {
            throw OutOfBoundsError(__FILE__, __LINE__, loggers_.size(), loggers_.size());
        }
        loggers_.erase(found);
    }

    const std::vector<std::shared_ptr<const Logger>>& get_loggers() const override { return loggers_; }

    void clear_loggers() override { loggers_.clear(); }

protected:
    template <size_type Event, typename... Args>
    void log(const Args&... args) const
    {
        this->for_each_logger_of<Event>([&](const Logger& logger) { logger.template on<Event>(args...); });
    }

    /// Notifies the loggers of an event of a destructor. Exceptions of the loggers are caught and
    /// counted.
    template <size_type Event, typename... Args>
    void log_without_exceptions(const Args&... args) const noexcept
    {
        this->for_each_logger_of<Event>([&](const Logger& logger) {
            try {
                logger.template on<Event>(args...);
            } catch (...) {
                Logger::count_caught_exception();
            }
        });
    }

    std::vector<std::shared_ptr<const Logger>> loggers_;

private:
    template <size_type Event, typename Function>
    void for_each_logger_of(Function function) const
    {
        for_each_of(loggers_, function);
        // The executor itself notifies its loggers of the events of PolymorphicObject. Propagation
        // would notify them twice.
        constexpr auto is_object_event = ((Logger::polymorphic_object_events_mask >> Event) & 1) != 0;
        if constexpr (!std::is_same_v<Concrete, Executor> && !is_object_event) {
            const auto exec = static_cast<const Concrete*>(this)->get_executor();
            if (exec && exec->should_propagate_log()) {
                for_each_of(exec->get_loggers(), [&](const Logger& logger) {
                    if (logger.needs_propagation()) {
                        function(logger);
                    }
                });
            }
        }
    }

    /// Calls function for each logger. function may remove or add loggers.
    template <typename Function>
    static void for_each_of(const std::vector<std::shared_ptr<const Logger>>& loggers, Function function)
    {
        for (size_type i = 0; i < loggers.size(); ++i) {
            const auto logger = loggers[i];
            function(*logger);
        }
    }
};

}  // namespace log
}  // namespace spruce
