// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// How the kernels in common/unified/ run on GPUs; omp/base/run_unified.hpp has the same functions for the CPU.

namespace kernel {

template <typename Function>
__global__ __launch_bounds__(default_block_size) void for_each(size_type size, Function function)
{
    for (auto i = global_thread_id(); i < size; i += global_num_threads()) {
        function(i);
    }
}

template <typename Function>
__global__ __launch_bounds__(default_block_size) void for_each_entry(size_type size, size_type num_cols,
                                                                     Function function)
{
    for (auto i = global_thread_id(); i < size; i += global_num_threads()) {
        function(i / num_cols, i % num_cols);
    }
}

/// Block (b, j) adds up its share of column j: rows b * block_size + tid, then in steps of the grid.
template <typename T, typename Map>
__global__ __launch_bounds__(default_block_size) void sum_columns(size_type num_rows, unsigned blocks_per_col,
                                                                  T* partial_sums, Map map)
{
    __shared__ T scratch[default_block_size / warp_size];
    const auto col = blockIdx.x / blocks_per_col;
    const auto block = blockIdx.x % blocks_per_col;
    const auto step = static_cast<size_type>(blocks_per_col) * default_block_size;
    T sum{};
    for (auto row = static_cast<size_type>(block) * default_block_size + threadIdx.x; row < num_rows; row += step) {
        sum += map(row, col);
    }
    sum = block_reduce_add<default_block_size>(sum, scratch);
    if (threadIdx.x == 0) {
        partial_sums[blockIdx.x] = sum;
    }
}

template <typename T, typename Finalize>
__global__ __launch_bounds__(default_block_size) void finish_sums(unsigned blocks_per_col, const T* partial_sums,
                                                                  Finalize finalize)
{
    __shared__ T scratch[default_block_size / warp_size];
    const auto col = static_cast<size_type>(blockIdx.x);
    T sum{};
    for (unsigned i = threadIdx.x; i < blocks_per_col; i += default_block_size) {
        sum += partial_sums[col * blocks_per_col + i];
    }
    sum = block_reduce_add<default_block_size>(sum, scratch);
    if (threadIdx.x == 0) {
        finalize(col, sum);
    }
}

}  // namespace kernel

/// function(i) for i = 0, ..., size - 1, in any order and at the same time.
template <typename Function>
void run_for_each(const DeviceExecutor& exec, size_type size, Function function)
{
    const auto num_blocks = std::min((size + default_block_size - 1) / default_block_size, num_blocks_to_fill(exec));
    launch_blocks(exec, kernel::for_each<Function>, num_blocks, default_block_size, size, function);
}

/// function(row, col) for every entry of a num_rows x num_cols matrix.
template <typename Function>
void run_for_each_entry(const DeviceExecutor& exec, size_type num_rows, size_type num_cols, Function function)
{
    if (num_cols == 1) {
        run_for_each(exec, num_rows, [=] SPRUCE_LAMBDA(size_type row) { function(row, size_type{}); });
        return;
    }
    const auto size = num_rows * num_cols;
    const auto num_blocks = std::min((size + default_block_size - 1) / default_block_size, num_blocks_to_fill(exec));
    launch_blocks(exec, kernel::for_each_entry<Function>, num_blocks, default_block_size, size, num_cols, function);
}

/// The bitwise or of function(i) for i = 0, ..., size - 1, on the host: waits for the device.
template <typename Function>
int32 run_or(const DeviceExecutor& exec, size_type size, Function function)
{
    array<int32> result{exec.shared_from_this(), 1};
    result.fill(0);
    run_for_each(exec, size, [=, result = result.get_data()] SPRUCE_LAMBDA(size_type i) {
        if (const auto found = function(i)) {
            atomicOr(result, found);
        }
    });
    return exec.copy_val_to_host(result.get_const_data());
}

/// finalize(col, sum over the rows of map(row, col)), for every column; map may also write. T is the type of the sums.
template <typename T, typename Map, typename Finalize>
void run_sum_columns(const DeviceExecutor& exec, size_type num_rows, size_type num_cols, array<char>& tmp, Map map,
                     Finalize finalize)
{
    if (num_cols == 0) {
        return;
    }
    const auto wanted = (num_rows + 4 * default_block_size - 1) / (4 * default_block_size);
    const auto blocks_per_col =
        std::max<size_type>(1, std::min(wanted, num_blocks_to_fill(exec) / std::min<size_type>(num_cols, 64)));
    const auto num_bytes = blocks_per_col * num_cols * sizeof(T);
    if (tmp.get_size() < num_bytes) {
        tmp.resize_and_reset(num_bytes);
    }
    const auto partial_sums = reinterpret_cast<T*>(tmp.get_data());
    launch_blocks(exec, kernel::sum_columns<T, Map>, blocks_per_col * num_cols, default_block_size, num_rows,
                  blocks_per_col, partial_sums, map);
    launch_blocks(exec, kernel::finish_sums<T, Finalize>, num_cols, default_block_size, blocks_per_col, partial_sums,
                  finalize);
}
