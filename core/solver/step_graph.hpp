// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <functional>

#include <spruce/matrix/dense.hpp>
#include <spruce/stop/criterion.hpp>

#include "core/solver/deferred_check.hpp"
#include "core/solver/schedule.hpp"

namespace spruce::solver::detail {

/// Captures blocks of steps and the stopping tests between them, and replays them with one launch.
///
/// Steps on few entries take a device less time than the host needs to launch their kernels one by
/// one. Columns that have stopped are not changed by the steps that follow. Results and iteration
/// counts therefore do not depend on replays.
template <typename ValueType>
class StepGraph {
public:
    using real = remove_complex<ValueType>;
    using device_check = kernels::stop::device_check<real>;
    using Norms = residual_norms<ValueType>;

    /// @param deferred        null if tests are not deferred
    /// @param is_profitable   whether steps are short and their operators can be captured
    StepGraph(DeferredCheck* deferred, bool is_profitable, const stop::Criterion& criterion,
              const matrix::Dense<real>& norm, const matrix::Dense<real>& scale, array<stopping_status>& status)
        : deferred_{deferred},
          is_profitable_{is_profitable},
          criterion_{criterion},
          norm_{norm},
          scale_{scale},
          status_{status}
    {}

    /// Performs step number iteration, and possibly steps that follow it.
    /// @param step               performs one step; its last kernel may perform get_fused_check()
    /// @param get_implicit_norm  returns the scaled squared norms in the recurrence after a step;
    ///                           null if it has none
    /// @return the number of steps performed
    template <typename Step, typename GetImplicitNorm>
    size_type advance(size_type iteration, Step step, GetImplicitNorm get_implicit_norm);

    /// Returns the test that the last kernel of the current step performs; may be empty.
    const device_check& get_fused_check()
    {
        is_fused_ = static_cast<bool>(offered_);
        return offered_;
    }

private:
    bool can_replay(size_type iteration) const;
    bool can_capture(size_type iteration) const;
    /// Returns true if a graph may start at this iteration. Vectors and scalars must be in the
    /// places that they had at the capture. No work of the host may be due before the graph ends.
    bool fits_before_checkpoint(size_type iteration) const;
    /// Records whether a step did nothing but launch kernels.
    void note_capturability(const executor_counters& of_step)
    {
        only_launches_ = of_step.launches > 0 && of_step.allocations + of_step.copies + of_step.waits == 0;
    }
    void capture(const std::function<void()>& launch_all);
    void replay();
    device_check check_of_iteration(size_type iteration) const;
    device_check get_check_of_graph() const;
    void check_in_graph(const matrix::Dense<ValueType>* implicit_sq_norm);

    DeferredCheck* deferred_;
    bool is_profitable_;
    const stop::Criterion& criterion_;
    const matrix::Dense<real>& norm_;
    const matrix::Dense<real>& scale_;
    array<stopping_status>& status_;
    device_check offered_;
    bool is_fused_{};
    bool only_launches_{};
};

template <typename ValueType>
template <typename Step, typename GetImplicitNorm>
size_type StepGraph<ValueType>::advance(size_type iteration, Step step, GetImplicitNorm get_implicit_norm)
{
    const auto perform = [&](const device_check& check) {
        offered_ = check;
        is_fused_ = false;
        step();
        offered_ = {};
    };
    if (this->can_replay(iteration)) {
        this->replay();
        return steps_per_graph;
    }
    if (this->can_capture(iteration)) {
        this->capture([&] {
            for (size_type i = 1; i < steps_per_graph; ++i) {
                perform(this->get_check_of_graph());
                if (!is_fused_) {
                    this->check_in_graph(get_implicit_norm());
                }
            }
            perform({});
        });
        this->replay();
        return steps_per_graph;
    }
    const auto before = norm_.get_executor()->get_counters();
    perform(this->check_of_iteration(iteration));
    if (is_fused_) {
        deferred_->fuse_into_step();
    }
    this->note_capturability(norm_.get_executor()->get_counters() - before);
    return 1;
}

}  // namespace spruce::solver::detail
