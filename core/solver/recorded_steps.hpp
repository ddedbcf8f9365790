// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <functional>

#include <spruce/solver/solver_base.hpp>

#include "common/base/bounds_check.hpp"

namespace spruce::solver::detail {

class late_check;

/// A multiple of 2 and 3: after so many steps the scalars that solvers pass on from one to the next are in their places again.
constexpr size_type recorded_steps_at_once = 12;

/// Steps on few entries take a device less time than it takes to launch their kernels one by one: blocks of them are recorded, with
/// the checks between them, and started at once. Columns that have stopped are left alone by the steps that follow, so results and
/// counts are the same.
template <typename ValueType>
class recorded_steps {
public:
    using real = remove_complex<ValueType>;

    /// @param looks_late      whether the host may leave checks to the device
    /// @param preconditioner  null if there is none
    /// @param norm  what the checks look at
    recorded_steps(workspace& work, bool looks_late, const stop::Criterion& criterion, const LinOp& matrix,
                   const LinOp* preconditioner, const matrix::Dense<real>& norm, array<stopping_status>& status);

    /// Takes step number iteration, and maybe those that follow it, by calls to step(check), which takes the check along unless that is
    /// empty, and says where the recurrence has the squared norms then, if it does.
    /// @return how many steps were taken
    template <typename Step>
    size_type run(size_type iteration, Step step)
    {
        if (this->can_replay(iteration)) {
            this->replay();
            return recorded_steps_at_once;
        }
        if (this->can_record(iteration)) {
            this->record([&] {
                for (size_type i = 1; i < recorded_steps_at_once; ++i) {
                    const auto along = this->check_in_recording();
                    const auto implicit_sq_norm = step(along);
                    if (!along) {
                        this->check(implicit_sq_norm);
                    }
                }
                step(bounds_check{});
            });
            this->replay();
            return recorded_steps_at_once;
        }
        const auto before = norm_.get_executor()->get_counters();
        step(this->check_after(iteration));
        this->judge(norm_.get_executor()->get_counters() - before);
        return 1;
    }

private:
    using bounds_check = kernels::stop::bounds_check<real>;

    /// Null where checks are not late.
    late_check* get_late_check() const;
    bool can_replay(size_type iteration) const;
    bool can_record(size_type iteration) const;
    /// Whether the scalars are where they are in a recording, and nobody has to look at anything before so many steps are done.
    bool has_room(size_type iteration) const;
    /// Whether a step did nothing but launch kernels.
    void judge(const executor_counters& of_step)
    {
        only_launches_ = of_step.launches > 0 && of_step.allocations + of_step.copies + of_step.waits == 0;
    }
    void record(const std::function<void()>& launch_all);
    void replay();
    /// The check after step number iteration, if the step can take it along.
    bounds_check check_after(size_type iteration) const;
    /// The same for any step of a recording but the last one.
    bounds_check check_in_recording() const;
    void check(const matrix::Dense<ValueType>* implicit_sq_norm);

    workspace& work_;
    bool looks_late_;
    const stop::Criterion& criterion_;
    const matrix::Dense<real>& norm_;
    array<stopping_status>& status_;
    bool pays_{};           ///< and is possible as far as is known before the first step
    bool only_launches_{};  ///< is all that a step did
};

}  // namespace spruce::solver::detail
