// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Finds blocks of rows with similar patterns. All steps are maps and prefix sums, and give the
// result of a sequential pass over the rows.

#include "common/unified/base/prelude.hpp"
#include "core/components/array_kernels.hpp"
#include "core/preconditioner/jacobi_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace jacobi {

/// Lists the numbers i of 0, ..., size - 1 with is_begin(i), followed by size. before receives the
/// number of those that precede i, for i = 0, ..., size.
template <typename I, typename Condition>
array<I> list_begins(const DeviceExecutor& exec, size_type size, array<I>& before, Condition is_begin)
{
    before.resize_and_reset(size + 1);
    run_for_each(exec, size,
                 [=, flags = before.get_data()] SPRUCE_KERNEL_LAMBDA(size_type i) { flags[i] = is_begin(i) ? 1 : 0; });
    size_type num_begins{};
    kernels::components::prefix_sum<I>(exec, before.get_data(), size + 1, num_begins);
    array<I> begins{exec.shared_from_this(), num_begins + 1};
    run_for_each(exec, size + 1,
                 [=, before = before.get_const_data(), begins = begins.get_data()] SPRUCE_KERNEL_LAMBDA(size_type i) {
                     if (i == size || before[i + 1] != before[i]) {
                         begins[before[i]] = static_cast<I>(i);
                     }
                 });
    return begins;
}

/// Returns the number of rows in the current block after it has received a part, or after a new
/// block has begun with this part.
template <typename I>
struct part_map {
    SPRUCE_HOST_DEVICE_INLINE int operator()(size_type part, int num_rows) const
    {
        const auto size = static_cast<int>(part_ptrs[part + 1] - part_ptrs[part]);
        return num_rows + size > max_block_size ? size : num_rows + size;
    }
    const I* part_ptrs;
    int max_block_size;
};

/// Contains the map of a sequence of parts for each number of rows in the block before it.
struct sequence_map {
    SPRUCE_HOST_DEVICE_INLINE int operator()(size_type sequence, int num_rows) const
    {
        return results[sequence * (max_block_size + 1) + num_rows];
    }
    const uint8* results;
    int max_block_size;
};

/// Computes the number of rows in the current block before each of num maps, if a full block
/// precedes the first one. The maps of sequences are composed, which gives the numbers before the
/// sequences, recursively.
template <typename Map>
array<uint8> rows_before(const DeviceExecutor& exec, size_type num, Map map)
{
    constexpr size_type sequence_length = 64;
    const auto max_block_size = map.max_block_size;
    const auto num_states = static_cast<size_type>(max_block_size) + 1;
    const auto num_sequences = (num + sequence_length - 1) / sequence_length;
    array<uint8> before{exec.shared_from_this(), num};
    array<uint8> before_sequences{exec.shared_from_this()};
    if (num_sequences > 1) {
        array<uint8> results{exec.shared_from_this(), num_sequences * num_states};
        run_for_each(exec, num_sequences * num_states,
                     [=, results = results.get_data()] SPRUCE_KERNEL_LAMBDA(size_type i) {
                         const auto begin = i / num_states * sequence_length;
                         auto num_rows = static_cast<int>(i % num_states);
                         for (auto k = begin; k < begin + sequence_length && k < num; ++k) {
                             num_rows = map(k, num_rows);
                         }
                         results[i] = static_cast<uint8>(num_rows);
                     });
        before_sequences = rows_before(exec, num_sequences, sequence_map{results.get_const_data(), max_block_size});
    }
    run_for_each(exec, num_sequences,
                 [=, at_begin = before_sequences.get_const_data(),
                  before = before.get_data()] SPRUCE_KERNEL_LAMBDA(size_type sequence) {
                     const auto begin = sequence * sequence_length;
                     auto num_rows = num_sequences > 1 ? static_cast<int>(at_begin[sequence]) : max_block_size;
                     for (auto k = begin; k < begin + sequence_length && k < num; ++k) {
                         before[k] = static_cast<uint8>(num_rows);
                         num_rows = map(k, num_rows);
                     }
                 });
    return before;
}

template <typename V, typename I>
void find_blocks(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, size_type max_block_size, array<I>& block_ptrs)
{
    const auto size = a.get_size()[0];
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto col_idxs = a.get_const_col_idxs();
    array<I> differs{exec.shared_from_this(), size};  // from the row before
    run_for_each(exec, size, [=, differs = differs.get_data()] SPRUCE_KERNEL_LAMBDA(size_type row) {
        differs[row] = row == 0 || row_ptrs[row + 1] - row_ptrs[row] != row_ptrs[row] - row_ptrs[row - 1] ? 1 : 0;
    });
    run_for_each_nonzero(
        exec, row_ptrs, size, a.get_num_stored_elements(),
        [=, differs = differs.get_data()] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
            const auto length = row_ptrs[row + 1] - row_ptrs[row];
            if (row > 0 && length == row_ptrs[row] - row_ptrs[row - 1] && col_idxs[nz] != col_idxs[nz - length]) {
                atomic_store(differs + row, I{1});
            }
        });
    array<I> before{exec.shared_from_this()};
    const auto supervariables = list_begins(
        exec, size, before,
        [differs = differs.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type row) { return differs[row] != 0; });
    array<I> before_row{exec.shared_from_this(), before};
    const auto parts = list_begins(exec, size, before,
                                   [=, begins = supervariables.get_const_data(),
                                    before = before_row.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type row) {
                                       const auto begin = static_cast<size_type>(begins[before[row + 1] - 1]);
                                       return (row - begin) % max_block_size == 0;
                                   });
    const auto num_parts = parts.get_size() - 1;
    const part_map<I> map{parts.get_const_data(), static_cast<int>(max_block_size)};
    const auto num_rows = rows_before(exec, num_parts, map);
    const auto first_parts = list_begins(
        exec, num_parts, before, [=, num_rows = num_rows.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type part) {
            const auto part_size = static_cast<int>(map.part_ptrs[part + 1] - map.part_ptrs[part]);
            return num_rows[part] + part_size > map.max_block_size;
        });
    block_ptrs.resize_and_reset(first_parts.get_size());
    run_for_each(exec, first_parts.get_size(),
                 [parts = parts.get_const_data(), first_parts = first_parts.get_const_data(),
                  block_ptrs = block_ptrs.get_data()] SPRUCE_KERNEL_LAMBDA(size_type block) {
                     block_ptrs[block] = parts[first_parts[block]];
                 });
}

}  // namespace jacobi

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
