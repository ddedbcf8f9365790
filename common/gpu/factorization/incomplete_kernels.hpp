// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Computes incomplete factors in one kernel, in which rows wait for those on which they depend. A
// subwarp computes a row. Rows with many more entries than the others would delay the rows after
// them, so their entries are computed side by side.
//
// Warps take chunks of rows and entries by tickets in the order of levels. All rows on which a row
// depends precede it in this order, so that running warps have taken them, and the first unfinished
// one can always continue. Values are published as in the triangular solves of Liu, Li, Hogg, Duff
// and Vinter 2016. The order of sums is fixed.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/components/published_values.hpp"
#include "common/gpu/factorization/incomplete_entries.hpp"
#include "common/gpu/factorization/incomplete_rows.hpp"
#include "common/gpu/factorization/incomplete_view.hpp"
#include "common/gpu/factorization/lanes_of_row.hpp"
#include "core/components/array_kernels.hpp"
#include "core/components/sort_kernels.hpp"
#include "core/factorization/incomplete_kernels.hpp"
#include "core/solver/level_order.hpp"
#include "core/solver/triangular_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace incomplete {

using spruce::factorization::detail::incomplete_schedule;

/// Number of blocks that are launched for each multiprocessor (doc/tuning/factorizations.md).
constexpr int blocks_per_multiprocessor = 4;

namespace kernel {

/// Number of blocks that a multiprocessor runs concurrently. It limits the number of registers of a
/// thread (doc/tuning/factorizations.md).
template <bool has_long_rows, typename T>
constexpr int min_blocks = has_long_rows || sizeof(T) > 8 ? 2 : 3;

/// Computes the factors, which are without values at the start. ticket is zero then.
template <typename Entries, typename Rows, bool has_long_rows, int size, typename T, typename I>
__global__ __launch_bounds__(default_block_size,
                             (min_blocks<has_long_rows, T>)) void compute_factors(factor_view<T, I> f, uint32* ticket)
{
    constexpr int slots_of_warp = warp_size / size;
    constexpr int memory_size = default_block_size * max_entries_of_lane;
    __shared__ T values[memory_size];
    __shared__ I cols[memory_size];
    __shared__ I pivot_begins[memory_size];
    __shared__ I pivot_ends[memory_size];
    const auto begin = static_cast<int>(threadIdx.x) / size * (size * max_entries_of_lane);
    const shared_row<size * max_entries_of_lane, T, I> memory{
        0, 0, 0, cols + begin, values + begin, pivot_begins + begin, pivot_ends + begin};
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto rank = static_cast<int>(warp.thread_rank());
    size_type chunk = rank == 0 ? atomicAdd(ticket, 1u) : 0;
    chunk = warp.shfl(chunk, 0);
    while (chunk * slots_of_warp < f.num_slots) {
        const uint32 next_chunk = rank == 0 ? atomicAdd(ticket, 1u) : 0;  // while this one waits
        const auto slot = chunk * slots_of_warp + rank / size;
        const auto has_slot = slot < f.num_slots;
        const auto row = has_slot ? f.slot_rows[slot] : I{};
        if constexpr (!has_long_rows) {
            compute_rows<Rows, size>(warp, f, row, has_slot, memory);
        } else {
            // Rows and entries may depend on those before them in the chunk.
            const auto whole_lanes = warp.ballot(row >= 0);
            for (int first = 0; first < warp_size;) {
                const auto computes_rows = (whole_lanes >> first & 1) != 0;
                const auto others = warp::ffs((computes_rows ? ~whole_lanes : whole_lanes) >> first);
                const auto end = others == 0 ? int{warp_size} : min(first + others - 1, int{warp_size});
                if (computes_rows) {
                    compute_rows<Rows, size>(warp, f, row, has_slot && first <= rank && rank < end, memory);
                } else {
                    const auto is_active = first <= rank && rank < end;
                    compute_entries<Entries>(warp, f, describe_slot<Entries, size>(f, slot, row, is_active), first,
                                             end);
                }
                first = end;
            }
        }
        chunk = warp.shfl(next_chunk, 0);
    }
}

}  // namespace kernel

/// Lists the entries of the strict upper triangle by columns, and by rows within a column.
template <typename V, typename I>
void list_columns(const DeviceExecutor& exec, const matrix::Csr<V, I>& factors, incomplete_schedule<I>& schedule)
{
    const auto shared_exec = exec.shared_from_this();
    const auto size = factors.get_size()[0];
    const auto nnz = factors.get_num_stored_elements();
    array<I> keys{shared_exec, nnz};
    run_for_each_nonzero(exec, factors.get_const_row_ptrs(), size, nnz,
                         [cols = factors.get_const_col_idxs(), keys = keys.get_data(), size] SPRUCE_KERNEL_LAMBDA(
                             size_type row, size_type nz) {
                             keys[nz] = static_cast<size_type>(cols[nz]) > row ? cols[nz] : static_cast<I>(size);
                         });
    array<I> sorted_keys{shared_exec, nnz};
    array<I> entries{shared_exec, nnz};
    kernels::components::sort_keys<I>(exec, keys.get_const_data(), nullptr, nnz, size + 1, sorted_keys.get_data(),
                                      entries.get_data());
    schedule.col_ptrs.resize_and_reset(size + 1);
    kernels::components::convert_idxs_to_ptrs<I>(exec, sorted_keys.get_const_data(), nnz, schedule.col_ptrs.get_data(),
                                                 size);
    kernels::components::convert_ptrs_to_idxs<I>(exec, factors.get_const_row_ptrs(), size, keys.get_data());
    const auto num_upper = static_cast<size_type>(exec.copy_val_to_host(schedule.col_ptrs.get_const_data() + size));
    schedule.col_rows.resize_and_reset(num_upper);
    schedule.col_entries.resize_and_reset(num_upper);
    run_for_each(
        exec, num_upper,
        [entries = entries.get_const_data(), rows = keys.get_const_data(), col_rows = schedule.col_rows.get_data(),
         col_entries = schedule.col_entries.get_data()] SPRUCE_KERNEL_LAMBDA(size_type i) {
            col_entries[i] = entries[i];
            col_rows[i] = rows[entries[i]];
        });
}

/// Calls function(std::integral_constant<int, size>) with the number of lanes that compute a row of
/// the factors.
template <typename V, typename I, typename Function>
void select_lanes_of_row(const matrix::Csr<V, I>& factors, bool is_hermitian, Function function)
{
    const auto size = factors.get_size()[0];
    const auto nnz = factors.get_num_stored_elements();
    factor_rows::select_lanes(size, is_hermitian ? nnz : (nnz + size) / 2, function);
}

template <typename V, typename I>
void analyze(const DeviceExecutor& exec, const matrix::Csr<V, I>& factors, bool is_hermitian,
             incomplete_schedule<I>& schedule)
{
    const auto size = factors.get_size()[0];
    if (size == 0) {
        return;
    }
    array<I> levels{exec.shared_from_this(), size};
    kernels::triangular::compute_levels<V, I>(exec, factors, false, schedule.diagonal.get_const_data(),
                                              levels.get_data());
    order_by_group(levels, schedule.order);
    I lanes{};
    select_lanes_of_row(factors, is_hermitian, [&](auto lanes_of_row) { lanes = lanes_of_row; });
    array<I> slot_ptrs{exec.shared_from_this(), size + 1};
    run_for_each(exec, size,
                 [lanes, slot_ptrs = slot_ptrs.get_data(), order = schedule.order.get_const_data(),
                  row_ptrs = factors.get_const_row_ptrs()] SPRUCE_KERNEL_LAMBDA(size_type i) {
                     const auto num_entries = row_ptrs[order[i] + 1] - row_ptrs[order[i]];
                     const auto is_long = num_entries > lanes * factor_rows::max_entries_of_lane;
                     slot_ptrs[i] = is_long ? (num_entries + lanes - 1) / lanes : 1;
                 });
    size_type num_slots{};
    kernels::components::prefix_sum<I>(exec, slot_ptrs.get_data(), size + 1, num_slots);
    if (num_slots == size) {
        return;  // no row is long
    }
    schedule.slot_rows.resize_and_reset(num_slots);
    run_for_each(exec, num_slots,
                 [size, slot_ptrs = slot_ptrs.get_const_data(), order = schedule.order.get_const_data(),
                  slot_rows = schedule.slot_rows.get_data()] SPRUCE_KERNEL_LAMBDA(size_type slot) {
                     const auto position =
                         lower_bound(slot_ptrs, I{}, static_cast<I>(size), static_cast<I>(slot) + 1) - 1;
                     const auto is_long = slot_ptrs[position + 1] - slot_ptrs[position] > 1;
                     slot_rows[slot] = is_long ? -1 - position : order[position];
                 });
    schedule.slot_ptrs = std::move(slot_ptrs);
    if (!is_hermitian) {
        list_columns(exec, factors, schedule);
    }
}

template <typename Entries, typename Rows, typename V, typename I>
void run(const DeviceExecutor& exec, const V* a_values, const I* sources, const incomplete_schedule<I>& schedule,
         bool is_hermitian, matrix::Csr<V, I>& factors, I* bad_row)
{
    using T = device_type<V>;
    const auto size = factors.get_size()[0];
    const auto nnz = factors.get_num_stored_elements();
    const auto scratch = exec.acquire_scratch(size * sizeof(T) + sizeof(uint32));
    const auto inverse_pivots = scratch.template as<T>();
    const auto ticket = reinterpret_cast<uint32*>(inverse_pivots + size);
    const auto& slot_rows = schedule.slot_rows.get_size() > 0 ? schedule.slot_rows : schedule.order;
    const kernel::factor_view<T, I> view{factors.get_const_row_ptrs(),
                                         factors.get_const_col_idxs(),
                                         schedule.diagonal.get_const_data(),
                                         slot_rows.get_size(),
                                         slot_rows.get_const_data(),
                                         schedule.order.get_const_data(),
                                         schedule.slot_ptrs.get_const_data(),
                                         schedule.col_ptrs.get_const_data(),
                                         schedule.col_rows.get_const_data(),
                                         schedule.col_entries.get_const_data(),
                                         as_device(a_values),
                                         sources,
                                         as_device(factors.get_values()),
                                         inverse_pivots,
                                         bad_row};
    run_for_each(exec, nnz, [ticket, size, values = view.values, inverse_pivots] SPRUCE_KERNEL_LAMBDA(size_type i) {
        published::clear(values + i);
        if (i < size) {
            published::clear(inverse_pivots + i);
        }
        if (i == 0) {
            *ticket = 0;
        }
    });
    if (nnz == 0) {
        return;
    }
    select_lanes_of_row(factors, is_hermitian, [&](auto lanes_of_row) {
        constexpr int size = lanes_of_row;
        const auto num_blocks =
            std::min<size_type>(static_cast<size_type>(exec.get_num_multiprocessor()) * blocks_per_multiprocessor,
                                ceildiv(view.num_slots, default_block_size / size));
        const auto kernel = schedule.slot_rows.get_size() > 0
                                ? kernel::compute_factors<Entries, Rows, true, size, T, I>
                                : kernel::compute_factors<Entries, Rows, false, size, T, I>;
        launch_blocks(exec, kernel, num_blocks, view, ticket);
    });
}

template <typename V, typename I>
void compute_lu(const DeviceExecutor& exec, const V* a_values, const I* sources, const incomplete_schedule<I>& schedule,
                matrix::Csr<V, I>& factors, I* bad_row)
{
    run<kernel::lower_and_upper, kernel::lu_rows>(exec, a_values, sources, schedule, false, factors, bad_row);
}

template <typename V, typename I>
void compute_cholesky(const DeviceExecutor& exec, const V* a_values, const I* sources,
                      const incomplete_schedule<I>& schedule, matrix::Csr<V, I>& factor, I* bad_row)
{
    run<kernel::lower_only, kernel::cholesky_rows>(exec, a_values, sources, schedule, true, factor, bad_row);
}

}  // namespace incomplete

void register_incomplete()
{
    for_each_value_and_index_type([](auto tag) {
        using V = typename decltype(tag)::value_type;
        using I = typename decltype(tag)::index_type;
        using E = DeviceExecutor;
        kernels::incomplete::analyze<V, I>.template set<E>(&incomplete::analyze<V, I>);
        kernels::incomplete::compute_lu<V, I>.template set<E>(&incomplete::compute_lu<V, I>);
        kernels::incomplete::compute_cholesky<V, I>.template set<E>(&incomplete::compute_cholesky<V, I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
