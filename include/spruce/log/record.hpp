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

/// Keeps the latest events of each kind, with copies of the objects they are about, on the executors of these objects.
/// What it does for that itself is not logged by Stream and Record loggers. For tests and for finding faults: it copies
/// everything. The copies keep alive what they refer to, executors and their loggers included: where that makes a
/// circle, end it with remove_logger() or get() = {}. For one thread at a time.
class SPRUCE_EXPORT Record : public Logger {
public:
    /// An event of memory: an allocation, a release, or one side of a copy.
    struct executor_data {
        const Executor* exec;
        const size_type num_bytes;  ///< 0 where the event does not tell
        const uintptr location;     ///< 0 where the event does not tell
    };

    /// A kernel or another operation was run.
    struct operation_data {
        const Executor* exec;
        const Operation* op;  ///< gone once the operation is done
    };

    /// An object was created, copied, moved or deleted.
    struct polymorphic_object_data {
        const Executor* exec;
        std::unique_ptr<PolymorphicObject> input;   ///< null for a deleted object: it cannot be copied any more
        std::unique_ptr<PolymorphicObject> output;  ///< null where the event has none
        const PolymorphicObject* input_address;
        const PolymorphicObject* output_address;
    };

    /// An operator was applied: x = A b, or x = alpha A b + beta x.
    struct linop_data {
        std::unique_ptr<LinOp> A;
        std::unique_ptr<LinOp> alpha;  ///< null without scalars; so is beta
        std::unique_ptr<LinOp> b;
        std::unique_ptr<LinOp> beta;
        std::unique_ptr<LinOp> x;
    };

    /// A factory made an operator from another.
    struct linop_factory_data {
        const LinOpFactory* factory;
        std::unique_ptr<LinOp> input;
        std::unique_ptr<LinOp> output;  ///< null at the start
    };

    /// A stopping criterion was asked.
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
        const bool converged;  ///< all columns have stopped, for whatever reason
    };

    /// A solver ended an iteration, or reported its initial state.
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

    /// The oldest event comes first.
    struct logged_data {
        history<executor_data> allocation_started;
        history<executor_data> allocation_completed;
        history<executor_data> free_started;
        history<executor_data> free_completed;
        /// Where from and where to.
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

    /// @param max_storage  how many events of each kind are kept; 0: all
    static std::unique_ptr<Record> create(const mask_type& enabled_events = all_events_mask, size_type max_storage = 1);
    /// The executor plays no part; kept for code written to the older form.
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
