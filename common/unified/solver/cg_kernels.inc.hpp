// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

namespace cg {

using matrix::Dense;

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
                               const auto factor = is_zero(prev_rho[col]) ? device_type<V>{} : rho[col] / prev_rho[col];
                               p[row * p_stride + col] = z[row * z_stride + col] + factor * p[row * p_stride + col];
                           }
                       });
}

template <typename V>
void step_2(const DeviceExecutor& exec, const Dense<V>& p, const Dense<V>& q, const Dense<V>& rho, Dense<V>& alpha,
            array<stopping_status>& status, array<char>& tmp)
{
    run_sum_columns<device_type<V>>(
        exec, p.get_size()[0], p.get_size()[1], tmp,
        [p = as_device(p.get_const_values()), p_stride = p.get_stride(), q = as_device(q.get_const_values()),
         q_stride = q.get_stride()] SPRUCE_LAMBDA(size_type row, size_type col) {
            return conj_of(p[row * p_stride + col]) * q[row * q_stride + col];
        },
        [rho = as_device(rho.get_const_values()), alpha = as_device(alpha.get_values()),
         status = status.get_data()] SPRUCE_LAMBDA(size_type col, const device_type<V>& pq) {
            if (is_zero(rho[col])) {
                status[col].stop(stop_reason::breakdown_inner_product);
            }
            alpha[col] = divide_or_stop(rho[col], pq, stop_reason::breakdown_curvature, status[col]);
        });
}

template <typename V>
void step_3(const DeviceExecutor& exec, Dense<V>& x, Dense<V>& r, const Dense<V>& p, const Dense<V>& q,
            const Dense<V>& alpha, Dense<V>& rr, Dense<remove_complex<V>>& norm, array<stopping_status>& status,
            array<char>& tmp)
{
    run_sum_columns<remove_complex<V>>(
        exec, x.get_size()[0], x.get_size()[1], tmp,
        [x = as_device(x.get_values()), x_stride = x.get_stride(), r = as_device(r.get_values()),
         r_stride = r.get_stride(), p = as_device(p.get_const_values()), p_stride = p.get_stride(),
         q = as_device(q.get_const_values()), q_stride = q.get_stride(), alpha = as_device(alpha.get_const_values()),
         status = status.get_const_data()] SPRUCE_LAMBDA(size_type row, size_type col) {
            auto r_entry = r[row * r_stride + col];
            if (!status[col].has_stopped()) {
                x[row * x_stride + col] += alpha[col] * p[row * p_stride + col];
                r_entry -= alpha[col] * q[row * q_stride + col];
                r[row * r_stride + col] = r_entry;
            }
            return squared_abs(r_entry);
        },
        [rr = as_device(rr.get_values()), norm = norm.get_values(), status = status.get_data()] SPRUCE_LAMBDA(
            size_type col, const remove_complex<V>& sum) {
            rr[col] = sum;
            norm[col] = sqrt_of(sum);
            stop_at_end(norm[col], status[col]);
        });
}

}  // namespace cg

void register_cg()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        kernels::cg::step_1<V>.template set<DeviceExecutor>(&cg::step_1<V>);
        kernels::cg::step_2<V>.template set<DeviceExecutor>(&cg::step_2<V>);
        kernels::cg::step_3<V>.template set<DeviceExecutor>(&cg::step_3<V>);
    });
}
