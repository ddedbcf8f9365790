// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/multigrid/multigrid_kernels.hpp"

#include <cmath>
#include <limits>

#include <spruce/base/array.hpp>

#include "common/numeric/magnitude.hpp"
#include "common/numeric/partition_point.hpp"
#include "common/numeric/split_mix.hpp"
#include "common/unified/base/prelude.hpp"
#include "core/components/array_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace multigrid {

using matrix::Csr;
using matrix::Dense;

template <typename V, typename I>
void scale_by_diagonal(const DeviceExecutor& exec, const V* values, const I* diagonal, size_type size,
                       remove_complex<V>* scale)
{
    run_for_each(exec, size, [scale, diagonal, values = as_device(values)] SPRUCE_KERNEL_LAMBDA(size_type i) {
        scale[i] = 1 / sqrt_of(abs_of(values[diagonal[i]]));
    });
}

template <typename V, typename I>
void invert_diagonal(const DeviceExecutor& exec, const V* values, const I* diagonal, size_type size, V* inverse)
{
    using T = device_type<V>;
    run_for_each(exec, size,
                 [diagonal, values = as_device(values), inverse = as_device(inverse)] SPRUCE_KERNEL_LAMBDA(
                     size_type i) { inverse[i] = T(1) / values[diagonal[i]]; });
}

template <typename V, typename I>
void mark_strong(const DeviceExecutor& exec, const Csr<V, I>& a, const remove_complex<V>* scale,
                 remove_complex<V> threshold, bool includes_row_strong, I* is_strong)
{
    run_for_each_nonzero(exec, a.get_const_row_ptrs(), a.get_size()[0], a.get_num_stored_elements(),
                         [scale, threshold, includes_row_strong, is_strong, cols = a.get_const_col_idxs(),
                          values = as_device(a.get_const_values())] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
                             const auto col = cols[nz];
                             const auto magnitude = abs_of(values[nz]);
                             const auto is_large =
                                 magnitude * scale[row] * scale[col] > threshold ||
                                 (includes_row_strong && magnitude * scale[row] * scale[row] > threshold);
                             is_strong[nz] = col == static_cast<I>(row) || is_large ? 1 : 0;
                         });
}

template <typename V, typename I>
void select_entries(const DeviceExecutor& exec, const Csr<V, I>& a, const I* targets, I* row_ptrs, I* col_idxs,
                    I* sources)
{
    run_for_each(exec, a.get_size()[0] + 1,
                 [targets, row_ptrs, a_row_ptrs = a.get_const_row_ptrs()] SPRUCE_KERNEL_LAMBDA(size_type row) {
                     row_ptrs[row] = targets[a_row_ptrs[row]];
                 });
    run_for_each(exec, a.get_num_stored_elements(),
                 [targets, col_idxs, sources, a_cols = a.get_const_col_idxs()] SPRUCE_KERNEL_LAMBDA(size_type nz) {
                     const auto target = targets[nz];
                     if (targets[nz + 1] > target) {
                         col_idxs[target] = a_cols[nz];
                         sources[target] = static_cast<I>(nz);
                     }
                 });
}

template <typename V, typename I>
void lump_dropped(const DeviceExecutor& exec, const Dense<V>& a_sums, const Dense<V>& f_sums, const I* diagonal,
                  Csr<V, I>& f)
{
    using Real = remove_complex<V>;
    run_for_each(exec, f.get_size()[0],
                 [diagonal, a_sums = entries_of(a_sums), f_sums = entries_of(f_sums),
                  values = as_device(f.get_values())] SPRUCE_KERNEL_LAMBDA(size_type row) {
                     const auto d = values[diagonal[row]];
                     const auto lumped = d + (a_sums(row, 0) - f_sums(row, 0));
                     if (real_of(lumped / d) >= Real(0.1)) {
                         values[diagonal[row]] = lumped;
                     }
                 });
}

template <typename V, typename I>
void compute_smoothing_matrix(const DeviceExecutor& exec, const Csr<V, I>& f, const I* diagonal,
                              remove_complex<V> omega, V* values)
{
    using T = device_type<V>;
    run_for_each_nonzero(exec, f.get_const_row_ptrs(), f.get_size()[0], f.get_num_stored_elements(),
                         [diagonal, omega, f_values = as_device(f.get_const_values()),
                          values = as_device(values)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
                             const auto d = diagonal[row];
                             values[nz] = nz == static_cast<size_type>(d) ? T(1 - omega)
                                                                          : T(-omega) * (f_values[nz] / f_values[d]);
                         });
}

template <typename V, typename I>
void fill_tentative(const DeviceExecutor& exec, const I* aggregates, size_type size, I* row_ptrs, I* col_idxs,
                    V* values, size_type& nnz)
{
    using T = device_type<V>;
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type row) { row_ptrs[row] = aggregates[row] >= 0 ? 1 : 0; });
    kernels::components::prefix_sum<I>(exec, row_ptrs, size + 1, nnz);
    run_for_each(exec, size, [=, values = as_device(values)] SPRUCE_KERNEL_LAMBDA(size_type row) {
        if (aggregates[row] >= 0) {
            col_idxs[row_ptrs[row]] = aggregates[row];
            values[row_ptrs[row]] = T(1);
        }
    });
}

template <typename I>
void expand_blocks(const DeviceExecutor& exec, const I* of_blocks, size_type block_size, size_type size, I* aggregates)
{
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type row) {
        const auto block = row / block_size;
        aggregates[row] = of_blocks ? of_blocks[block] : static_cast<I>(block);
    });
}

template <typename I>
void fill_vector_columns(const DeviceExecutor& exec, const I* aggregates, size_type num_rows, size_type num_vectors,
                         I* row_ptrs, I* cols)
{
    const auto k = static_cast<I>(num_vectors);
    run_for_each(exec, num_rows, [=] SPRUCE_KERNEL_LAMBDA(size_type row) {
        if (aggregates[row] >= 0) {
            for (I j = 0; j < k; ++j) {
                cols[row_ptrs[row] * k + j] = aggregates[row] * k + j;
            }
        }
    });
    run_for_each(exec, num_rows + 1, [=] SPRUCE_KERNEL_LAMBDA(size_type row) { row_ptrs[row] *= k; });
}

template <typename V, typename I>
void orthonormalize(const DeviceExecutor& exec, const I* ptrs, const I* rows, size_type num_aggregates,
                    const I* row_ptrs, const Dense<V>& b, V* q, Dense<V>& r)
{
    using T = device_type<V>;
    using Real = remove_complex<V>;
    const auto tolerance = std::sqrt(std::numeric_limits<Real>::epsilon());
    const auto num_vectors = static_cast<I>(b.get_size()[1]);
    run_for_each(exec, num_aggregates,
                 [=, b = entries_of(b), q = as_device(q), r = entries_of(r)] SPRUCE_KERNEL_LAMBDA(size_type aggregate) {
                     const auto begin = ptrs[aggregate];
                     const auto end = ptrs[aggregate + 1];
                     const auto first_row = aggregate * num_vectors;
                     for (I j = 0; j < num_vectors; ++j) {
                         // The squares of scaled entries neither overflow nor underflow.
                         Real largest{};
                         for (auto i = begin; i < end; ++i) {
                             const auto magnitude = abs_of(b(rows[i], j));
                             largest = magnitude > largest ? magnitude : largest;
                         }
                         Real squares{};
                         for (auto i = begin; i < end; ++i) {
                             const auto value = largest > 0 ? b(rows[i], j) / T(largest) : T(0);
                             q[row_ptrs[rows[i]] + j] = value;
                             squares += squared_abs(value);
                         }
                         for (I l = 0; l < num_vectors; ++l) {
                             r(first_row + l, j) = T(0);
                         }
                         for (int pass = 0; pass < 2; ++pass) {
                             for (I l = 0; l < j; ++l) {
                                 T product(0);
                                 for (auto i = begin; i < end; ++i) {
                                     const auto row = q + row_ptrs[rows[i]];
                                     product += conj_of(row[l]) * row[j];
                                 }
                                 for (auto i = begin; i < end; ++i) {
                                     const auto row = q + row_ptrs[rows[i]];
                                     row[j] -= row[l] * product;
                                 }
                                 r(first_row + l, j) += product * T(largest);
                             }
                         }
                         Real rest{};
                         for (auto i = begin; i < end; ++i) {
                             rest += squared_abs(q[row_ptrs[rows[i]] + j]);
                         }
                         const auto norm = sqrt_of(rest);
                         const auto is_independent = norm > tolerance * sqrt_of(squares);
                         for (auto i = begin; i < end; ++i) {
                             auto& value = q[row_ptrs[rows[i]] + j];
                             value = is_independent ? value / T(norm) : T(0);
                         }
                         r(first_row + j, j) = is_independent ? T(norm * largest) : T(0);
                     }
                 });
}

/// Returns the position of the diagonal entry in a sorted row that has one.
template <typename I>
SPRUCE_HOST_DEVICE_INLINE I find_diagonal(const I* row_ptrs, const I* cols, size_type row)
{
    return lower_bound(cols, row_ptrs[row], row_ptrs[row + 1], static_cast<I>(row));
}

template <typename V, typename I>
void complete_diagonal(const DeviceExecutor& exec, const Csr<V, I>& a, const Csr<V, I>& r, size_type num_vectors,
                       Csr<V, I>& coarse)
{
    using T = device_type<V>;
    using Real = remove_complex<V>;
    run_for_each(exec, coarse.get_size()[0] / num_vectors,
                 [num_vectors, a_ptrs = a.get_const_row_ptrs(), a_cols = a.get_const_col_idxs(),
                  a_values = as_device(a.get_const_values()), r_ptrs = r.get_const_row_ptrs(),
                  r_cols = r.get_const_col_idxs(), r_values = as_device(r.get_const_values()),
                  ptrs = coarse.get_const_row_ptrs(), cols = coarse.get_const_col_idxs(),
                  values = as_device(coarse.get_values())] SPRUCE_KERNEL_LAMBDA(size_type node) {
                     constexpr auto tolerance = 16 * std::numeric_limits<Real>::epsilon();
                     const auto first = node * num_vectors;
                     T largest(0);
                     for (auto row = first; row < first + num_vectors; ++row) {
                         T d(0);
                         for (auto nz = r_ptrs[row]; nz < r_ptrs[row + 1]; ++nz) {
                             const auto i = static_cast<size_type>(r_cols[nz]);
                             d += T(squared_abs(r_values[nz])) * a_values[find_diagonal(a_ptrs, a_cols, i)];
                         }
                         auto& value = values[find_diagonal(ptrs, cols, row)];
                         value = abs_of(value) <= tolerance * abs_of(d) ? d : value;
                         largest = abs_of(value) > abs_of(largest) ? value : largest;
                     }
                     for (auto row = first; row < first + num_vectors; ++row) {
                         auto& value = values[find_diagonal(ptrs, cols, row)];
                         if (is_zero(value)) {
                             value = is_zero(largest) ? a_values[0] : largest;
                         }
                     }
                 });
}

template <typename V>
void scale_rows(const DeviceExecutor& exec, const remove_complex<V>* scale, const Dense<V>& b, Dense<V>& x)
{
    using T = device_type<V>;
    run_for_each(exec, b.get_size()[0],
                 [scale, b = entries_of(b), x = entries_of(x)] SPRUCE_KERNEL_LAMBDA(size_type row) {
                     x(row, 0) = T(scale[row]) * b(row, 0);
                 });
}

template <typename V>
void fill_random(const DeviceExecutor& exec, Dense<V>& x)
{
    using T = device_type<V>;
    using Real = remove_complex<V>;
    run_for_each(exec, x.get_size()[0], [x = entries_of(x)] SPRUCE_KERNEL_LAMBDA(size_type row) {
        const auto z = split_mix(static_cast<uint64>(row));
        x(row, 0) = T(static_cast<Real>(static_cast<double>(z >> 11) * 0x1p-52 - 1.0));
    });
}

template <typename V>
void find_largest_scaled(const DeviceExecutor& exec, const Dense<V>& sums, const remove_complex<V>* scale,
                         remove_complex<V>& result)
{
    array<int64> largest{exec.shared_from_this(), 1};
    largest.fill(0);
    run_for_each(exec, sums.get_size()[0],
                 [scale, sums = entries_of(sums), largest = largest.get_data()] SPRUCE_KERNEL_LAMBDA(size_type row) {
                     atomic_max(largest,
                                static_cast<int64>(magnitude_of(real_of(sums(row, 0)) * scale[row] * scale[row])));
                 });
    result = real_of_magnitude<remove_complex<V>>(static_cast<uint64>(exec.copy_val_to_host(largest.get_const_data())));
}

template <typename V>
void smoothing_step(const DeviceExecutor& exec, const V* inverse_diagonal, const Dense<V>& r, remove_complex<V> alpha,
                    remove_complex<V> beta, bool from_zero, Dense<V>& d, Dense<V>& x)
{
    using T = device_type<V>;
    run_for_each_entry(exec, r.get_size()[0], r.get_size()[1],
                       [alpha, beta, from_zero, inverse_diagonal = as_device(inverse_diagonal), r = entries_of(r),
                        d = entries_of(d), x = entries_of(x)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                           auto step = T(alpha) * (inverse_diagonal[row] * r(row, col));
                           if (beta != 0) {
                               step += T(beta) * d(row, col);
                           }
                           d(row, col) = step;
                           x(row, col) = from_zero ? step : x(row, col) + step;
                       });
}

}  // namespace multigrid

void register_multigrid()
{
    using E = DeviceExecutor;
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        kernels::multigrid::scale_rows<V>.template set<E>(&multigrid::scale_rows<V>);
        kernels::multigrid::fill_random<V>.template set<E>(&multigrid::fill_random<V>);
        kernels::multigrid::find_largest_scaled<V>.template set<E>(&multigrid::find_largest_scaled<V>);
        kernels::multigrid::smoothing_step<V>.template set<E>(&multigrid::smoothing_step<V>);
    });
    for_each_index_type([](auto type) {
        using I = typename decltype(type)::type;
        kernels::multigrid::expand_blocks<I>.template set<E>(&multigrid::expand_blocks<I>);
        kernels::multigrid::fill_vector_columns<I>.template set<E>(&multigrid::fill_vector_columns<I>);
    });
    for_each_value_and_index_type([](auto type) {
        using V = typename decltype(type)::value_type;
        using I = typename decltype(type)::index_type;
        kernels::multigrid::scale_by_diagonal<V, I>.template set<E>(&multigrid::scale_by_diagonal<V, I>);
        kernels::multigrid::invert_diagonal<V, I>.template set<E>(&multigrid::invert_diagonal<V, I>);
        kernels::multigrid::mark_strong<V, I>.template set<E>(&multigrid::mark_strong<V, I>);
        kernels::multigrid::select_entries<V, I>.template set<E>(&multigrid::select_entries<V, I>);
        kernels::multigrid::lump_dropped<V, I>.template set<E>(&multigrid::lump_dropped<V, I>);
        kernels::multigrid::compute_smoothing_matrix<V, I>.template set<E>(&multigrid::compute_smoothing_matrix<V, I>);
        kernels::multigrid::fill_tentative<V, I>.template set<E>(&multigrid::fill_tentative<V, I>);
        kernels::multigrid::orthonormalize<V, I>.template set<E>(&multigrid::orthonormalize<V, I>);
        kernels::multigrid::complete_diagonal<V, I>.template set<E>(&multigrid::complete_diagonal<V, I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
