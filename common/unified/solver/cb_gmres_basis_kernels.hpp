// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/unified/base/prelude.hpp"
#include "common/unified/solver/compressed_basis.hpp"
#include "core/solver/cb_gmres_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace cb_gmres {

using kernels::cb_gmres::basis;
using kernels::cb_gmres::remainder;
using kernels::gmres::packed_begin;
using matrix::Dense;

// Writes the basis and sums its vectors. cb_gmres_kernels.hpp has the other kernels. Functions
// whose names end in _as are for one storage type S. The computations in each column are common to
// all types, which halves the work of the compiler.

template <typename V>
void set_scales(const DeviceExecutor& exec, const Dense<remove_complex<V>>& norm,
                const Dense<remove_complex<V>>& largest, size_type index, const basis<V>& basis,
                remove_complex<V> target)
{
    run_for_each(exec, norm.get_size()[1],
                 [index, target, norm = norm.get_const_values(), largest = largest.get_const_values(),
                  scales = entries_of(basis.scales)] SPRUCE_KERNEL_LAMBDA(size_type col) {
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
                        v = entries_of(v)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                           const auto entry = norm[col] == real{} ? T{} : v(row, col) / T(norm[col]);
                           v(row, col) = store(entry, scales(index, col), values, row * num_cols + col);
                       });
}

/// Stores the products of a block with a column.
template <typename T, typename Block>
struct store_dots {
    SPRUCE_HOST_DEVICE_INLINE void operator()(size_type col, const sums<T, vectors_per_pass<T>>& dots) const
    {
        for (int i = 0; i < Block::max_size; ++i) {
            if (i < block.size) {
                const auto dot = dots[i] * T(block.scale(i, col));
                auto& entry = triangle(triangle_row + i, col);
                h(block.first + i, col) = dot;
                entry = is_second ? entry + dot : dot;
            }
        }
    }

    Block block;
    dense_entries<T> h;
    dense_entries<T> triangle;
    size_type triangle_row;
    bool is_second;
};

template <typename S, typename V>
void multi_dot_as(const DeviceExecutor& exec, const basis<V>& basis, const Dense<V>& w, bool is_second,
                  const remainder<V>& rest, Dense<V>& h, Dense<V>& triangle, const Reduction& reduction)
{
    using T = device_type<V>;
    using sum_type = sums<T, vectors_per_pass<T>>;
    const auto begin = packed_begin(basis.vectors.size() - 1);
    for (const auto& block : blocks_of<S>(basis)) {
        run_sum_columns<sum_type>(
            exec, w.get_size()[0], w.get_size()[1], reduction,
            per_column{[block, is_second, reorthogonalize = rest.reorthogonalize.get_const_values(),
                        w = entries_of(w)] SPRUCE_KERNEL_LAMBDA(size_type col) {
                const auto is_active = !is_second || reorthogonalize[col] != 0;
                return [=](size_type row) {
                    return is_active ? products(row_of(block, row, col), w(row, col)) : sum_type{};
                };
            }},
            store_dots<T, std::decay_t<decltype(block)>>{block, entries_of(h), entries_of(triangle),
                                                         begin + block.first, is_second});
    }
}

template <typename S, typename V>
void add_combination_as(const DeviceExecutor& exec, const basis<V>& basis, const Dense<V>& y,
                        const array<size_type>& num_steps, Dense<V>& x)
{
    for (const auto& block : blocks_of<S>(basis)) {
        run_for_each_entry(exec, x.get_size()[0], x.get_size()[1],
                           per_column{[block, y = entries_of(y), num_steps = num_steps.get_const_data(),
                                       x = entries_of(x)] SPRUCE_KERNEL_LAMBDA(size_type col) {
                               return add_block_to_column(block, y, num_steps[col], x, col);
                           }});
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
               const remainder<V>& rest, Dense<V>& h, Dense<V>& triangle, const Reduction& reduction)
{
    with_storage_type<V>(basis.precision, [&](auto tag) {
        multi_dot_as<typename decltype(tag)::type>(exec, basis, w, is_second, rest, h, triangle, reduction);
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

}  // namespace cb_gmres

void register_cb_gmres_basis()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        kernels::cb_gmres::compress<V>.template set<DeviceExecutor>(&cb_gmres::compress<V>);
        kernels::cb_gmres::multi_dot<V>.template set<DeviceExecutor>(&cb_gmres::multi_dot<V>);
        kernels::cb_gmres::add_combination<V>.template set<DeviceExecutor>(&cb_gmres::add_combination<V>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
