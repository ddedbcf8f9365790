// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

namespace cg {

using matrix::Dense;

/// a / b, or zero where b is zero: a breakdown changes nothing.
template <typename T>
SPRUCE_FN T safe_divide(const T& a, const T& b)
{
    return is_zero(b) ? T{} : a / b;
}

template <typename V>
void initialize(const DeviceExecutor& exec, Dense<V>& p, Dense<V>& prev_rho, Dense<V>& rho,
                array<stopping_status>& status)
{
    run_for_each_entry(exec, p.get_size()[0], p.get_size()[1],
                       [p = as_device(p.get_values()), stride = p.get_stride()] SPRUCE_LAMBDA(
                           size_type row, size_type col) { p[row * stride + col] = device_type<V>{}; });
    run_for_each(exec, p.get_size()[1],
                 [prev_rho = as_device(prev_rho.get_values()), rho = as_device(rho.get_values()),
                  status = status.get_data()] SPRUCE_LAMBDA(size_type col) {
                     prev_rho[col] = one<device_type<V>>();
                     rho[col] = device_type<V>{};
                     status[col].reset();
                 });
}

template <typename V>
void step_1(const DeviceExecutor& exec, Dense<V>& p, const Dense<V>& z, const Dense<V>& rho, const Dense<V>& prev_rho,
            const array<stopping_status>& status)
{
    run_for_each_entry(exec, p.get_size()[0], p.get_size()[1],
                       [p = as_device(p.get_values()), p_stride = p.get_stride(), z = as_device(z.get_const_values()),
                        z_stride = z.get_stride(), rho = as_device(rho.get_const_values()),
                        prev_rho = as_device(prev_rho.get_const_values()),
                        status = status.get_const_data()] SPRUCE_LAMBDA(size_type row, size_type col) {
                           if (!status[col].has_stopped()) {
                               const auto factor = safe_divide(rho[col], prev_rho[col]);
                               p[row * p_stride + col] = z[row * z_stride + col] + factor * p[row * p_stride + col];
                           }
                       });
}

template <typename V>
void step_2(const DeviceExecutor& exec, Dense<V>& x, Dense<V>& r, const Dense<V>& p, const Dense<V>& q,
            const Dense<V>& beta, const Dense<V>& rho, const array<stopping_status>& status, Dense<V>& rr,
            Dense<remove_complex<V>>& norm, array<char>& tmp)
{
    run_sum_columns<remove_complex<V>>(
        exec, x.get_size()[0], x.get_size()[1], tmp,
        [x = as_device(x.get_values()), x_stride = x.get_stride(), r = as_device(r.get_values()),
         r_stride = r.get_stride(), p = as_device(p.get_const_values()), p_stride = p.get_stride(),
         q = as_device(q.get_const_values()), q_stride = q.get_stride(), beta = as_device(beta.get_const_values()),
         rho = as_device(rho.get_const_values()),
         status = status.get_const_data()] SPRUCE_LAMBDA(size_type row, size_type col) {
            auto r_entry = r[row * r_stride + col];
            if (!status[col].has_stopped()) {
                const auto alpha = safe_divide(rho[col], beta[col]);
                x[row * x_stride + col] += alpha * p[row * p_stride + col];
                r_entry -= alpha * q[row * q_stride + col];
                r[row * r_stride + col] = r_entry;
            }
            return squared_abs(r_entry);
        },
        [rr = as_device(rr.get_values()), norm = norm.get_values()] SPRUCE_LAMBDA(size_type col,
                                                                                  const remove_complex<V>& sum) {
            rr[col] = sum;
            norm[col] = sqrt_of(sum);
        });
}

}  // namespace cg

void register_cg()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        kernels::cg::initialize<V>.template set<DeviceExecutor>(&cg::initialize<V>);
        kernels::cg::step_1<V>.template set<DeviceExecutor>(&cg::step_1<V>);
        kernels::cg::step_2<V>.template set<DeviceExecutor>(&cg::step_2<V>);
    });
}
