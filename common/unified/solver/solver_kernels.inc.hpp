// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

namespace solver {

template <typename V>
void start(const DeviceExecutor& exec, const matrix::Dense<V>& norm, array<stopping_status>& status)
{
    run_for_each(exec, status.get_size(),
                 [norm = norm.get_const_values(), status = status.get_data()] SPRUCE_LAMBDA(size_type col) {
                     status[col].reset();
                     stop_at_end(norm[col], status[col]);
                 });
}

}  // namespace solver

void register_solver()
{
    kernels::solver::start<float>.set<DeviceExecutor>(&solver::start<float>);
    kernels::solver::start<double>.set<DeviceExecutor>(&solver::start<double>);
}
