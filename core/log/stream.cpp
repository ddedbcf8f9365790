// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/log/stream.hpp>

#include <iostream>
#include <sstream>
#include <utility>

#include <spruce/base/name_demangling.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/stop/criterion.hpp>

#include "core/log/event_unifier.hpp"
#include "core/log/reentrancy_guard.hpp"

namespace spruce::log {
namespace {

struct location {
    uintptr value;
};
std::ostream& operator<<(std::ostream& os, location where)
{
    return os << "Location[" << reinterpret_cast<const void*>(where.value) << ']';
}

struct bytes {
    size_type count;
};
std::ostream& operator<<(std::ostream& os, bytes amount) { return os << "Bytes[" << amount.count << ']'; }

/// Prints "kind[type,address]", or "kind[name,address]".
template <typename T>
struct described {
    const char* kind;
    const T* object;
};
template <typename T>
std::ostream& operator<<(std::ostream& os, described<T> what)
{
    os << what.kind << '[';
    if (!what.object) {
        return os << "nullptr]";
    }
    if constexpr (std::is_same_v<T, Operation>) {
        os << what.object->get_name();
    } else {
        os << name_demangling::get_type_name(typeid(*what.object));
    }
    return os << ',' << static_cast<const void*>(what.object) << ']';
}

described<Executor> of(const Executor* exec) { return {"Executor", exec}; }
described<LinOp> of(const LinOp* op) { return {"LinOp", op}; }
described<LinOpFactory> of(const LinOpFactory* factory) { return {"LinOpFactory", factory}; }
described<PolymorphicObject> of(const PolymorphicObject* object) { return {"PolymorphicObject", object}; }
described<Operation> of(const Operation* op) { return {"Operation", op}; }
described<stop::Criterion> of(const stop::Criterion* criterion) { return {"Criterion", criterion}; }

template <typename ValueType>
class Printer final : public EventUnifier<Stream<ValueType>> {
public:
    using typename Logger::mask_type;

    Printer(const mask_type& enabled_events, std::ostream& os, bool verbose)
        : EventUnifier<Stream<ValueType>>{enabled_events}, os_{os}, verbose_{verbose}
    {}

    void on_allocation_started(const Executor* exec, const size_type& num_bytes) const override
    {
        line{*this} << "allocation started on " << of(exec) << " with " << bytes{num_bytes};
    }
    void on_allocation_completed(const Executor* exec, const size_type& num_bytes, const uintptr& where) const override
    {
        line{*this} << "allocation completed on " << of(exec) << " at " << location{where} << " with "
                    << bytes{num_bytes};
    }
    void on_free_started(const Executor* exec, const uintptr& where) const override
    {
        line{*this} << "free started on " << of(exec) << " at " << location{where};
    }
    void on_free_completed(const Executor* exec, const uintptr& where) const override
    {
        line{*this} << "free completed on " << of(exec) << " at " << location{where};
    }
    void on_copy_started(const Executor* from, const Executor* to, const uintptr& location_from,
                         const uintptr& location_to, const size_type& num_bytes) const override
    {
        line{*this} << "copy started from " << of(from) << " to " << of(to) << " from " << location{location_from}
                    << " to " << location{location_to} << " with " << bytes{num_bytes};
    }
    void on_copy_completed(const Executor* from, const Executor* to, const uintptr& location_from,
                           const uintptr& location_to, const size_type& num_bytes) const override
    {
        line{*this} << "copy completed from " << of(from) << " to " << of(to) << " from " << location{location_from}
                    << " to " << location{location_to} << " with " << bytes{num_bytes};
    }
    void on_operation_launched(const Executor* exec, const Operation* op) const override
    {
        line{*this} << of(op) << " started on " << of(exec);
    }
    void on_operation_completed(const Executor* exec, const Operation* op) const override
    {
        line{*this} << of(op) << " completed on " << of(exec);
    }
    void on_polymorphic_object_create_started(const Executor* exec, const PolymorphicObject* object) const override
    {
        line{*this} << of(object) << " create started on " << of(exec);
    }
    void on_polymorphic_object_create_completed(const Executor* exec, const PolymorphicObject* input,
                                                const PolymorphicObject* output) const override
    {
        line{*this} << of(output) << " create completed from " << of(input) << " on " << of(exec);
    }
    void on_polymorphic_object_copy_started(const Executor* exec, const PolymorphicObject* input,
                                            const PolymorphicObject* output) const override
    {
        line{*this} << of(input) << " copy started to " << of(output) << " on " << of(exec);
    }
    void on_polymorphic_object_copy_completed(const Executor* exec, const PolymorphicObject* input,
                                              const PolymorphicObject* output) const override
    {
        line{*this} << of(input) << " copy completed to " << of(output) << " on " << of(exec);
    }
    void on_polymorphic_object_move_started(const Executor* exec, const PolymorphicObject* input,
                                            const PolymorphicObject* output) const override
    {
        line{*this} << of(input) << " move started to " << of(output) << " on " << of(exec);
    }
    void on_polymorphic_object_move_completed(const Executor* exec, const PolymorphicObject* input,
                                              const PolymorphicObject* output) const override
    {
        line{*this} << of(input) << " move completed to " << of(output) << " on " << of(exec);
    }
    void on_polymorphic_object_deleted(const Executor* exec, const PolymorphicObject* object) const override
    {
        line{*this} << of(object) << " deleted on " << of(exec);
    }
    void on_linop_apply_started(const LinOp* A, const LinOp* b, const LinOp* x) const override
    {
        (line{*this} << "apply started on A " << of(A) << " with b " << of(b) << " and x " << of(x))
            .with("A", A)
            .with("b", b)
            .with("x", x);
    }
    void on_linop_apply_completed(const LinOp* A, const LinOp* b, const LinOp* x) const override
    {
        (line{*this} << "apply completed on A " << of(A) << " with b " << of(b) << " and x " << of(x))
            .with("A", A)
            .with("b", b)
            .with("x", x);
    }
    void on_linop_advanced_apply_started(const LinOp* A, const LinOp* alpha, const LinOp* b, const LinOp* beta,
                                         const LinOp* x) const override
    {
        (line{*this} << "advanced apply started on A " << of(A) << " with alpha " << of(alpha) << " b " << of(b)
                     << " beta " << of(beta) << " and x " << of(x))
            .with("A", A)
            .with("alpha", alpha)
            .with("b", b)
            .with("beta", beta)
            .with("x", x);
    }
    void on_linop_advanced_apply_completed(const LinOp* A, const LinOp* alpha, const LinOp* b, const LinOp* beta,
                                           const LinOp* x) const override
    {
        (line{*this} << "advanced apply completed on A " << of(A) << " with alpha " << of(alpha) << " b " << of(b)
                     << " beta " << of(beta) << " and x " << of(x))
            .with("A", A)
            .with("alpha", alpha)
            .with("b", b)
            .with("beta", beta)
            .with("x", x);
    }
    void on_linop_factory_generate_started(const LinOpFactory* factory, const LinOp* input) const override
    {
        line{*this} << "generate started for " << of(factory) << " with input " << of(input);
    }
    void on_linop_factory_generate_completed(const LinOpFactory* factory, const LinOp* input,
                                             const LinOp* output) const override
    {
        line{*this} << "generate completed for " << of(factory) << " with input " << of(input) << " produced "
                    << of(output);
    }
    void on_zero_diagonal_replaced(const LinOp* preconditioner) const override
    {
        line{*this} << "zero diagonal entries were taken for 1 by " << of(preconditioner);
    }
    void on_sweeps_failed(const LinOp* factorization) const override
    {
        line{*this} << "sweeps did not converge or factors with fill-in were not usable, and others were computed by "
                    << of(factorization);
    }
    void on_hierarchy_generated(const LinOp* multigrid, const std::string& explanation) const override
    {
        line{*this} << "levels generated for " << of(multigrid) << ":\n" << explanation;
    }
    void on_criterion_check_started(const stop::Criterion* criterion, const size_type& it, const LinOp* r,
                                    const LinOp* tau, const LinOp* x, const uint8& id,
                                    const bool& finalized) const override
    {
        (line{*this} << "check started for " << of(criterion) << " at iteration " << it << " with ID " << int{id}
                     << " and finalized set to " << finalized)
            .with("residual", r)
            .with("residual norm", tau)
            .with("solution", x);
    }
    void on_criterion_check_completed(const stop::Criterion* criterion, const size_type& it, const LinOp* r,
                                      const LinOp* tau, const LinOp* implicit_tau_sq, const LinOp* x, const uint8& id,
                                      const bool& finalized, const array<stopping_status>*, const bool& one_changed,
                                      const bool& all_stopped) const override
    {
        (line{*this} << "check completed for " << of(criterion) << " at iteration " << it << " with ID " << int{id}
                     << " and finalized set to " << finalized << ": one changed " << one_changed << ", all stopped "
                     << all_stopped)
            .with("residual", r)
            .with("residual norm", tau)
            .with("implicit squared residual norm", implicit_tau_sq)
            .with("solution", x);
    }
    void on_iteration_complete(const LinOp* solver, const LinOp* b, const LinOp* x, const size_type& it, const LinOp* r,
                               const LinOp* tau, const LinOp* implicit_tau_sq, const array<stopping_status>*,
                               bool stopped) const override
    {
        (line{*this} << "iteration " << it << " completed with solver " << of(solver) << " with right-hand side "
                     << of(b) << ", residual " << of(r) << ", solution " << of(x) << ", residual norm " << of(tau)
                     << " and implicit squared residual norm " << of(implicit_tau_sq) << ": stopped " << stopped)
            .with("residual", r)
            .with("solution", x)
            .with("residual norm", tau)
            .with("implicit squared residual norm", implicit_tau_sq);
    }

private:
    /// Collects the text of an event and writes it at once, so that events of several threads are
    /// not mixed.
    class line {
    public:
        explicit line(const Printer& parent) : parent_{parent}
        {
            if (!work_.is_nested()) {
                text_.copyfmt(parent.os_);
                text_ << "[LOG] >>> ";
            }
        }
        line(const line&) = delete;
        ~line()
        {
            if (!work_.is_nested()) {
                parent_.os_ << text_.str() + '\n' + matrices_;
            }
        }

        template <typename T>
        line& operator<<(const T& part)
        {
            if (!work_.is_nested()) {
                text_ << part;
            }
            return *this;
        }

        /// Adds the entries of a dense matrix if the logger is verbose.
        line& with(const char* name, const LinOp* op)
        {
            if (work_.is_nested() || !parent_.verbose_) {
                return *this;
            }
            if (const auto dense = dynamic_cast<const matrix::Dense<ValueType>*>(op)) {
                const auto host = dense->clone(dense->get_executor()->get_master());
                std::ostringstream entries;
                entries.copyfmt(parent_.os_);
                entries << name << " = [\n";
                for (size_type row = 0; row < host->get_size()[0]; ++row) {
                    for (size_type col = 0; col < host->get_size()[1]; ++col) {
                        entries << (col == 0 ? "" : "\t") << std::as_const(*host).at(row, col);
                    }
                    entries << '\n';
                }
                entries << "]\n";
                matrices_ += entries.str();
            }
            return *this;
        }

    private:
        reentrancy_guard work_;
        const Printer& parent_;
        std::ostringstream text_;
        std::string matrices_;
    };

    std::ostream& os_;
    bool verbose_;
};

}  // namespace

template <typename ValueType>
std::unique_ptr<Stream<ValueType>> Stream<ValueType>::create(const mask_type& enabled_events)
{
    return create(enabled_events, std::cerr);
}
template <typename ValueType>
std::unique_ptr<Stream<ValueType>> Stream<ValueType>::create(const mask_type& enabled_events, std::ostream& os,
                                                             bool verbose)
{
    return std::make_unique<Printer<ValueType>>(enabled_events, os, verbose);
}
template <typename ValueType>
std::unique_ptr<Stream<ValueType>> Stream<ValueType>::create(std::shared_ptr<const Executor>,
                                                             const mask_type& enabled_events)
{
    return create(enabled_events, std::cout);
}
template <typename ValueType>
std::unique_ptr<Stream<ValueType>> Stream<ValueType>::create(std::shared_ptr<const Executor>,
                                                             const mask_type& enabled_events, std::ostream& os,
                                                             bool verbose)
{
    return create(enabled_events, os, verbose);
}

#define SPRUCE_STREAM(_value) class SPRUCE_EXPORT Stream<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_STREAM);

}  // namespace spruce::log
