// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

namespace fcg {

using matrix::Dense;

template <typename V>
void step_3(const DeviceExecutor& exec, Dense<V>& x, Dense<V>& r, const Dense<V>& p, const Dense<V>& q,
            const Dense<V>& alpha, Dense<V>& rho, Dense<V>& rho_change, Dense<remove_complex<V>>& norm,
            array<stopping_status>& status, const kernels::stop::bounds_check<remove_complex<V>>& check,
            array<char>& tmp)
{
    using T = device_type<V>;
    run_sum_columns<sums<T, 2>>(
        exec, x.get_size()[0], x.get_size()[1], tmp,
        [x = entries_of(x), r = entries_of(r), p = entries_of(p), q = entries_of(q),
         alpha = as_device(alpha.get_const_values()),
         status = status.get_const_data()] SPRUCE_LAMBDA(size_type row, size_type col) {
            auto entry = r(row, col);
            const auto q_entry = q(row, col);
            remove_complex<V> overflow{};
            if (!status[col].has_stopped()) {
                overflow = add_if_finite(x(row, col), alpha[col] * p(row, col));
                entry -= alpha[col] * q_entry;
                r(row, col) = entry;
            }
            return sums<T, 2>{{conj_of(q_entry) * entry, T(squared_abs(entry) + overflow)}};
        },
        [alpha = as_device(alpha.get_const_values()), rho = as_device(rho.get_values()),
         rho_change = as_device(rho_change.get_values()), norm = norm.get_values(), status = status.get_data(),
         check] SPRUCE_LAMBDA(size_type col, const sums<T, 2>& products) {
            rho[col] = products[1];
            rho_change[col] = -(alpha[col] * products[0]);
            norm[col] = sqrt_of(real_of(products[1]));
            stop_at_end(norm[col], status[col]);
            kernels::stop::take_along(check, norm, status);
        });
}

template <typename V>
void step_4(const DeviceExecutor& exec, const Dense<V>& z, const Dense<V>& r, const Dense<V>& q, const Dense<V>& alpha,
            Dense<V>& rho, Dense<V>& rho_change, array<char>& tmp)
{
    using T = device_type<V>;
    run_sum_columns<sums<T, 2>>(
        exec, z.get_size()[0], z.get_size()[1], tmp,
        [z = entries_of(z), r = entries_of(r), q = entries_of(q)] SPRUCE_LAMBDA(size_type row, size_type col) {
            const auto entry = z(row, col);
            return sums<T, 2>{{conj_of(entry) * r(row, col), conj_of(q(row, col)) * entry}};
        },
        [alpha = as_device(alpha.get_const_values()), rho = as_device(rho.get_values()),
         rho_change = as_device(rho_change.get_values())] SPRUCE_LAMBDA(size_type col, const sums<T, 2>& products) {
            rho[col] = products[0];
            rho_change[col] = -(alpha[col] * products[1]);
        });
}

}  // namespace fcg

void register_fcg()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        kernels::fcg::step_3<V>.template set<DeviceExecutor>(&fcg::step_3<V>);
        kernels::fcg::step_4<V>.template set<DeviceExecutor>(&fcg::step_4<V>);
    });
}
