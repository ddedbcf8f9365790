// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include <spruce/log/logger.hpp>

namespace spruce {
namespace log {

/// Prints a line for each event: "[LOG] >>> " and what happened to which objects. If verbose, the entries of the
/// Dense<ValueType> operands follow. What it has to copy for that is not logged by Stream and Record loggers.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Stream : public Logger {
public:
    /// Prints to std::cerr.
    static std::unique_ptr<Stream> create(const mask_type& enabled_events = all_events_mask);
    /// @param os  has to outlive the logger; its precision and format are used for matrix entries
    static std::unique_ptr<Stream> create(const mask_type& enabled_events, std::ostream& os, bool verbose = false);

    /// Older forms: the executor plays no part; without os prints to std::cout.
    static std::unique_ptr<Stream> create(std::shared_ptr<const Executor> exec,
                                          const mask_type& enabled_events = all_events_mask);
    static std::unique_ptr<Stream> create(std::shared_ptr<const Executor> exec, const mask_type& enabled_events,
                                          std::ostream& os, bool verbose = false);

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
    void on_polymorphic_object_create_started(const Executor* exec, const PolymorphicObject* object) const override;
    void on_polymorphic_object_create_completed(const Executor* exec, const PolymorphicObject* input,
                                                const PolymorphicObject* output) const override;
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

protected:
    Stream(const mask_type& enabled_events, std::ostream& os, bool verbose);

private:
    class line;

    std::ostream& os_;
    bool verbose_;
};

}  // namespace log
}  // namespace spruce
