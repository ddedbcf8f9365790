// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <limits>

#include "core/preconditioner/isai_kernels.hpp"

#include "common/numeric/partition_point.hpp"
#include "common/unified/base/prelude.hpp"
#include "common/unified/preconditioner/isai_rows.hpp"

#include SPRUCE_DEVICE_FILE(preconditioner, inverse_rows)

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace isai {

using preconditioner::detail::excess_view;
using preconditioner::detail::residual_rounding_factor;
using preconditioner::detail::row_limits;

template <typename I>
void classify_rows(const DeviceExecutor& exec, const I* row_ptrs, size_type num_rows, bool is_triangular,
                   row_limits limits, I* classes)
{
    run_for_each(exec, num_rows, [=] SPRUCE_KERNEL_LAMBDA(size_type row) {
        const auto length = row_ptrs[row + 1] - row_ptrs[row];
        I row_class = 0;
        while (row_class < num_dense_classes && length > max_row_of_first_class << row_class) {
            ++row_class;
        }
        if (is_triangular && length > max_subwarp_row) {
            row_class = length <= limits.substituted ? substituted_class : excess_class;
        } else if (length > limits.dense) {
            row_class = excess_class;
        }
        classes[row] = row_class;
    });
}

/// Describes an unknown of an excess system. Its row of the system is row t_row of T, restricted to
/// the columns of a row of M. Its candidates are the entries of the shorter one of these two rows.
template <typename I>
struct excess_unknown {
    I row;
    I begin;  ///< of the row of M
    I end;
    I first_unknown;  ///< of this row
    I t_row;
    I t_begin;
    I t_end;

    SPRUCE_HOST_DEVICE_INLINE bool searches_in_t() const { return end - begin < t_end - t_begin; }
    SPRUCE_HOST_DEVICE_INLINE I num_candidates() const { return searches_in_t() ? end - begin : t_end - t_begin; }
};

template <typename T, typename I>
SPRUCE_HOST_DEVICE_INLINE excess_unknown<I> describe_unknown(const isai_view<T, I>& m, const excess_view<I>& system,
                                                             size_type unknown)
{
    const auto block =
        partition_point(size_type{1}, system.num_blocks,
                        [&](size_type i) { return static_cast<size_type>(system.block_ptrs[i]) <= unknown; }) -
        1;
    excess_unknown<I> result{};
    result.row = system.rows[block];
    result.begin = m.row_ptrs[result.row];
    result.end = m.row_ptrs[result.row + 1];
    result.first_unknown = system.block_ptrs[block];
    result.t_row = m.cols[result.begin + static_cast<I>(unknown) - result.first_unknown];
    result.t_begin = m.t_row_ptrs[result.t_row];
    result.t_end = m.t_row_ptrs[result.t_row + 1];
    return result;
}

/// Returns the unknown of an excess system that belongs to entry (i, i) of M, where i is the row of
/// M that has this unknown.
template <typename T, typename I>
SPRUCE_HOST_DEVICE_INLINE I diagonal_unknown(const isai_view<T, I>& m, const excess_unknown<I>& unknown)
{
    return static_cast<I>(unknown.first_unknown + lower_bound(m.cols, unknown.begin, unknown.end, unknown.row) -
                          unknown.begin);
}

/// Describes an entry of an excess system. The entry of T is negative if there is none.
template <typename I>
struct excess_entry {
    I t_entry;
    I col;
};

template <typename T, typename I>
SPRUCE_HOST_DEVICE_INLINE excess_entry<I> find_entry(const isai_view<T, I>& m, const excess_unknown<I>& unknown,
                                                     I candidate)
{
    if (unknown.searches_in_t()) {
        const auto col = m.cols[unknown.begin + candidate];
        const auto found = lower_bound(m.t_cols, unknown.t_begin, unknown.t_end, col);
        const auto is_found = found < unknown.t_end && m.t_cols[found] == col;
        return {is_found ? found : I{-1}, static_cast<I>(unknown.first_unknown + candidate)};
    }
    const auto t_entry = static_cast<I>(unknown.t_begin + candidate);
    const auto found = lower_bound(m.cols, unknown.begin, unknown.end, m.t_cols[t_entry]);
    const auto is_found = found < unknown.end && m.cols[found] == m.t_cols[t_entry];
    return {is_found ? t_entry : I{-1}, static_cast<I>(unknown.first_unknown + found - unknown.begin)};
}

template <typename V, typename I>
void bound_excess_rows(const DeviceExecutor& exec, const isai_view<V, I>& m, const excess_view<I>& system, I* counts)
{
    run_for_each(exec, system.num_unknowns,
                 [system, counts, m = device_view_of(m)] SPRUCE_KERNEL_LAMBDA(size_type unknown) {
                     counts[unknown] = describe_unknown(m, system, unknown).num_candidates();
                 });
}

template <typename V, typename I>
void find_excess_entries(const DeviceExecutor& exec, const isai_view<V, I>& m, const excess_view<I>& system,
                         const I* candidate_ptrs, size_type num_candidates, I* flags)
{
    run_for_each_nonzero(exec, candidate_ptrs, system.num_unknowns, num_candidates,
                         [system, candidate_ptrs, flags, m = device_view_of(m)] SPRUCE_KERNEL_LAMBDA(
                             size_type unknown, size_type candidate) {
                             const auto entry =
                                 find_entry(m, describe_unknown(m, system, unknown),
                                            static_cast<I>(static_cast<I>(candidate) - candidate_ptrs[unknown]));
                             flags[candidate] = entry.t_entry >= 0 ? 1 : 0;
                         });
}

template <typename V, typename I>
void fill_excess_system(const DeviceExecutor& exec, const isai_view<V, I>& m, const excess_view<I>& system,
                        const I* candidate_ptrs, size_type num_candidates, const I* positions,
                        matrix::Csr<V, I>& matrix, V* rhs, V* scales, I* bad_row)
{
    using T = device_type<V>;
    run_for_each(exec, system.num_unknowns + 1,
                 [=, row_ptrs = matrix.get_row_ptrs()] SPRUCE_KERNEL_LAMBDA(size_type unknown) {
                     row_ptrs[unknown] = positions[candidate_ptrs[unknown]];
                 });
    run_for_each(exec, system.num_unknowns,
                 [system, rhs = as_device(rhs), m = device_view_of(m)] SPRUCE_KERNEL_LAMBDA(size_type unknown) {
                     const auto place = describe_unknown(m, system, unknown);
                     rhs[unknown] = place.row == place.t_row ? one<T>() : T{};
                 });
    run_for_each_nonzero(
        exec, candidate_ptrs, system.num_unknowns, num_candidates,
        [system, candidate_ptrs, positions, bad_row, m = device_view_of(m), col_idxs = matrix.get_col_idxs(),
         scales = as_device(scales),
         values = as_device(matrix.get_values())] SPRUCE_KERNEL_LAMBDA(size_type unknown, size_type candidate) {
            const auto place = describe_unknown(m, system, unknown);
            const auto entry =
                find_entry(m, place, static_cast<I>(static_cast<I>(candidate) - candidate_ptrs[unknown]));
            if (entry.t_entry < 0) {
                return;
            }
            auto value = value_of_t(m, entry.t_entry);
            const auto is_diagonal = static_cast<size_type>(entry.col) == unknown;
            if (!is_finite_value(value)) {
                atomic_min(bad_row, place.row);
            } else if (is_triangular(m.type) && is_diagonal && is_zero(value)) {
                atomic_min(bad_row, place.t_row);
            }
            if (is_diagonal && m.type != isai_type::general) {
                scales[unknown] = T(root_scale(abs_of(value)));
            }
            if (m.type == isai_type::spd && is_diagonal) {
                value = T(real_of(value) / 2);
            }
            col_idxs[positions[candidate]] = entry.col;
            values[positions[candidate]] = value;
        });
}

template <typename V, typename I>
void equilibrate_rows(const DeviceExecutor& exec, const matrix::Csr<V, I>& matrix, const V* row_scales,
                      const V* col_scales, V* new_row_scales)
{
    using T = device_type<V>;
    run_for_each(exec, matrix.get_size()[0],
                 [row_ptrs = matrix.get_const_row_ptrs(), col_idxs = matrix.get_const_col_idxs(),
                  values = as_device(matrix.get_const_values()), row_scales = as_device(row_scales),
                  col_scales = as_device(col_scales),
                  new_row_scales = as_device(new_row_scales)] SPRUCE_KERNEL_LAMBDA(size_type row) {
                     const auto row_scale = row_scales[row];
                     remove_complex<T> largest{};
                     for (auto nz = row_ptrs[row]; nz < row_ptrs[row + 1]; ++nz) {
                         const auto magnitude = abs_of(values[nz] * row_scale * col_scales[col_idxs[nz]]);
                         largest = magnitude > largest ? magnitude : largest;
                     }
                     new_row_scales[row] = row_scale * T(root_scale(largest));
                 });
}

template <typename V, typename I>
void check_excess_blocks(const DeviceExecutor& exec, const excess_view<I>& system, const V* residuals,
                         const remove_complex<V>* bounds, remove_complex<V> limit, remove_complex<V>* norms, I* bad_row)
{
    using Real = remove_complex<V>;
    run_for_each(exec, system.num_blocks, [=, residuals = as_device(residuals)] SPRUCE_KERNEL_LAMBDA(size_type block) {
        constexpr auto factor = residual_rounding_factor * std::numeric_limits<Real>::epsilon();
        Real sum{};
        Real sum_of_bounds{};
        for (auto i = system.block_ptrs[block]; i < system.block_ptrs[block + 1]; ++i) {
            sum += squared_abs(residuals[i]);
            sum_of_bounds += bounds[i] * bounds[i];
        }
        const auto norm = sqrt_of(sum);
        const auto rounding = factor * sqrt_of(sum_of_bounds);
        norms[block] = norm;
        const auto is_accurate = rounding <= static_cast<Real>(max_dense_residual);
        if (!(is_accurate && (norm <= limit || norm <= rounding))) {
            atomic_min(bad_row, system.rows[block]);
        }
    });
}

template <typename V, typename I>
void store_excess_rows(const DeviceExecutor& exec, const isai_view<V, I>& m, const excess_view<I>& system,
                       const V* solution, const V* row_scales, const V* col_scales, V* values, I* bad_row)
{
    using T = device_type<V>;
    run_for_each(
        exec, system.num_unknowns,
        [system, bad_row, m = device_view_of(m), solution = as_device(solution), row_scales = as_device(row_scales),
         col_scales = as_device(col_scales), values = as_device(values)] SPRUCE_KERNEL_LAMBDA(size_type unknown) {
            const auto place = describe_unknown(m, system, unknown);
            auto value = solution[unknown] * row_scales[unknown];
            const auto diagonal = static_cast<size_type>(diagonal_unknown(m, place));
            if (m.type == isai_type::spd) {
                const auto root = T(sqrt_of(real_of(solution[diagonal])));
                value = unknown == diagonal ? root * row_scales[unknown] : value / root;
            } else {
                value *= col_scales[diagonal];
            }
            values[place.begin + static_cast<I>(unknown) - place.first_unknown] = value;
            if (!is_finite_value(value)) {
                atomic_min(bad_row, place.row);
            }
        });
}

}  // namespace isai

void register_isai()
{
    for_each_index_type([](auto type) {
        using I = typename decltype(type)::type;
        kernels::isai::classify_rows<I>.template set<DeviceExecutor>(&isai::classify_rows<I>);
    });
    for_each_value_and_index_type([](auto type) {
        using V = typename decltype(type)::value_type;
        using I = typename decltype(type)::index_type;
        using E = DeviceExecutor;
        kernels::isai::compute_rows<V, I>.template set<E>(&isai::compute_rows<V, I>);
        kernels::isai::bound_excess_rows<V, I>.template set<E>(&isai::bound_excess_rows<V, I>);
        kernels::isai::find_excess_entries<V, I>.template set<E>(&isai::find_excess_entries<V, I>);
        kernels::isai::fill_excess_system<V, I>.template set<E>(&isai::fill_excess_system<V, I>);
        kernels::isai::equilibrate_rows<V, I>.template set<E>(&isai::equilibrate_rows<V, I>);
        kernels::isai::check_excess_blocks<V, I>.template set<E>(&isai::check_excess_blocks<V, I>);
        kernels::isai::store_excess_rows<V, I>.template set<E>(&isai::store_excess_rows<V, I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
