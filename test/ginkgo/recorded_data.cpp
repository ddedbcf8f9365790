// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Reads the members of the data that log::Record stores.

#include <ginkgo/ginkgo.hpp>

#include <memory>
#include <tuple>

#include "check.hpp"

using Dense = gko::matrix::Dense<double>;

int main()
{
    const auto exec = gko::ReferenceExecutor::create();
    const auto record = gko::share(gko::log::Record::create(gko::log::Logger::all_events_mask, 2));
    const auto a = gko::share(gko::initialize<Dense>({{2.0, 0.0}, {0.0, 3.0}}, exec));
    const auto b = gko::initialize<Dense>({2.0, 3.0}, exec);
    const auto x = gko::initialize<Dense>({0.0, 0.0}, exec);
    const auto one = gko::initialize<Dense>({1.0}, exec);
    const auto at = [](const auto& op, int row) { return gko::as<Dense>(op.get())->at(row, 0); };

    exec->add_logger(record);
    const auto memory = exec->alloc<char>(8);
    exec->copy(4, memory, memory + 4);
    exec->free(memory);
    exec->run(
        "mine", [] {}, [] {}, [] {}, [] {}, [] {});
    exec->remove_logger(record);
    const auto& data = record->get();
    check(data.allocation_started.back()->exec == exec.get() && data.allocation_started.back()->num_bytes == 8 &&
              data.allocation_completed.back()->location == reinterpret_cast<gko::uintptr>(memory),
          "executor_data of an allocation");
    check(data.free_started.back()->location == data.free_completed.back()->location, "executor_data of a release");
    check(std::get<0>(*data.copy_started.back()).num_bytes == 4 &&
              std::get<1>(*data.copy_completed.back()).location == reinterpret_cast<gko::uintptr>(memory + 4),
          "executor_data of a copy");
    check(data.operation_launched.back()->exec == exec.get() &&
              data.operation_launched.back()->op == data.operation_completed.back()->op,
          "operation_data");

    a->add_logger(record);
    a->apply(b, x);
    a->apply(one, b, one, x);
    const auto& applied = *data.linop_apply_completed.back();
    const auto& advanced = *data.linop_advanced_apply_completed.back();
    check(at(applied.A, 0) == 2.0 && at(applied.b, 1) == 3.0 && at(applied.x, 1) == 9.0, "linop_data");
    check(at(advanced.alpha, 0) == 1.0 && at(advanced.beta, 0) == 1.0 && at(advanced.x, 0) == 8.0 &&
              at(data.linop_advanced_apply_started.back()->x, 0) == 4.0 && data.linop_apply_started.size() == 1,
          "linop_data of an advanced apply");
    const auto copy = a->clone();
    a->copy_from(copy);
    a->move_from(copy);
    check(at(data.polymorphic_object_create_started.back()->input, 0) == 2.0 &&
              data.polymorphic_object_create_completed.back()->output != nullptr &&
              data.polymorphic_object_create_completed.back()->exec == exec.get(),
          "polymorphic_object_data of a creation");
    check(at(data.polymorphic_object_copy_started.back()->input, 0) == 2.0 &&
              at(data.polymorphic_object_copy_completed.back()->output, 0) == 2.0 &&
              data.polymorphic_object_move_started.size() == 1 &&
              at(data.polymorphic_object_move_completed.back()->output, 0) == 2.0 &&
              data.polymorphic_object_deleted.empty(),
          "polymorphic_object_data of a copy and a move");
    a->clear_loggers();

    const auto limit = gko::share(gko::stop::Iteration::build().with_max_iters(1u).on(exec));
    limit->add_logger(record);
    const auto factory = gko::solver::Cg<>::build().with_criteria(limit).with_loggers(record).on(exec);
    const auto solver = factory->generate(a);
    solver->apply(b, x);
    const auto& generated = *data.linop_factory_generate_completed.back();
    check(generated.factory == factory.get() && at(generated.input, 0) == 2.0 && generated.output != nullptr &&
              data.linop_factory_generate_started.back()->output == nullptr,
          "linop_factory_data");
    const auto& checked = *data.criterion_check_completed.back();
    check(checked.criterion != nullptr && checked.num_iterations == 1 && checked.residual != nullptr &&
              checked.residual_norm != nullptr && checked.solution != nullptr && checked.stopping_id == 1 &&
              checked.set_finalized && checked.status->get_const_data()->has_stopped() && checked.oneChanged &&
              checked.converged && data.criterion_check_started.back()->num_iterations == 1,
          "criterion_data");
    const auto& iteration = *data.iteration_completed.back();
    check(iteration.solver.get() != nullptr && at(iteration.right_hand_side, 1) == 3.0 &&
              at(iteration.solution, 0) == x->at(0, 0) && iteration.num_iterations == 1 &&
              iteration.residual != nullptr && iteration.residual_norm != nullptr &&
              iteration.implicit_sq_residual_norm != nullptr && iteration.status->get_size() == 1 &&
              iteration.all_stopped,
          "iteration_complete_data");
    record->get() = {};  // a recorded solver holds its criterion, which holds the logger
    return exit_status();
}
