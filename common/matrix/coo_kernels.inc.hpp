// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

namespace coo {

using matrix::Coo;
using matrix::Dense;

namespace kernel {

using spmv_tiles::output;

template <typename T>
constexpr int tile_size = static_cast<int>(matrix::csr::spmv_tile_entries<T>);
constexpr int num_warps = default_block_size / warp_size;

template <typename T, typename I>
struct coo_arrays {
    size_type num_rows;
    size_type nnz;
    const I* row_idxs;
    const I* col_idxs;
    const T* values;
};

/// Lists the places in the tile where a row begins, in their order, with the end of the tile behind them, and returns how many
/// rows there are. rows[i] is the row of entry threadIdx.x + i * default_block_size. Ends with a barrier.
template <int num, typename I>
__device__ __forceinline__ int list_rows(const I* tile_row_idxs, int num_entries, const I (&rows)[num], int* places,
                                         int* counts)
{
    static_assert(num * num_warps <= warp_size, "one lane for each count");
    const auto whole_warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto my_warp = static_cast<int>(threadIdx.x) / warp_size;
    const auto rank = whole_warp.thread_rank();
    lane_mask_type begins[num];
    for (int i = 0; i < num; ++i) {
        const auto place = static_cast<int>(threadIdx.x) + i * default_block_size;
        auto row_before = whole_warp.shfl_up(rows[i], 1);
        if (rank == 0 && place > 0 && place < num_entries) {
            row_before = tile_row_idxs[place - 1];
        }
        begins[i] = whole_warp.ballot(place < num_entries && (place == 0 || row_before != rows[i]));
        if (rank == 0) {
            counts[i * num_warps + my_warp] = warp::popcnt(begins[i]);
        }
    }
    __syncthreads();
    const auto up_to_here = inclusive_scan(whole_warp, rank < num * num_warps ? counts[rank] : 0);
    const auto num_rows = whole_warp.shfl(up_to_here, warp_size - 1);
    const auto lanes_below = (lane_mask_type{1} << rank) - 1;
    for (int i = 0; i < num; ++i) {
        const auto here = i * num_warps + my_warp;
        const auto before = whole_warp.shfl(up_to_here, here) - warp::popcnt(begins[i]);
        if (begins[i] >> rank & 1) {
            places[before + warp::popcnt(begins[i] & lanes_below)] =
                static_cast<int>(threadIdx.x) + i * default_block_size;
        }
    }
    if (threadIdx.x == 0) {
        places[num_rows] = num_entries;
    }
    __syncthreads();
    return num_rows;
}

/// x = alpha a b or x += alpha a b for one column: each block has a tile of entries. carries[i] = the sum of the row that goes on
/// after block i.
template <bool overwrites, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void add_products(coo_arrays<T, I> a, const T* __restrict__ b,
                                                                   size_type b_stride, output<T> out, T* carries)
{
    constexpr int size = tile_size<T>;
    constexpr int num = spmv_tiles::num_loads<size>;
    __shared__ T products[size];
    __shared__ int places[size + 1];
    __shared__ int counts[num * num_warps];
    __shared__ spmv_tiles::long_row_list<size> long_rows;
    long_rows.clear();
    const auto begin = static_cast<size_type>(blockIdx.x) * size;
    const auto end = min(begin + size, a.nnz);
    const auto num_entries = static_cast<int>(end - begin);
    const auto tile_row_idxs = a.row_idxs + begin;
    I rows[num];
    for (int i = 0; i < num; ++i) {
        const auto place = static_cast<int>(threadIdx.x) + i * default_block_size;
        rows[i] = place < num_entries ? tile_row_idxs[place] : I{-1};
    }
    const auto last_row = tile_row_idxs[num_entries - 1];
    const auto goes_on = end < a.nnz && a.row_idxs[end] == last_row;
    const auto row_before = begin > 0 ? a.row_idxs[begin - 1] : I{-1};
    const auto continues = row_before == tile_row_idxs[0];

    spmv_tiles::stage_products<size>(num_entries, a.values + begin, a.col_idxs + begin, b, b_stride, products);
    const auto num_rows = list_rows(tile_row_idxs, num_entries, rows, places, counts);
    if (overwrites) {
        // Rows without entries before the last row of the tile, and after it if there is no other tile.
        const auto next_row = end == a.nnz ? static_cast<I>(a.num_rows) : last_row + 1;
        if (next_row - row_before - 1 > num_rows - (continues ? 1 : 0)) {
            for (auto row = row_before + 1 + static_cast<I>(threadIdx.x); row < (goes_on ? last_row : next_row);
                 row += default_block_size) {
                out.x[row * out.stride] = T{};
            }
            __syncthreads();
        }
    }
    const auto find = [&](int i) { return spmv_tiles::row_part{places[i], places[i + 1]}; };
    const auto first = static_cast<int>(threadIdx.x) < num_rows ? find(threadIdx.x) : spmv_tiles::row_part{};
    spmv_tiles::sum_rows(num_rows, products, long_rows, first, find, [&](int i, T sum) {
        const auto row = tile_row_idxs[places[i]];
        if (goes_on && i == num_rows - 1) {
            carries[blockIdx.x] = sum;
        } else if (overwrites) {
            out.x[row * out.stride] = out.scaled(sum);
        } else {
            out.add(row, sum);
        }
    });
}

template <typename T, typename I>
__global__ __launch_bounds__(default_block_size) void add_carries(coo_arrays<T, I> a, size_type num_blocks,
                                                                  const T* __restrict__ carries, output<T> out)
{
    spmv_tiles::add_carries(
        a.num_rows, num_blocks,
        [=](size_type block) {
            const auto border = (block + 1) * tile_size<T>;
            const auto is_shared = border < a.nnz && a.row_idxs[border - 1] == a.row_idxs[border];
            return is_shared ? static_cast<size_type>(a.row_idxs[border]) : a.num_rows;
        },
        carries, out);
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

/// x = a b if overwrites, otherwise x += alpha a b; null stands for alpha = 1.
template <bool overwrites, typename V, typename I>
void run_spmv(const DeviceExecutor& exec, const V* alpha, const Coo<V, I>& a, const Dense<V>& b, Dense<V>& x)
{
    using T = device_type<V>;
    const auto nnz = a.get_num_stored_elements();
    const auto num_rhs = b.get_size()[1];
    if (overwrites && (nnz == 0 || num_rhs != 1)) {
        spruce::kernels::dense::fill<V>(exec, x, zero<V>());
    }
    if (num_rhs == 1) {
        const kernel::coo_arrays<T, I> arrays{a.get_size()[0], nnz, a.get_const_row_idxs(), a.get_const_col_idxs(),
                                              as_device(a.get_const_values())};
        const kernel::output<T> out{as_device(x.get_values()), x.get_stride(), as_device(alpha), nullptr};
        const auto num_blocks = static_cast<size_type>(ceildiv(nnz, kernel::tile_size<T>));
        array<T> carries{exec.shared_from_this(), num_blocks};
        launch_blocks(exec, kernel::add_products<overwrites, T, I>, num_blocks, default_block_size, arrays,
                      as_device(b.get_const_values()), b.get_stride(), out, carries.get_data());
        if (num_blocks > 1) {
            launch(exec, kernel::add_carries<T, I>, num_blocks, arrays, num_blocks, carries.get_const_data(), out);
        }
    } else {
        constexpr size_type entries_per_thread = 8;
        launch(exec, kernel::add_products_many_columns<T, I>, ceildiv(nnz, entries_per_thread) * num_rhs, nnz,
               entries_per_thread, num_rhs, a.get_const_row_idxs(), a.get_const_col_idxs(),
               as_device(a.get_const_values()), as_device(alpha), as_device(b.get_const_values()), b.get_stride(),
               as_device(x.get_values()), x.get_stride());
    }
}

template <typename V, typename I>
void spmv(const DeviceExecutor& exec, const Coo<V, I>& a, const Dense<V>& b, Dense<V>& x)
{
    run_spmv<true, V, I>(exec, nullptr, a, b, x);
}

template <typename V, typename I>
void spmv2(const DeviceExecutor& exec, const Coo<V, I>& a, const Dense<V>& b, Dense<V>& x)
{
    run_spmv<false, V, I>(exec, nullptr, a, b, x);
}

template <typename V, typename I>
void advanced_spmv2(const DeviceExecutor& exec, const Dense<V>& alpha, const Coo<V, I>& a, const Dense<V>& b,
                    Dense<V>& x)
{
    run_spmv<false>(exec, alpha.get_const_values(), a, b, x);
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
