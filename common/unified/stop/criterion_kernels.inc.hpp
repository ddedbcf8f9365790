// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

namespace stop {

using matrix::Dense;

/// What a check found: bit 0: some column still runs; bit 1: some status changed.
constexpr int32 still_running = 1;
constexpr int32 changed = 2;

/// Stops as converged the running columns for which is_done(column) holds, and says what happened.
template <typename IsDone>
void converge_where(const DeviceExecutor& exec, array<stopping_status>& status, uint8 id, bool finalize, IsDone is_done,
                    bool& all_stopped, bool& one_changed, array<char>& tmp)
{
    const auto found =
        run_or(exec, status.get_size(), tmp, [=, status = status.get_data()] SPRUCE_LAMBDA(size_type col) -> int32 {
            if (status[col].has_stopped()) {
                return 0;
            }
            if (!is_done(col)) {
                return still_running;
            }
            status[col].converge(id, finalize);
            return changed;
        });
    all_stopped = (found & still_running) == 0;
    one_changed = (found & changed) != 0;
}

/// What the recurrence says, or the residual's norm where that is zero.
template <typename T>
SPRUCE_FN remove_complex<T> implicit_norm(const T& squared, const remove_complex<T>& norm)
{
    return is_zero(squared) ? norm : sqrt_of(abs_of(squared));
}

// Both comparisons are false where a side is NaN: such a column never counts as converged.

template <typename V>
void residual_norm(const DeviceExecutor& exec, const Dense<V>& tau, const Dense<V>& baseline, V factor, uint8 id,
                   bool finalize, array<stopping_status>& status, bool& all_stopped, bool& one_changed,
                   array<char>& tmp)
{
    converge_where(
        exec, status, id, finalize,
        [tau = tau.get_const_values(), baseline = baseline.get_const_values(), factor] SPRUCE_LAMBDA(size_type col) {
            return tau[col] <= factor * baseline[col];
        },
        all_stopped, one_changed, tmp);
}

template <typename V>
void implicit_residual_norm(const DeviceExecutor& exec, const Dense<V>& tau, const Dense<remove_complex<V>>* norm,
                            const Dense<remove_complex<V>>& baseline, remove_complex<V> factor, uint8 id, bool finalize,
                            array<stopping_status>& status, bool& all_stopped, bool& one_changed, array<char>& tmp)
{
    converge_where(
        exec, status, id, finalize,
        [tau = as_device(tau.get_const_values()), norm = norm ? norm->get_const_values() : nullptr,
         baseline = baseline.get_const_values(), factor] SPRUCE_LAMBDA(size_type col) {
            return implicit_norm(tau[col], norm ? norm[col] : 0) <= factor * baseline[col];
        },
        all_stopped, one_changed, tmp);
}

template <typename V>
void check_bounds(const DeviceExecutor& exec, const Dense<remove_complex<V>>& norm, const Dense<V>* sq_norm,
                  const kernels::stop::residual_bounds<remove_complex<V>>& bounds, array<stopping_status>& status,
                  array<kernels::stop::check_report>& state, volatile kernels::stop::check_report* report)
{
    // One thread for all columns: they are few, and nothing else has to be started to find out whether all have stopped.
    run_for_each(
        exec, 1,
        [=, norm = norm.get_const_values(), sq_norm = as_device(sq_norm ? sq_norm->get_const_values() : nullptr),
         num_cols = status.get_size(), status = status.get_data(), state = state.get_data()] SPRUCE_LAMBDA(size_type) {
            auto current = *state;
            auto all_stopped = true;
            for (size_type col = 0; col < num_cols; ++col) {
                auto my_status = status[col];
                const auto my_norm = norm[col];
                for (size_type i = 0; i < bounds.size; ++i) {
                    const auto norm_here = bounds.is_implicit[i] ? implicit_norm(sq_norm[col], my_norm) : my_norm;
                    if (norm_here <= bounds.factor[i] * bounds.baseline[i][col]) {
                        my_status.converge(bounds.id[i]);
                    }
                }
                status[col] = my_status;
                all_stopped = all_stopped && my_status.has_stopped();
            }
            if (current % 2 == 0) {
                current += all_stopped ? 1 : 2;
            }
            *state = current;
            *report = current;
        });
}

void set_all_statuses(const DeviceExecutor& exec, uint8 id, bool finalize, array<stopping_status>& status)
{
    run_for_each(exec, status.get_size(),
                 [=, status = status.get_data()] SPRUCE_LAMBDA(size_type col) { status[col].stop(id, finalize); });
}

}  // namespace stop

void register_stop()
{
    kernels::stop::set_all_statuses.set<DeviceExecutor>(&stop::set_all_statuses);
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        using real = remove_complex<V>;
        kernels::stop::residual_norm<real>.template set<DeviceExecutor>(&stop::residual_norm<real>);
        kernels::stop::check_bounds<V>.template set<DeviceExecutor>(&stop::check_bounds<V>);
        kernels::stop::implicit_residual_norm<V>.template set<DeviceExecutor>(&stop::implicit_residual_norm<V>);
    });
}
