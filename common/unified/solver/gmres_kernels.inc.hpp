// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

namespace gmres {

using kernels::gmres::basis;
using kernels::gmres::packed_begin;
using kernels::gmres::projection;
using matrix::Dense;

template <typename V>
void start_cycle(const DeviceExecutor& exec, const Dense<remove_complex<V>>& residual_norm, bool is_restart,
                 const projection<V>& problem, array<stopping_status>& status)
{
    run_for_each(exec, residual_norm.get_size()[1],
                 [residual_norm = residual_norm.get_const_values(), is_restart, problem = entries_of(problem),
                  status = status.get_data()] SPRUCE_LAMBDA(size_type col) {
                     kernels::start_cycle(residual_norm[col], is_restart, problem, col, status[col]);
                 });
}

template <typename V>
void normalize(const DeviceExecutor& exec, const Dense<remove_complex<V>>& norm, Dense<V>& v)
{
    using T = device_type<V>;
    run_for_each_entry(exec, v.get_size()[0], v.get_size()[1],
                       [norm = norm.get_const_values(), v = entries_of(v)] SPRUCE_LAMBDA(size_type row, size_type col) {
                           v(row, col) = norm[col] == remove_complex<V>{} ? T{} : v(row, col) / T(norm[col]);
                       });
}

template <typename V>
void multi_dot(const DeviceExecutor& exec, const basis<V>& vectors, const Dense<V>& w, size_type step, bool add,
               Dense<V>& h, Dense<V>& triangle, array<char>& tmp)
{
    using T = device_type<V>;
    using sum_type = sums<T, vectors_per_pass<T>>;
    for (const auto& block : blocks_of(vectors)) {
        run_sum_columns<sum_type>(
            exec, w.get_size()[0], w.get_size()[1], tmp,
            [block, w = entries_of(w)] SPRUCE_LAMBDA(size_type row, size_type col) {
                return products(block, row, col, w(row, col));
            },
            [h = entries_of(h), triangle = entries_of(triangle), begin = packed_begin(step), first = block.first,
             size = block.size, add] SPRUCE_LAMBDA(size_type col, const sum_type& dots) {
                for (int i = 0; i < size; ++i) {
                    auto& entry = triangle(begin + first + i, col);
                    h(first + i, col) = dots[i];
                    entry = add ? entry + dots[i] : dots[i];
                }
            });
    }
}

template <typename V>
void subtract_block(const DeviceExecutor& exec, const dense_block<device_type<V>>& block, const Dense<V>& h,
                    Dense<V>& w)
{
    run_for_each_entry(exec, w.get_size()[0], w.get_size()[1],
                       [block, h = entries_of(h), w = entries_of(w)] SPRUCE_LAMBDA(size_type row, size_type col) {
                           w(row, col) = subtracted(block, h, row, col, w(row, col));
                       });
}

template <typename V>
void subtract(const DeviceExecutor& exec, const basis<V>& vectors, const Dense<V>& h, Dense<V>& w)
{
    for (const auto& block : blocks_of(vectors)) {
        subtract_block(exec, block, h, w);
    }
}

template <typename V>
void subtract_and_dot(const DeviceExecutor& exec, const Dense<V>& v, const Dense<V>& next, size_type row,
                      size_type step, Dense<V>& w, Dense<V>& h, Dense<V>& triangle, array<char>& tmp)
{
    using T = device_type<V>;
    run_sum_columns<T>(
        exec, w.get_size()[0], w.get_size()[1], tmp,
        [v = entries_of(v), next = entries_of(next), h = as_device(h.get_const_values()),
         w = entries_of(w)] SPRUCE_LAMBDA(size_type row, size_type col) {
            const auto entry = w(row, col) - h[col] * v(row, col);
            w(row, col) = entry;
            return conj_of(next(row, col)) * entry;
        },
        [h = as_device(h.get_values()), triangle = entries_of(triangle),
         place = packed_begin(step) + row] SPRUCE_LAMBDA(size_type col, const T& dot) {
            h[col] = dot;
            triangle(place, col) = dot;
        });
}

template <typename V>
void finish_step(const DeviceExecutor& exec, const basis<V>& vectors, const Dense<V>& h, size_type step, Dense<V>& w,
                 const projection<V>& problem, array<stopping_status>& status, array<char>& tmp)
{
    using real = remove_complex<V>;
    for (const auto& block : blocks_of(vectors)) {
        if (!block.is_last) {
            subtract_block(exec, block, h, w);
            continue;
        }
        run_sum_columns<real>(
            exec, w.get_size()[0], w.get_size()[1], tmp,
            [block, h = entries_of(h), w = entries_of(w)] SPRUCE_LAMBDA(size_type row, size_type col) {
                const auto entry = subtracted(block, h, row, col, w(row, col));
                w(row, col) = entry;
                return squared_abs(entry);
            },
            [step, problem = entries_of(problem), status = status.get_data()] SPRUCE_LAMBDA(size_type col,
                                                                                            const real& square) {
                kernels::finish_step(sqrt_of(square), step, problem, col, status[col]);
            });
    }
}

template <typename V>
void solve(const DeviceExecutor& exec, const projection<V>& problem, Dense<V>& weight, array<stopping_status>& status)
{
    run_for_each(exec, weight.get_size()[1],
                 [problem = entries_of(problem), weight = as_device(weight.get_values()),
                  status = status.get_data()] SPRUCE_LAMBDA(size_type col) {
                     weight[col] = kernels::solve(problem, col, status[col]);
                 });
}

template <typename V>
void add_combination(const DeviceExecutor& exec, const basis<V>& vectors, const Dense<V>& y,
                     const array<size_type>& num_steps, Dense<V>& x)
{
    for (const auto& block : blocks_of(vectors)) {
        run_for_each_entry(
            exec, x.get_size()[0], x.get_size()[1],
            [block, y = entries_of(y), num_steps = num_steps.get_const_data(), x = entries_of(x)] SPRUCE_LAMBDA(
                size_type row, size_type col) { add_block(block, y, num_steps[col], row, col, x(row, col)); });
    }
}

}  // namespace gmres

void register_gmres()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        kernels::gmres::start_cycle<V>.template set<DeviceExecutor>(&gmres::start_cycle<V>);
        kernels::gmres::normalize<V>.template set<DeviceExecutor>(&gmres::normalize<V>);
        kernels::gmres::multi_dot<V>.template set<DeviceExecutor>(&gmres::multi_dot<V>);
        kernels::gmres::subtract<V>.template set<DeviceExecutor>(&gmres::subtract<V>);
        kernels::gmres::subtract_and_dot<V>.template set<DeviceExecutor>(&gmres::subtract_and_dot<V>);
        kernels::gmres::finish_step<V>.template set<DeviceExecutor>(&gmres::finish_step<V>);
        kernels::gmres::solve<V>.template set<DeviceExecutor>(&gmres::solve<V>);
        kernels::gmres::add_combination<V>.template set<DeviceExecutor>(&gmres::add_combination<V>);
    });
}
