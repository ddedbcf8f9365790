// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <deque>
#include <memory>
#include <utility>

#include <spruce/base/array.hpp>
#include <spruce/base/lin_op.hpp>
#include <spruce/log/logger.hpp>
#include <spruce/stop/stopping_status.hpp>

namespace spruce {
namespace log {

/// Stores the latest events of each kind, with copies of their objects on the executors of these
/// objects. The copies themselves are not logged by Stream and Record loggers. It is meant for
/// tests and debugging, because it copies everything. The copies keep alive what they refer to,
/// including executors and their loggers. If this creates a cycle of references, remove_logger() or
/// get() = {} ends it. Only one thread at a time may use it.
class SPRUCE_EXPORT Record : public Logger {
public:
    /// Describes an event of memory: an allocation, a release, or one side of a copy.
    struct executor_data {
        const Executor* exec;
        const size_type num_bytes;  ///< 0 if the event does not contain it
        const uintptr location;     ///< 0 if the event does not contain it
    };

    /// Describes a kernel or another operation that was run.
    struct operation_data {
        const Executor* exec;
        const Operation* op;  ///< does not exist any more when the operation is completed
    };

    /// Describes an object that was created, copied, moved or deleted.
    struct polymorphic_object_data {
        const Executor* exec;
        std::unique_ptr<PolymorphicObject> input;   ///< null for a deleted object, which cannot be copied any more
        std::unique_ptr<PolymorphicObject> output;  ///< null if the event has none
        const PolymorphicObject* input_address;
        const PolymorphicObject* output_address;
    };

    /// Describes an apply of an operator: x = A b, or x = alpha A b + beta x.
    struct linop_data {
        std::unique_ptr<LinOp> A;
        std::unique_ptr<LinOp> alpha;  ///< null without scalars, as is beta
        std::unique_ptr<LinOp> b;
        std::unique_ptr<LinOp> beta;
        std::unique_ptr<LinOp> x;
    };

    /// Describes the creation of an operator by a factory.
    struct linop_factory_data {
        const LinOpFactory* factory;
        std::unique_ptr<LinOp> input;
        std::unique_ptr<LinOp> output;  ///< null at the start
    };

    /// Describes a check of a stopping criterion.
    struct criterion_data {
        const stop::Criterion* criterion;
        const size_type num_iterations;
        std::unique_ptr<LinOp> residual;
        std::unique_ptr<LinOp> residual_norm;
        std::unique_ptr<LinOp> implicit_sq_residual_norm;
        std::unique_ptr<LinOp> solution;
        const uint8 stopping_id;
        const bool set_finalized;
        std::unique_ptr<array<stopping_status>> status;  ///< null at the start
        const bool oneChanged;
        const bool converged;  ///< all columns have stopped, for any reason
    };

    /// Describes the end of an iteration of a solver, or its initial state.
    struct iteration_complete_data {
        std::unique_ptr<LinOp> solver;
        std::unique_ptr<LinOp> right_hand_side;
        std::unique_ptr<LinOp> solution;
        const size_type num_iterations;
        std::unique_ptr<LinOp> residual;
        std::unique_ptr<LinOp> residual_norm;
        std::unique_ptr<LinOp> implicit_sq_residual_norm;
        std::unique_ptr<array<stopping_status>> status;
        const bool all_stopped;
    };

    template <typename Data>
    using history = std::deque<std::unique_ptr<Data>>;

    /// Contains the events of each kind. The oldest event comes first.
    struct logged_data {
        history<executor_data> allocation_started;
        history<executor_data> allocation_completed;
        history<executor_data> free_started;
        history<executor_data> free_completed;
        /// Source and destination.
        history<std::pair<executor_data, executor_data>> copy_started;
        history<std::pair<executor_data, executor_data>> copy_completed;

        history<operation_data> operation_launched;
        history<operation_data> operation_completed;

        history<polymorphic_object_data> polymorphic_object_create_started;
        history<polymorphic_object_data> polymorphic_object_create_completed;
        history<polymorphic_object_data> polymorphic_object_copy_started;
        history<polymorphic_object_data> polymorphic_object_copy_completed;
        history<polymorphic_object_data> polymorphic_object_move_started;
        history<polymorphic_object_data> polymorphic_object_move_completed;
        history<polymorphic_object_data> polymorphic_object_deleted;

        history<linop_data> linop_apply_started;
        history<linop_data> linop_apply_completed;
        history<linop_data> linop_advanced_apply_started;
        history<linop_data> linop_advanced_apply_completed;

        history<linop_factory_data> linop_factory_generate_started;
        history<linop_factory_data> linop_factory_generate_completed;

        history<criterion_data> criterion_check_started;
        history<criterion_data> criterion_check_completed;

        history<iteration_complete_data> iteration_completed;
    };

    /// Creates a logger.
    /// @param max_storage  number of events of each kind that are kept; 0: all
    static std::unique_ptr<Record> create(const mask_type& enabled_events = all_events_mask, size_type max_storage = 1);
    /// Creates a logger. The executor is ignored; this form exists for compatibility.
    static std::unique_ptr<Record> create(std::shared_ptr<const Executor> exec,
                                          const mask_type& enabled_events = all_events_mask, size_type max_storage = 1);

    const logged_data& get() const noexcept { return data_; }
    logged_data& get() noexcept { return data_; }

protected:
    using Logger::Logger;

    mutable logged_data data_;
};

}  // namespace log
}  // namespace spruce
