// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

namespace fbcsr {

using matrix::Dense;
using matrix::Fbcsr;

namespace kernel {

template <typename T, typename I>
struct fbcsr_arrays {
    size_type num_brows;
    int block_size;
    const I* row_ptrs;
    const I* col_idxs;
    const T* values;
};

/// x = alpha a b + beta x; null stands for alpha = 1 and beta = 0.
template <typename T>
struct block_output {
    __device__ __forceinline__ void write(size_type row, size_type rhs, T sum) const
    {
        x(row, rhs) = combine(alpha ? *alpha : one<T>(), sum, beta ? *beta : T{}, x(row, rhs));
    }

    dense_entries<T> x;
    const T* alpha;
    const T* beta;
};

/// A subwarp for each block row and right-hand side. Its lanes read the blocks' values one after the other; with as many
/// lanes as make whole columns of blocks, each lane stays in its row of the blocks, and lanes of the same row add up their
/// sums in the end.
template <int subwarp_size, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void spmv(fbcsr_arrays<T, I> a, size_type num_rhs,
                                                           dense_entries<const T> b, block_output<T> out)
{
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    const auto brow = global_subwarp_id<subwarp_size>() / num_rhs;
    const auto rhs = global_subwarp_id<subwarp_size>() % num_rhs;
    if (brow >= a.num_brows) {
        return;
    }
    const auto bs = a.block_size;
    const auto cols_at_once = subwarp_size / bs;
    const auto row = subwarp.thread_rank() % bs;
    const auto first_col = subwarp.thread_rank() / bs;
    const auto blocks_per_step = cols_at_once / bs;
    const auto cols_per_step = cols_at_once % bs;
    T sum{};
    if (first_col < cols_at_once) {
        auto block = a.row_ptrs[brow] + first_col / bs;
        auto col = first_col % bs;
        const auto end = a.row_ptrs[brow + 1];
        while (block < end) {
            const auto value = warp::load_streaming(a.values + (static_cast<size_type>(block) * bs + col) * bs + row);
            sum += value * b(static_cast<size_type>(a.col_idxs[block]) * bs + col, rhs);
            block += blocks_per_step;
            col += cols_per_step;
            if (col >= bs) {
                col -= bs;
                ++block;
            }
        }
    }
    auto num_left = cols_at_once;
    while (num_left > 1) {
        const auto num_kept = (num_left + 1) / 2;
        const auto other = subwarp.shfl_down(sum, num_kept * bs);
        if (first_col + num_kept < num_left) {
            sum += other;
        }
        num_left = num_kept;
    }
    if (first_col == 0) {
        out.write(brow * bs + row, rhs, sum);
    }
}

/// A warp for each block row and right-hand side, its lanes along the rows of blocks larger than a warp.
template <typename T, typename I>
__global__ __launch_bounds__(default_block_size) void spmv_large_blocks(fbcsr_arrays<T, I> a, size_type num_rhs,
                                                                        dense_entries<const T> b, block_output<T> out)
{
    const auto brow = global_subwarp_id<warp_size>() / num_rhs;
    const auto rhs = global_subwarp_id<warp_size>() % num_rhs;
    if (brow >= a.num_brows) {
        return;
    }
    const auto bs = static_cast<size_type>(a.block_size);
    for (size_type row = threadIdx.x % warp_size; row < bs; row += warp_size) {
        T sum{};
        for (auto block = a.row_ptrs[brow]; block < a.row_ptrs[brow + 1]; ++block) {
            for (size_type col = 0; col < bs; ++col) {
                sum += a.values[(block * bs + col) * bs + row] * b(a.col_idxs[block] * bs + col, rhs);
            }
        }
        out.write(brow * bs + row, rhs, sum);
    }
}

}  // namespace kernel

template <typename V, typename I>
void run_spmv(const DeviceExecutor& exec, const V* alpha, const Fbcsr<V, I>& a, const Dense<V>& b, const V* beta,
              Dense<V>& x)
{
    using T = device_type<V>;
    const auto bs = a.get_block_size();
    const auto num_brows = static_cast<size_type>(a.get_num_block_rows());
    const auto num_rhs = x.get_size()[1];
    const kernel::fbcsr_arrays<T, I> arrays{num_brows, bs, a.get_const_row_ptrs(), a.get_const_col_idxs(),
                                            as_device(a.get_const_values())};
    const kernel::block_output<T> out{entries_of(x), as_device(alpha), as_device(beta)};
    if (bs > warp_size) {
        launch(exec, kernel::spmv_large_blocks<T, I>, num_brows * num_rhs * warp_size, arrays, num_rhs, entries_of(b),
               out);
        return;
    }
    // A lane for each four entries of a mean block row, so that it has several loads in flight; one for each row at least.
    const auto mean = a.get_num_stored_elements() / std::max<size_type>(num_brows, 1);
    select_subwarp_size(std::max<size_type>(mean / 4, bs), [&](auto size) {
        constexpr int subwarp_size = decltype(size)::value;
        launch(exec, kernel::spmv<subwarp_size, T, I>, num_brows * num_rhs * subwarp_size, arrays, num_rhs,
               entries_of(b), out);
    });
}

template <typename V, typename I>
void spmv(const DeviceExecutor& exec, const Fbcsr<V, I>& a, const Dense<V>& b, Dense<V>& x)
{
    run_spmv<V, I>(exec, nullptr, a, b, nullptr, x);
}

template <typename V, typename I>
void advanced_spmv(const DeviceExecutor& exec, const Dense<V>& alpha, const Fbcsr<V, I>& a, const Dense<V>& b,
                   const Dense<V>& beta, Dense<V>& x)
{
    run_spmv(exec, alpha.get_const_values(), a, b, beta.get_const_values(), x);
}

}  // namespace fbcsr

void register_fbcsr_spmv()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::fbcsr::spmv<V, I>.template set<DeviceExecutor>(&fbcsr::spmv<V, I>);
        kernels::fbcsr::advanced_spmv<V, I>.template set<DeviceExecutor>(&fbcsr::advanced_spmv<V, I>);
    });
}
