// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

namespace coo {

using matrix::Coo;
using matrix::Dense;

namespace kernel {

/// x += alpha a b for one column: each warp has a stretch of entries and reads warp_size at a time. A segmented scan adds up
/// the products of each row, whose last lane adds the sum to x.
template <typename T, typename I>
__global__ __launch_bounds__(default_block_size) void add_products(
    size_type nnz, size_type steps_per_warp, const I* __restrict__ row_idxs, const I* __restrict__ col_idxs,
    const T* __restrict__ values, const T* alpha, const T* __restrict__ b, size_type b_stride, T* x, size_type x_stride)
{
    const auto subwarp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto rank = subwarp.thread_rank();
    const auto first = global_subwarp_id<warp_size>() * steps_per_warp * warp_size;
    if (first >= nnz || (alpha && is_zero(*alpha))) {  // a zero alpha keeps NaN in the products from spreading
        return;
    }
    // What the steps before have added up for the row that they ended in; only lane 0 uses it.
    T carry{};
    for (size_type step = 0; step < steps_per_warp && first + step * warp_size < nnz; ++step) {
        const auto nz = first + step * warp_size + rank;
        const auto is_entry = nz < nnz;
        const auto row = is_entry ? warp::load_streaming(row_idxs + nz) : row_idxs[nnz - 1];
        auto sum =
            is_entry ? warp::load_streaming(values + nz) * b[warp::load_streaming(col_idxs + nz) * b_stride] : T{};
        if (rank == 0) {
            sum += carry;
        }
        for (int distance = 1; distance < warp_size; distance *= 2) {
            const auto row_below = subwarp.shfl_up(row, distance);
            const auto sum_below = subwarp.shfl_up(sum, distance);
            if (rank >= distance && row_below == row) {
                sum += sum_below;
            }
        }
        const auto next_first = first + (step + 1) * warp_size;
        const auto goes_on = step + 1 < steps_per_warp && next_first < nnz;
        const auto row_above = subwarp.shfl_down(row, 1);
        const auto last_row = subwarp.shfl(row, warp_size - 1);
        const auto is_carried = goes_on && row_idxs[next_first] == last_row;
        const auto is_last_of_row = rank == warp_size - 1 || row_above != row;
        if (is_last_of_row && !(is_carried && rank == warp_size - 1)) {
            atomic_add(x + row * x_stride, alpha ? *alpha * sum : sum);
        }
        carry = subwarp.shfl(sum, warp_size - 1);
        if (!is_carried) {
            carry = T{};
        }
    }
}

/// A thread for each right-hand side and stretch of entries.
template <typename T, typename I>
__global__ __launch_bounds__(default_block_size) void add_products_many_columns(
    size_type nnz, size_type entries_per_thread, size_type num_rhs, const I* __restrict__ row_idxs,
    const I* __restrict__ col_idxs, const T* __restrict__ values, const T* alpha, const T* __restrict__ b,
    size_type b_stride, T* x, size_type x_stride)
{
    const auto rhs = global_thread_id() % num_rhs;
    const auto begin = global_thread_id() / num_rhs * entries_per_thread;
    const auto end = min(begin + entries_per_thread, nnz);
    if (begin >= nnz || (alpha && is_zero(*alpha))) {
        return;
    }
    T sum{};
    for (auto nz = begin; nz < end; ++nz) {
        sum += values[nz] * b[col_idxs[nz] * b_stride + rhs];
        if (nz + 1 == end || row_idxs[nz + 1] != row_idxs[nz]) {
            atomic_add(x + row_idxs[nz] * x_stride + rhs, alpha ? *alpha * sum : sum);
            sum = T{};
        }
    }
}

}  // namespace kernel

template <typename V, typename I>
void run_spmv2(const DeviceExecutor& exec, const V* alpha, const Coo<V, I>& a, const Dense<V>& b, Dense<V>& x)
{
    using T = device_type<V>;
    const auto nnz = a.get_num_stored_elements();
    const auto num_rhs = b.get_size()[1];
    if (num_rhs == 1) {
        // Enough steps to make atomics rare, few enough to fill the device.
        const auto num_warps = num_blocks_to_fill(exec) * default_block_size / warp_size;
        const auto steps = std::min<size_type>(std::max<size_type>(ceildiv(nnz, num_warps * warp_size), 1), 16);
        launch(exec, kernel::add_products<T, I>, ceildiv(nnz, steps * warp_size) * warp_size, nnz, steps,
               a.get_const_row_idxs(), a.get_const_col_idxs(), as_device(a.get_const_values()), as_device(alpha),
               as_device(b.get_const_values()), b.get_stride(), as_device(x.get_values()), x.get_stride());
    } else {
        constexpr size_type entries_per_thread = 8;
        launch(exec, kernel::add_products_many_columns<T, I>, ceildiv(nnz, entries_per_thread) * num_rhs, nnz,
               entries_per_thread, num_rhs, a.get_const_row_idxs(), a.get_const_col_idxs(),
               as_device(a.get_const_values()), as_device(alpha), as_device(b.get_const_values()), b.get_stride(),
               as_device(x.get_values()), x.get_stride());
    }
}

template <typename V, typename I>
void spmv2(const DeviceExecutor& exec, const Coo<V, I>& a, const Dense<V>& b, Dense<V>& x)
{
    run_spmv2<V, I>(exec, nullptr, a, b, x);
}

template <typename V, typename I>
void spmv(const DeviceExecutor& exec, const Coo<V, I>& a, const Dense<V>& b, Dense<V>& x)
{
    spruce::kernels::dense::fill<V>(exec, x, zero<V>());
    spmv2(exec, a, b, x);
}

template <typename V, typename I>
void advanced_spmv2(const DeviceExecutor& exec, const Dense<V>& alpha, const Coo<V, I>& a, const Dense<V>& b,
                    Dense<V>& x)
{
    run_spmv2(exec, alpha.get_const_values(), a, b, x);
}

template <typename V, typename I>
void advanced_spmv(const DeviceExecutor& exec, const Dense<V>& alpha, const Coo<V, I>& a, const Dense<V>& b,
                   const Dense<V>& beta, Dense<V>& x)
{
    spruce::kernels::dense::scale<V>(exec, beta, x);
    advanced_spmv2(exec, alpha, a, b, x);
}

}  // namespace coo

void register_coo()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::coo::spmv<V, I>.template set<DeviceExecutor>(&coo::spmv<V, I>);
        kernels::coo::advanced_spmv<V, I>.template set<DeviceExecutor>(&coo::advanced_spmv<V, I>);
        kernels::coo::spmv2<V, I>.template set<DeviceExecutor>(&coo::spmv2<V, I>);
        kernels::coo::advanced_spmv2<V, I>.template set<DeviceExecutor>(&coo::advanced_spmv2<V, I>);
    });
}
