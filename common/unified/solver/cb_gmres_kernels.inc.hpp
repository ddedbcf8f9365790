// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

namespace cb_gmres {

using kernels::cb_gmres::basis;
using kernels::cb_gmres::remainder;
using kernels::gmres::packed_begin;
using kernels::gmres::projection;
using matrix::Dense;

// Functions that end in _as are for one storage type S.

template <typename V>
void find_largest(const DeviceExecutor& exec, const Dense<V>& v, Dense<remove_complex<V>>& largest, array<char>& tmp)
{
    using real = remove_complex<V>;
    using sum_type = square_and_largest<real>;
    run_sum_columns<sum_type>(
        exec, v.get_size()[0], v.get_size()[1], tmp,
        [v = entries_of(v)] SPRUCE_LAMBDA(size_type row, size_type col) {
            return sum_type{real{}, largest_part(v(row, col))};
        },
        [largest = largest.get_values()] SPRUCE_LAMBDA(size_type col, const sum_type& sum) {
            largest[col] = sum.largest;
        });
}

template <typename S, typename V>
void compress_as(const DeviceExecutor& exec, const Dense<remove_complex<V>>& norm,
                 const Dense<remove_complex<V>>& largest, size_type index, const basis<V>& basis, Dense<V>& v)
{
    using T = device_type<V>;
    using real = remove_complex<V>;
    run_for_each(exec, v.get_size()[1],
                 [index, norm = norm.get_const_values(), largest = largest.get_const_values(),
                  scales = entries_of(basis.scales)] SPRUCE_LAMBDA(size_type col) {
                     scales(index, col) = scale_for<S>(norm[col], largest[col]);
                 });
    run_for_each_entry(exec, v.get_size()[0], v.get_size()[1],
                       [norm = norm.get_const_values(), index, scales = entries_of(std::as_const(basis.scales)),
                        values = static_cast<S*>(basis.vectors[index]), num_cols = v.get_size()[1],
                        v = entries_of(v)] SPRUCE_LAMBDA(size_type row, size_type col) {
                           const auto entry = norm[col] == real{} ? T{} : v(row, col) / T(norm[col]);
                           v(row, col) = store(entry, scales(index, col), values, row * num_cols + col);
                       });
}

template <typename S, typename V>
void multi_dot_as(const DeviceExecutor& exec, const basis<V>& basis, const Dense<V>& w, bool is_second,
                  const remainder<V>& left, Dense<V>& h, Dense<V>& triangle, array<char>& tmp)
{
    using T = device_type<V>;
    using sum_type = sums<T, vectors_per_pass<T>>;
    const auto begin = packed_begin(basis.vectors.size() - 1);
    for (const auto& block : blocks_of<S>(basis)) {
        run_sum_columns<sum_type>(
            exec, w.get_size()[0], w.get_size()[1], tmp,
            [block, is_second, again = left.again.get_const_values(), w = entries_of(w)] SPRUCE_LAMBDA(size_type row,
                                                                                                       size_type col) {
                return !is_second || again[col] != 0 ? products(block, row, col, w(row, col)) : sum_type{};
            },
            [h = entries_of(h), triangle = entries_of(triangle), place = begin + block.first, first = block.first,
             size = block.size, is_second] SPRUCE_LAMBDA(size_type col, const sum_type& dots) {
                for (int i = 0; i < size; ++i) {
                    auto& entry = triangle(place + i, col);
                    h(first + i, col) = dots[i];
                    entry = is_second ? entry + dots[i] : dots[i];
                }
            });
    }
}

/// w = w - sum_i h_i v_i, in the second pass only where again says so; finish(col, sum) is told what is left.
template <typename S, typename V, typename Finish>
void subtract_and_sum(const DeviceExecutor& exec, const basis<V>& basis, const Dense<V>& h, Dense<V>& w, bool is_second,
                      const remainder<V>& left, array<char>& tmp, Finish finish)
{
    using real = remove_complex<V>;
    using sum_type = square_and_largest<real>;
    for (const auto& block : blocks_of<S>(basis)) {
        const auto again = left.again.get_const_values();
        if (!block.is_last) {
            run_for_each_entry(exec, w.get_size()[0], w.get_size()[1],
                               [block, is_second, again, h = entries_of(h), w = entries_of(w)] SPRUCE_LAMBDA(
                                   size_type row, size_type col) {
                                   if (!is_second || again[col] != 0) {
                                       w(row, col) = subtracted(block, h, row, col, w(row, col));
                                   }
                               });
            continue;
        }
        run_sum_columns<sum_type>(
            exec, w.get_size()[0], w.get_size()[1], tmp,
            [block, is_second, again, h = entries_of(h), w = entries_of(w)] SPRUCE_LAMBDA(size_type row,
                                                                                          size_type col) {
                if (is_second && again[col] == 0) {
                    return sum_type{};
                }
                const auto entry = subtracted(block, h, row, col, w(row, col));
                w(row, col) = entry;
                return sum_type{squared_abs(entry), largest_part(entry)};
            },
            finish);
    }
}

template <typename S, typename V>
void subtract_as(const DeviceExecutor& exec, const basis<V>& basis, const Dense<V>& h, Dense<V>& w,
                 const remainder<V>& left, array<char>& tmp)
{
    subtract_and_sum<S>(exec, basis, h, w, false, left, tmp,
                        [h = entries_of(h), num_vectors = basis.vectors.size(), left = entries_of(left)] SPRUCE_LAMBDA(
                            size_type col, const square_and_largest<remove_complex<V>>& sum) {
                            keep_remainder(sum, h, num_vectors, left, col);
                        });
}

template <typename S, typename V>
void finish_step_as(const DeviceExecutor& exec, const basis<V>& basis, const Dense<V>& h, Dense<V>& w,
                    const remainder<V>& left, const projection<V>& problem, array<stopping_status>& status,
                    array<char>& tmp)
{
    subtract_and_sum<S>(
        exec, basis, h, w, true, left, tmp,
        [step = basis.vectors.size() - 1, left = entries_of(left), problem = entries_of(problem),
         status = status.get_data()] SPRUCE_LAMBDA(size_type col, const square_and_largest<remove_complex<V>>& sum) {
            finish_compressed_step<S>(sum, left, step, problem, col, status[col]);
        });
}

template <typename S, typename V>
void add_combination_as(const DeviceExecutor& exec, const basis<V>& basis, const Dense<V>& y,
                        const array<size_type>& num_steps, Dense<V>& x)
{
    for (const auto& block : blocks_of<S>(basis)) {
        run_for_each_entry(
            exec, x.get_size()[0], x.get_size()[1],
            [block, y = entries_of(y), num_steps = num_steps.get_const_data(), x = entries_of(x)] SPRUCE_LAMBDA(
                size_type row, size_type col) { add_block(block, y, num_steps[col], row, col, x(row, col)); });
    }
}

template <typename V>
void compress(const DeviceExecutor& exec, const Dense<remove_complex<V>>& norm, const Dense<remove_complex<V>>& largest,
              size_type index, const basis<V>& basis, Dense<V>& v)
{
    with_storage_type<V>(basis.precision, [&](auto tag) {
        compress_as<typename decltype(tag)::type>(exec, norm, largest, index, basis, v);
    });
}

template <typename V>
void multi_dot(const DeviceExecutor& exec, const basis<V>& basis, const Dense<V>& w, bool is_second,
               const remainder<V>& left, Dense<V>& h, Dense<V>& triangle, array<char>& tmp)
{
    with_storage_type<V>(basis.precision, [&](auto tag) {
        multi_dot_as<typename decltype(tag)::type>(exec, basis, w, is_second, left, h, triangle, tmp);
    });
}

template <typename V>
void subtract(const DeviceExecutor& exec, const basis<V>& basis, const Dense<V>& h, Dense<V>& w,
              const remainder<V>& left, array<char>& tmp)
{
    with_storage_type<V>(basis.precision,
                         [&](auto tag) { subtract_as<typename decltype(tag)::type>(exec, basis, h, w, left, tmp); });
}

template <typename V>
void finish_step(const DeviceExecutor& exec, const basis<V>& basis, const Dense<V>& h, Dense<V>& w,
                 const remainder<V>& left, const projection<V>& problem, array<stopping_status>& status,
                 array<char>& tmp)
{
    with_storage_type<V>(basis.precision, [&](auto tag) {
        finish_step_as<typename decltype(tag)::type>(exec, basis, h, w, left, problem, status, tmp);
    });
}

template <typename V>
void add_combination(const DeviceExecutor& exec, const basis<V>& basis, const Dense<V>& y,
                     const array<size_type>& num_steps, Dense<V>& x)
{
    with_storage_type<V>(basis.precision, [&](auto tag) {
        add_combination_as<typename decltype(tag)::type>(exec, basis, y, num_steps, x);
    });
}

template <typename V>
void reopen(const DeviceExecutor& exec, const Dense<V>& residual_norm, Dense<V>& norm, array<stopping_status>& status)
{
    run_for_each(exec, status.get_size(),
                 [residual_norm = residual_norm.get_const_values(), norm = norm.get_values(),
                  status = status.get_data()] SPRUCE_LAMBDA(size_type col) {
                     norm[col] = residual_norm[col];
                     if (status[col].has_converged()) {
                         status[col].reset();
                         kernels::stop_at_end(norm[col], status[col]);
                     }
                 });
}

}  // namespace cb_gmres

void register_cb_gmres()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        using real = remove_complex<V>;
        kernels::cb_gmres::find_largest<V>.template set<DeviceExecutor>(&cb_gmres::find_largest<V>);
        kernels::cb_gmres::compress<V>.template set<DeviceExecutor>(&cb_gmres::compress<V>);
        kernels::cb_gmres::multi_dot<V>.template set<DeviceExecutor>(&cb_gmres::multi_dot<V>);
        kernels::cb_gmres::subtract<V>.template set<DeviceExecutor>(&cb_gmres::subtract<V>);
        kernels::cb_gmres::finish_step<V>.template set<DeviceExecutor>(&cb_gmres::finish_step<V>);
        kernels::cb_gmres::add_combination<V>.template set<DeviceExecutor>(&cb_gmres::add_combination<V>);
        kernels::cb_gmres::reopen<real>.template set<DeviceExecutor>(&cb_gmres::reopen<real>);
    });
}
