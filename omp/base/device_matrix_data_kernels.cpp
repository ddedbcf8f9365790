// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/base/device_matrix_data_kernels.hpp"
#include "core/components/array_kernels.hpp"
#include "core/components/sort_kernels.hpp"

#include "omp/base/register.hpp"
#include "omp/base/run_unified.hpp"

namespace spruce::kernels::omp {
#include "common/unified/components/gather_entries.inc.hpp"

namespace device_matrix_data {
namespace {

/// Sorts by column, then, keeping that order, by row: two sorts of single indices move fewer bytes than one of pairs.
template <typename V, typename I>
void sort_row_major(const OmpExecutor& exec, dim<2> size, array<I>& row_idxs, array<I>& col_idxs, array<V>& values)
{
    namespace components = spruce::kernels::components;
    const auto shared_exec = exec.shared_from_this();
    const auto num = values.get_size();
    array<I> new_rows{shared_exec, num};
    array<I> new_cols{shared_exec, num};
    array<V> new_values{shared_exec, num};
    {
        array<I> keys{shared_exec, num};
        array<I> positions{shared_exec, num};
        array<I> new_positions{shared_exec, num};
        components::sort_keys<I>(exec, col_idxs.get_const_data(), nullptr, num, size[1], new_cols.get_data(),
                                 positions.get_data());
        run_for_each(exec, num,
                     [keys = keys.get_data(), positions = positions.get_const_data(),
                      rows = row_idxs.get_const_data()] SPRUCE_LAMBDA(size_type i) { keys[i] = rows[positions[i]]; });
        components::sort_keys<I>(exec, keys.get_const_data(), positions.get_const_data(), num, size[0],
                                 new_rows.get_data(), new_positions.get_data());
        gather_entries(exec, new_positions.get_const_data(), num, col_idxs.get_const_data(), values.get_const_data(),
                       new_cols.get_data(), new_values.get_data());
    }
    row_idxs = std::move(new_rows);
    col_idxs = std::move(new_cols);
    values = std::move(new_values);
}

}  // namespace
}  // namespace device_matrix_data

#include "common/unified/base/device_matrix_data_kernels.inc.hpp"
}  // namespace spruce::kernels::omp
