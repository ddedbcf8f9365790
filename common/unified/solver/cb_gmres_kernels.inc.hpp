// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

namespace cb_gmres {

using kernels::cb_gmres::basis;
using kernels::cb_gmres::remainder;
using kernels::gmres::packed_begin;
using kernels::gmres::projection;
using matrix::Dense;

// Functions that end in _as are for one storage type S; what they need in each column is the same for all types, which saves the
// compiler half of its work.

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

template <typename V>
void set_scales(const DeviceExecutor& exec, const Dense<remove_complex<V>>& norm,
                const Dense<remove_complex<V>>& largest, size_type index, const basis<V>& basis,
                remove_complex<V> target)
{
    run_for_each(exec, norm.get_size()[1],
                 [index, target, norm = norm.get_const_values(), largest = largest.get_const_values(),
                  scales = entries_of(basis.scales)] SPRUCE_LAMBDA(size_type col) {
                     scales(index, col) = scale_for(norm[col], largest[col], target);
                 });
}

template <typename S, typename V>
void compress_as(const DeviceExecutor& exec, const Dense<remove_complex<V>>& norm,
                 const Dense<remove_complex<V>>& largest, size_type index, const basis<V>& basis, Dense<V>& v)
{
    using T = device_type<V>;
    using real = remove_complex<V>;
    set_scales(exec, norm, largest, index, basis, storage_traits<S, real>::largest);
    run_for_each_entry(exec, v.get_size()[0], v.get_size()[1],
                       [norm = norm.get_const_values(), index, scales = entries_of(std::as_const(basis.scales)),
                        values = static_cast<S*>(basis.vectors[index]), num_cols = v.get_size()[1],
                        v = entries_of(v)] SPRUCE_LAMBDA(size_type row, size_type col) {
                           const auto entry = norm[col] == real{} ? T{} : v(row, col) / T(norm[col]);
                           v(row, col) = store(entry, scales(index, col), values, row * num_cols + col);
                       });
}

/// Where the products of a block with a column go.
template <typename T>
struct put_dots {
    SPRUCE_FN void operator()(size_type col, const sums<T, vectors_per_pass<T>>& dots) const
    {
        for (int i = 0; i < size; ++i) {
            auto& entry = triangle(triangle_row + i, col);
            h(first + i, col) = dots[i];
            entry = is_second ? entry + dots[i] : dots[i];
        }
    }

    dense_entries<T> h;
    dense_entries<T> triangle;
    size_type triangle_row;
    size_type first;
    int size;
    bool is_second;
};

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
            put_dots<T>{entries_of(h), entries_of(triangle), begin + block.first, block.first, block.size, is_second});
    }
}

/// What is done with what a subtraction leaves of a column: nothing until all vectors are subtracted.
template <typename T>
struct end_of_subtraction {
    using real = remove_complex<T>;

    SPRUCE_FN void operator()(size_type col, const square_and_largest<real>& sum) const
    {
        if (!is_last) {
            return;
        }
        if (is_second) {
            finish_compressed_step(sum, left, num_vectors - 1, problem, col, status[col], rounding);
        } else {
            keep_remainder(sum, h, num_vectors, left, col);
        }
    }

    dense_entries<const T> h;
    size_type num_vectors;
    remainder_entries<real> left;
    projection_entries<T> problem;  ///< this and what follows for the second time only
    stopping_status* status;
    real rounding;
    bool is_second;
    bool is_last;
};

/// w = w - sum_i h_i v_i, the second time only where it has to be done again
template <typename S, typename V>
void subtract_as(const DeviceExecutor& exec, const basis<V>& basis, Dense<V>& w, end_of_subtraction<device_type<V>> end,
                 array<char>& tmp)
{
    using sum_type = square_and_largest<remove_complex<V>>;
    for (const auto& block : blocks_of<S>(basis)) {
        end.is_last = block.is_last;
        run_sum_columns<sum_type>(
            exec, w.get_size()[0], w.get_size()[1], tmp,
            [block, is_second = end.is_second, again = end.left.again, h = end.h, w = entries_of(w)] SPRUCE_LAMBDA(
                size_type row, size_type col) {
                if (is_second && again[col] == 0) {
                    return sum_type{};
                }
                const auto entry = subtracted(block, h, row, col, w(row, col));
                w(row, col) = entry;
                return sum_type{squared_abs(entry), largest_part(entry)};
            },
            end);
    }
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
    const end_of_subtraction<device_type<V>> end{
        entries_of(h), basis.vectors.size(), entries_of(left), {}, nullptr, {}, false, false};
    with_storage_type<V>(basis.precision,
                         [&](auto tag) { subtract_as<typename decltype(tag)::type>(exec, basis, w, end, tmp); });
}

template <typename V>
void finish_step(const DeviceExecutor& exec, const basis<V>& basis, const Dense<V>& h, Dense<V>& w,
                 const remainder<V>& left, const projection<V>& problem, array<stopping_status>& status,
                 array<char>& tmp)
{
    const end_of_subtraction<device_type<V>> end{entries_of(h),
                                                 basis.vectors.size(),
                                                 entries_of(left),
                                                 entries_of(problem),
                                                 status.get_data(),
                                                 rounding_of<V>(basis.precision),
                                                 true,
                                                 false};
    with_storage_type<V>(basis.precision,
                         [&](auto tag) { subtract_as<typename decltype(tag)::type>(exec, basis, w, end, tmp); });
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
