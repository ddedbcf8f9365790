// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Transposition of Csr. Where all columns are short, entries draw numbers within their columns by atomic operations, go to their
// columns in that order, and are put in the order of the matrix when they move from there to the result. The order in which
// numbers are drawn leaves no trace: bitwise repeatable. In all 60 bytes for each entry of double precision, next to 28 for a
// matrix and its transpose; a radix sort by columns moves 20 in each of two or three passes and 36 to fetch rows and values,
// but does not mind long columns.

namespace csr {

using matrix::Csr;

namespace transpose_kernel {

/// Adds one; the number before.
__device__ __forceinline__ int32 draw_number(int32* counter) { return atomicAdd(counter, int32{1}); }
__device__ __forceinline__ int64 draw_number(int64* counter)
{
    return static_cast<int64>(atomicAdd(reinterpret_cast<unsigned long long*>(counter), 1ull));
}

constexpr int draws_per_thread = 4;

/// counts[col] += number of entries in that column; numbers[nz] = how many of them were there before entry nz.
template <typename I>
__global__ __launch_bounds__(default_block_size) void draw_numbers(const I* __restrict__ cols, size_type nnz, I* counts,
                                                                   I* numbers)
{
    const auto begin = static_cast<size_type>(blockIdx.x) * draws_per_thread * default_block_size + threadIdx.x;
    const auto place_of = [&](int i) { return begin + static_cast<size_type>(i) * default_block_size; };
    I my_cols[draws_per_thread];
    I my_numbers[draws_per_thread];
#pragma unroll
    for (int i = 0; i < draws_per_thread; ++i) {
        my_cols[i] = place_of(i) < nnz ? cols[place_of(i)] : I{};
    }
#pragma unroll
    for (int i = 0; i < draws_per_thread; ++i) {
        my_numbers[i] = place_of(i) < nnz ? draw_number(counts + my_cols[i]) : I{};
    }
#pragma unroll
    for (int i = 0; i < draws_per_thread; ++i) {
        if (place_of(i) < nnz) {
            numbers[place_of(i)] = my_numbers[i];
        }
    }
}

/// An entry on its way to its column. Written at once.
template <typename I>
struct alignas(2 * sizeof(I)) column_entry {
    I position;
    I row;
};

/// A subwarp for each column puts its entries in order of their positions: the place of an entry is the number of those with
/// lower positions. For columns longer than some times 32 entries a sort would be faster.
/// @tparam num  of the entries that a thread compares with the others at a time
template <int subwarp_size, int num, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void order_columns(size_type num_cols, const I* __restrict__ col_ptrs,
                                                                    const column_entry<I>* __restrict__ entries,
                                                                    const T* __restrict__ values, bool is_conjugate,
                                                                    I* new_rows, T* new_values)
{
    const auto col = global_subwarp_id<subwarp_size>();
    if (col >= num_cols) {
        return;
    }
    const auto begin = col_ptrs[col];
    const int length = static_cast<int>(col_ptrs[col + 1] - begin);
    entries += begin;
    new_rows += begin;
    new_values += begin;
    for (int first = threadIdx.x % subwarp_size; first < length; first += num * subwarp_size) {
        column_entry<I> mine[num];
        T my_values[num];
        int places[num];
#pragma unroll
        for (int i = 0; i < num; ++i) {
            // The first, which is there, stands for what is not.
            mine[i] = entries[first + i * subwarp_size < length ? first + i * subwarp_size : first];
            my_values[i] = values[mine[i].position];
            places[i] = 0;
        }
        for (int other = 0; other < length; ++other) {
            const auto position = entries[other].position;
#pragma unroll
            for (int i = 0; i < num; ++i) {
                places[i] += position < mine[i].position ? 1 : 0;
            }
        }
#pragma unroll
        for (int i = 0; i < num; ++i) {
            if (first + i * subwarp_size < length) {
                new_rows[places[i]] = mine[i].row;
                new_values[places[i]] = is_conjugate ? conj_of(my_values[i]) : my_values[i];
            }
        }
    }
}

/// Comparisons for each entry, at most.
constexpr size_type max_column_length = 128;

}  // namespace transpose_kernel

/// The columns of b from the numbers that the entries of a have drawn.
template <typename V, typename I>
void order_columns(const DeviceExecutor& exec, const Csr<V, I>& a, const I* numbers, size_type nnz, bool is_conjugate,
                   Csr<V, I>& b)
{
    using T = device_type<V>;
    using column_entry = transpose_kernel::column_entry<I>;
    const auto shared_exec = exec.shared_from_this();
    array<I> rows_array{shared_exec, nnz};
    array<I> entries_array{shared_exec, 2 * nnz};
    const auto rows = rows_array.get_data();
    const auto entries = reinterpret_cast<column_entry*>(entries_array.get_data());
    spruce::kernels::components::convert_ptrs_to_idxs<I>(exec, a.get_const_row_ptrs(), a.get_size()[0], rows);
    run_for_each(exec, nnz,
                 [rows, entries, numbers, cols = a.get_const_col_idxs(),
                  col_ptrs = b.get_const_row_ptrs()] SPRUCE_LAMBDA(size_type nz) {
                     entries[col_ptrs[cols[nz]] + numbers[nz]] = {static_cast<I>(nz), rows[nz]};
                 });
    const auto num_cols = b.get_size()[0];
    const auto run = [&](auto kernel, int subwarp_size) {
        launch(exec, kernel, num_cols * subwarp_size, num_cols, b.get_const_row_ptrs(), entries,
               as_device(a.get_const_values()), is_conjugate, b.get_col_idxs(), as_device(b.get_values()));
    };
    const auto mean = ceildiv(nnz, num_cols);
    if (mean > 2 * warp_size) {
        run(transpose_kernel::order_columns<warp_size, 4, T, I>, warp_size);
    } else if (mean > warp_size) {
        run(transpose_kernel::order_columns<warp_size, 2, T, I>, warp_size);
    } else {
        select_subwarp_size(mean, [&](auto size) {
            run(transpose_kernel::order_columns<decltype(size)::value, 1, T, I>, decltype(size)::value);
        });
    }
}

/// The same by a radix sort. Entries sorted by column, rows in order within a column, are the transpose.
template <typename V, typename I>
void sort_columns(const DeviceExecutor& exec, const Csr<V, I>& a, size_type nnz, bool is_conjugate, Csr<V, I>& b)
{
    namespace components = spruce::kernels::components;
    const auto shared_exec = exec.shared_from_this();
    array<I> cols{shared_exec, nnz};
    array<I> positions{shared_exec, nnz};
    components::sort_keys<I>(exec, a.get_const_col_idxs(), nullptr, nnz, a.get_size()[1], cols.get_data(),
                             positions.get_data());
    auto& rows = cols;
    components::convert_ptrs_to_idxs<I>(exec, a.get_const_row_ptrs(), a.get_size()[0], rows.get_data());
    const auto gather = is_conjugate ? &gather_entries<true, V, I> : &gather_entries<false, V, I>;
    gather(exec, positions.get_const_data(), nnz, rows.get_const_data(), a.get_const_values(), b.get_col_idxs(),
           b.get_values());
}

template <bool is_conjugate, typename V, typename I>
void transpose_impl(const DeviceExecutor& exec, const Csr<V, I>& a, Csr<V, I>& b)
{
    namespace components = spruce::kernels::components;
    const auto num_cols = b.get_size()[0];
    const auto col_ptrs = b.get_row_ptrs();
    components::fill_array<I>(exec, col_ptrs, num_cols + 1, I{});
    // There may be room for more entries than there are.
    const auto nnz = static_cast<size_type>(exec.copy_val_to_host(a.get_const_row_ptrs() + a.get_size()[0]));
    if (nnz == 0) {
        return;
    }
    array<I> numbers{exec.shared_from_this(), nnz};
    launch(exec, transpose_kernel::draw_numbers<I>, ceildiv(nnz, transpose_kernel::draws_per_thread),
           a.get_const_col_idxs(), nnz, col_ptrs, numbers.get_data());
    components::prefix_sum<I>(exec, col_ptrs, num_cols + 1);
    size_type longest{};
    spruce::kernels::csr::longest_row<I>(exec, col_ptrs, num_cols, longest);
    if (longest <= transpose_kernel::max_column_length) {
        order_columns(exec, a, numbers.get_const_data(), nnz, is_conjugate, b);
    } else {
        numbers.clear();
        sort_columns(exec, a, nnz, is_conjugate, b);
    }
}

template <typename V, typename I>
void transpose(const DeviceExecutor& exec, const Csr<V, I>& a, Csr<V, I>& b)
{
    transpose_impl<false>(exec, a, b);
}
template <typename V, typename I>
void conj_transpose(const DeviceExecutor& exec, const Csr<V, I>& a, Csr<V, I>& b)
{
    transpose_impl<true>(exec, a, b);
}

}  // namespace csr
