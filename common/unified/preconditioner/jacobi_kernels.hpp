// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/preconditioner/jacobi_kernels.hpp"

#include "common/numeric/partition_point.hpp"
#include "common/unified/base/prelude.hpp"
#include "common/unified/preconditioner/block_entries.hpp"
#include "common/unified/preconditioner/hermitian_blocks.hpp"
#include "common/unified/preconditioner/reduced_blocks.hpp"
#include "common/unified/preconditioner/supervariables.hpp"

#include SPRUCE_DEVICE_FILE(preconditioner, block_inversion)
#include SPRUCE_DEVICE_FILE(preconditioner, block_products)
#include SPRUCE_DEVICE_FILE(preconditioner, row_sums)

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace jacobi {

/// Number of right-hand sides for which an entry is loaded once (doc/tuning/constants.md).
constexpr int cols_at_once = 4;

using matrix::Csr;
using matrix::Dense;
using spruce::preconditioner::detail::block_diagonal;
using spruce::preconditioner::detail::block_row;
using spruce::preconditioner::detail::inversion_flags;

template <typename V, typename I>
void divide_into_slices(const DeviceExecutor& exec, block_diagonal<V, I>& blocks)
{
    constexpr auto slice_size = size_type{spruce::preconditioner::block_storage_scheme::slice_size};
    const auto num_rows = blocks.num_rows;
    const auto num_slices = blocks.get_num_slices();
    blocks.rows.resize_and_reset(num_rows);
    blocks.slice_ptrs.resize_and_reset(num_slices + 1);
    run_for_each_entry(exec, blocks.get_num_blocks(), blocks.max_block_size,
                       [block_ptrs = blocks.block_ptrs.get_const_data(),
                        rows = blocks.rows.get_data()] SPRUCE_KERNEL_LAMBDA(size_type block, size_type i) {
                           const auto begin = static_cast<size_type>(block_ptrs[block]);
                           const auto size = static_cast<size_type>(block_ptrs[block + 1]) - begin;
                           if (i < size) {
                               rows[begin + i] = block_row{static_cast<uint8>(i), static_cast<uint8>(size), 0};
                           }
                       });
    run_for_each(exec, num_slices,
                 [=, rows = blocks.rows.get_const_data(),
                  slice_ptrs = blocks.slice_ptrs.get_data()] SPRUCE_KERNEL_LAMBDA(size_type slice) {
                     int width = 0;
                     for (auto row = slice * slice_size; row < (slice + 1) * slice_size && row < num_rows; ++row) {
                         width = width < rows[row].block_size ? rows[row].block_size : width;
                     }
                     slice_ptrs[slice] = static_cast<int64>(slice_size) * width;
                 });
    size_type num_values{};
    kernels::components::prefix_sum<int64>(exec, blocks.slice_ptrs.get_data(), num_slices + 1, num_values);
    blocks.values.resize_and_reset(num_values);
}

/// Adds the entries of a row of the matrix, from the first one in the block on.
template <typename T, typename I>
SPRUCE_HOST_DEVICE_INLINE void add_row(const I* row_ptrs, const I* col_idxs, const T* values, size_type row,
                                       size_type first_row, int block_size, T* target, int stride)
{
    const auto begin = static_cast<I>(first_row);
    const auto end = static_cast<I>(begin + block_size);
    for (auto nz = lower_bound(col_idxs, row_ptrs[row], row_ptrs[row + 1], begin);
         nz < row_ptrs[row + 1] && col_idxs[nz] < end; ++nz) {
        if (col_idxs[nz] >= begin) {  // always, unless the caller has promised sorted columns wrongly
            target[(col_idxs[nz] - begin) * stride] += values[nz];
        }
    }
}

template <typename V, typename I>
void extract(const DeviceExecutor& exec, const Csr<V, I>& a, block_diagonal<V, I>& blocks)
{
    using T = device_type<V>;
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto col_idxs = a.get_const_col_idxs();
    const auto values = as_device(a.get_const_values());
    const auto num_rows = blocks.num_rows;
    if (blocks.is_scalar) {
        run_for_each(exec, num_rows,
                     [=, diagonal = as_device(blocks.values.get_data())] SPRUCE_KERNEL_LAMBDA(size_type row) {
                         diagonal[row] = T{};
                         add_row(row_ptrs, col_idxs, values, row, row, 1, diagonal + row, 0);
                     });
        return;
    }
    constexpr auto slice_size = size_type{spruce::preconditioner::block_storage_scheme::slice_size};
    run_for_each(exec, blocks.get_num_slices() * slice_size,
                 [=, entries = entries_of(blocks)] SPRUCE_KERNEL_LAMBDA(size_type row) {
                     const auto slice = row / slice_size;
                     const auto target = entries.row_begin(row);
                     const auto end = entries.values + entries.slice_ptrs[slice + 1];
                     for (auto entry = target; entry < end; entry += slice_size) {
                         *entry = T{};
                     }
                     if (row < num_rows) {
                         add_row(row_ptrs, col_idxs, values, row, entries.first_row(row), entries.block_size(row),
                                 target, static_cast<int>(slice_size));
                     }
                 });
}

template <typename V, typename I>
void absolute_off_block(const DeviceExecutor& exec, const Csr<V, I>& a, const block_diagonal<V, I>& blocks,
                        V* off_block)
{
    using T = device_type<V>;
    run_for_each_nonzero(
        exec, a.get_const_row_ptrs(), a.get_size()[0], a.get_num_stored_elements(),
        [col_idxs = a.get_const_col_idxs(), values = as_device(a.get_const_values()), off_block = as_device(off_block),
         is_scalar = blocks.is_scalar, entries = entries_of(blocks)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
            const auto col = static_cast<size_type>(col_idxs[nz]);
            const auto begin = is_scalar ? row : entries.first_row(row);
            const auto end = begin + (is_scalar ? 1 : entries.block_size(row));
            off_block[nz] = col >= begin && col < end ? T{} : T(abs_of(values[nz]));
        });
}

template <typename V, typename I>
void add_to_diagonal(const DeviceExecutor& exec, const Dense<V>& d, block_diagonal<V, I>& blocks)
{
    run_for_each(exec, blocks.num_rows,
                 [d = entries_of(d), is_scalar = blocks.is_scalar, values = as_device(blocks.values.get_data()),
                  entries = entries_of(blocks)] SPRUCE_KERNEL_LAMBDA(size_type row) {
                     auto& entry = is_scalar ? values[row] : entries(row, entries.rows[row].position);
                     entry += d(row, 0);
                 });
}

template <typename V, typename I>
void invert(const DeviceExecutor& exec, block_diagonal<V, I>& blocks, bool may_halve, inversion_flags& flags)
{
    using T = device_type<V>;
    if (blocks.is_scalar) {
        constexpr int32 found_not_finite = 1;
        constexpr int32 found_zero = 2;
        const auto found =
            run_or(exec, blocks.num_rows, blocks.workspace,
                   [values = as_device(blocks.values.get_data())] SPRUCE_KERNEL_LAMBDA(size_type i) -> int32 {
                       const auto value = values[i];
                       if (is_zero(value)) {
                           values[i] = one<T>();
                           return found_zero;
                       }
                       const auto is_finite = is_finite_value(value);  // the reciprocal of infinity is zero
                       values[i] = is_finite ? one<T>() / value : value;
                       return is_finite && is_finite_value(values[i]) ? 0 : found_not_finite;
                   });
        flags = {(found & found_not_finite) == 0, (found & found_zero) != 0};
    } else {
        flags = {invert_blocks(exec, blocks, may_halve), false};
    }
}

/// Computes finish(row, col, product) for each entry of blocks b, where product is the entry.
template <typename V, typename I, typename Finish>
void multiply(const DeviceExecutor& exec, const block_diagonal<V, I>& blocks, const Dense<V>& b, Finish finish)
{
    const auto num_rows = b.get_size()[0];
    const auto num_cols = b.get_size()[1];
    if (blocks.is_scalar) {
        run_for_each_entry(exec, num_rows, num_cols,
                           [=, b = entries_of(b), d = as_device(blocks.values.get_const_data())] SPRUCE_KERNEL_LAMBDA(
                               size_type row, size_type col) { finish(row, col, d[row] * b(row, col)); });
        return;
    }
    if (num_cols == 1) {
        multiply_columns<1>(exec, blocks, b, finish);
    } else {
        multiply_columns<cols_at_once>(exec, blocks, b, finish);
    }
}

/// Stores an entry of the product.
template <typename T>
struct store_product {
    SPRUCE_HOST_DEVICE_INLINE void operator()(size_type row, size_type col, const T& product) const
    {
        x(row, col) = product;
    }
    dense_entries<T> x;
};

/// Stores an entry of alpha product + beta x.
template <typename T>
struct store_combination {
    SPRUCE_HOST_DEVICE_INLINE void operator()(size_type row, size_type col, const T& product) const
    {
        x(row, col) = combine(*alpha, product, *beta, x(row, col));
    }
    const T* alpha;
    const T* beta;
    dense_entries<T> x;
};

template <typename V, typename I>
void apply(const DeviceExecutor& exec, const block_diagonal<V, I>& blocks, const Dense<V>& b, Dense<V>& x)
{
    multiply(exec, blocks, b, store_product<device_type<V>>{entries_of(x)});
}

template <typename V, typename I>
void advanced_apply(const DeviceExecutor& exec, const Dense<V>& alpha, const block_diagonal<V, I>& blocks,
                    const Dense<V>& b, const Dense<V>& beta, Dense<V>& x)
{
    multiply(exec, blocks, b,
             store_combination<device_type<V>>{as_device(alpha.get_const_values()), as_device(beta.get_const_values()),
                                               entries_of(x)});
}

template <typename V, typename I>
void transpose(const DeviceExecutor& exec, const block_diagonal<V, I>& blocks, bool conjugate,
               block_diagonal<V, I>& result)
{
    if (blocks.is_scalar) {
        run_for_each(exec, blocks.num_rows,
                     [=, from = as_device(blocks.values.get_const_data()),
                      to = as_device(result.values.get_data())] SPRUCE_KERNEL_LAMBDA(size_type i) {
                         to[i] = conjugate ? conj_of(from[i]) : from[i];
                     });
        return;
    }
    run_for_each(exec, blocks.num_rows,
                 [=, from = entries_of(blocks), to = entries_of(result)] SPRUCE_KERNEL_LAMBDA(size_type row) {
                     const auto first_row = from.first_row(row);
                     const auto position = static_cast<int>(from.rows[row].position);
                     for (int j = 0; j < from.block_size(row); ++j) {
                         const auto value = from(first_row + j, position);
                         to(row, j) = conjugate ? conj_of(value) : value;
                     }
                 });
}

template <typename V, typename I>
void fill_dense(const DeviceExecutor& exec, const block_diagonal<V, I>& blocks, Dense<V>& result)
{
    using T = device_type<V>;
    run_for_each_entry(
        exec, result.get_size()[0], result.get_size()[1],
        [is_scalar = blocks.is_scalar, values = as_device(blocks.values.get_const_data()), entries = entries_of(blocks),
         result = entries_of(result)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
            const auto begin = is_scalar ? row : entries.first_row(row);
            const auto end = begin + (is_scalar ? 1 : entries.block_size(row));
            if (col < begin || col >= end) {
                result(row, col) = T{};
            } else {
                result(row, col) = is_scalar ? values[row] : entries(row, static_cast<int>(col - begin));
            }
        });
}

/// Returns the hash of an entry by its position in its row.
template <typename I>
struct entry_hash {
    SPRUCE_HOST_DEVICE_INLINE int64 operator()(size_type position, size_type nz) const
    {
        return hash_of_entry(position, static_cast<uint64>(col_idxs[nz]));
    }
    const I* col_idxs;
};

template <typename V, typename I>
void hash_rows(const DeviceExecutor& exec, const Csr<V, I>& a, int64* hashes)
{
    run_sum_rows(exec, a.get_const_row_ptrs(), a.get_size()[0], a.get_num_stored_elements(),
                 entry_hash<I>{a.get_const_col_idxs()},
                 [=] SPRUCE_KERNEL_LAMBDA(size_type row, int64 hash) { hashes[row] = hash; });
}

template <typename V, typename I>
void has_row_hashes(const DeviceExecutor& exec, const Csr<V, I>& a, const block_diagonal<V, I>& blocks, bool& result)
{
    if (blocks.workspace.get_size() < sizeof(int32)) {
        blocks.workspace.resize_and_reset(sizeof(int32));
    }
    const auto is_different = reinterpret_cast<int32*>(blocks.workspace.get_data());
    run_for_each(exec, 1, [=] SPRUCE_KERNEL_LAMBDA(size_type) { *is_different = 0; });
    run_sum_rows(exec, a.get_const_row_ptrs(), a.get_size()[0], a.get_num_stored_elements(),
                 entry_hash<I>{a.get_const_col_idxs()},
                 [=, hashes = blocks.row_hashes.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type row, int64 hash) {
                     if (hash != hashes[row]) {
                         atomic_store(is_different, int32{1});
                     }
                 });
    result = exec.copy_val_to_host(is_different) == 0;
}

}  // namespace jacobi

void register_jacobi()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        using E = DeviceExecutor;
        kernels::jacobi::find_blocks<V, I>.template set<E>(&jacobi::find_blocks<V, I>);
        kernels::jacobi::divide_into_slices<V, I>.template set<E>(&jacobi::divide_into_slices<V, I>);
        kernels::jacobi::extract<V, I>.template set<E>(&jacobi::extract<V, I>);
        kernels::jacobi::absolute_off_block<V, I>.template set<E>(&jacobi::absolute_off_block<V, I>);
        kernels::jacobi::add_to_diagonal<V, I>.template set<E>(&jacobi::add_to_diagonal<V, I>);
        kernels::jacobi::invert<V, I>.template set<E>(&jacobi::invert<V, I>);
        kernels::jacobi::compute_norms<V, I>.template set<E>(&jacobi::compute_norms<V, I>);
        kernels::jacobi::choose_formats<V, I>.template set<E>(&jacobi::choose_formats<V, I>);
        kernels::jacobi::reduce_storage<V, I>.template set<E>(&jacobi::reduce_storage<V, I>);
        kernels::jacobi::restore_storage<V, I>.template set<E>(&jacobi::restore_storage<V, I>);
        kernels::jacobi::find_hermitian<V, I>.template set<E>(&jacobi::find_hermitian<V, I>);
        kernels::jacobi::halve<V, I>.template set<E>(&jacobi::halve<V, I>);
        kernels::jacobi::expand<V, I>.template set<E>(&jacobi::expand<V, I>);
        kernels::jacobi::apply<V, I>.template set<E>(&jacobi::apply<V, I>);
        kernels::jacobi::advanced_apply<V, I>.template set<E>(&jacobi::advanced_apply<V, I>);
        kernels::jacobi::transpose<V, I>.template set<E>(&jacobi::transpose<V, I>);
        kernels::jacobi::fill_dense<V, I>.template set<E>(&jacobi::fill_dense<V, I>);
        kernels::jacobi::hash_rows<V, I>.template set<E>(&jacobi::hash_rows<V, I>);
        kernels::jacobi::has_row_hashes<V, I>.template set<E>(&jacobi::has_row_hashes<V, I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
