// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

namespace stop {

using matrix::Dense;

/// What a check found: bit 0: some column still runs; bit 1: some status changed.
constexpr int32 still_running = 1;
constexpr int32 changed = 2;

template <typename IsDone>
void check(const DeviceExecutor& exec, array<stopping_status>& status, uint8 id, bool finalize, IsDone is_done,
           bool& all_stopped, bool& one_changed)
{
    array<int32> found{exec.shared_from_this(), 1};
    found.fill(0);
    run_for_each(exec, status.get_size(),
                 [=, status = status.get_data(), found = found.get_data()] SPRUCE_LAMBDA(size_type col) {
                     if (!status[col].has_stopped()) {
                         const auto done = is_done(col);
                         if (done) {
                             status[col].converge(id, finalize);
                         }
                         atomicOr(found, done ? changed : still_running);
                     }
                 });
    const auto result = exec.copy_val_to_host(found.get_const_data());
    all_stopped = (result & still_running) == 0;
    one_changed = (result & changed) != 0;
}

template <typename V>
void residual_norm(const DeviceExecutor& exec, const Dense<V>& tau, const Dense<V>& baseline, V factor, uint8 id,
                   bool finalize, array<stopping_status>& status, bool& all_stopped, bool& one_changed)
{
    check(
        exec, status, id, finalize,
        [tau = tau.get_const_values(), baseline = baseline.get_const_values(), factor] SPRUCE_LAMBDA(size_type col) {
            return tau[col] <= factor * baseline[col];
        },
        all_stopped, one_changed);
}

template <typename V>
void implicit_residual_norm(const DeviceExecutor& exec, const Dense<V>& tau, const Dense<remove_complex<V>>& baseline,
                            remove_complex<V> factor, uint8 id, bool finalize, array<stopping_status>& status,
                            bool& all_stopped, bool& one_changed)
{
    check(
        exec, status, id, finalize,
        [tau = as_device(tau.get_const_values()), baseline = baseline.get_const_values(),
         factor] SPRUCE_LAMBDA(size_type col) { return sqrt_of(abs_of(tau[col])) <= factor * baseline[col]; },
        all_stopped, one_changed);
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
        kernels::stop::implicit_residual_norm<V>.template set<DeviceExecutor>(&stop::implicit_residual_norm<V>);
    });
}
