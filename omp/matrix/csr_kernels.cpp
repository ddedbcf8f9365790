// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/csr_kernels.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "omp/base/register.hpp"
#include "omp/components/carried_sums.hpp"
#include "omp/components/multiply_add.hpp"
#include "omp/components/partition.hpp"
#include "omp/components/prefix_sum_kernels.hpp"
#include "omp/components/scale.hpp"

namespace spruce::kernels::omp {
namespace csr {

/// How far ahead entries are asked for. Hardware prefetchers stop at the border of a page, so without this a thread
/// stalls at each of them (7-point stencil 160^3 on 2 cores of an EPYC: 17 GB/s; with 4 KiB of values: 26 GB/s).
template <typename V>
constexpr size_type prefetch_distance = 4096 / sizeof(V);

template <typename T>
inline void prefetch(const T* address)
{
    __builtin_prefetch(address, 0, 0);
}

/// The sum over the entries begin, ..., end - 1 times one column of b. Four sums hide the latency of the addition;
/// vectors do not pay: AVX2 is as fast as this, AVX-512 with gathers reaches less than half the speed.
/// @tparam Stride  size_type or std::integral_constant: a stride of 1 at compile time saves the multiplication
template <typename V, typename I, typename Stride>
inline V sum_entries(const I* col_idxs, const V* values, size_type begin, size_type end, const V* b, Stride stride)
{
    auto sum_0 = zero<V>();
    auto sum_1 = zero<V>();
    auto sum_2 = zero<V>();
    auto sum_3 = zero<V>();
    const auto add = [&](size_type nz, V& sum) {
        sum = multiply_add(values[nz], b[static_cast<size_type>(col_idxs[nz]) * stride], sum);
    };
    auto nz = begin;
    for (; nz + 4 <= end; nz += 4) {
        prefetch(values + nz + prefetch_distance<V>);
        prefetch(col_idxs + nz + prefetch_distance<V>);
        add(nz, sum_0);
        add(nz + 1, sum_1);
        add(nz + 2, sum_2);
        add(nz + 3, sum_3);
    }
    if (nz < end) {
        prefetch(values + nz + prefetch_distance<V>);
        prefetch(col_idxs + nz + prefetch_distance<V>);
    }
    for (; nz < end; ++nz) {
        add(nz, sum_0);
    }
    return (sum_0 + sum_1) + (sum_2 + sum_3);
}

/// The same for four neighbouring columns of b at once: sums[0], ..., sums[3].
template <typename V, typename I>
inline void sum_entries_of_4(const I* col_idxs, const V* values, size_type begin, size_type end, const V* b,
                             size_type stride, V* sums)
{
    auto sum_0 = zero<V>();
    auto sum_1 = zero<V>();
    auto sum_2 = zero<V>();
    auto sum_3 = zero<V>();
    for (auto nz = begin; nz < end; ++nz) {
        const auto value = values[nz];
        const auto b_row = b + static_cast<size_type>(col_idxs[nz]) * stride;
        sum_0 = multiply_add(value, b_row[0], sum_0);
        sum_1 = multiply_add(value, b_row[1], sum_1);
        sum_2 = multiply_add(value, b_row[2], sum_2);
        sum_3 = multiply_add(value, b_row[3], sum_3);
    }
    sums[0] = sum_0;
    sums[1] = sum_1;
    sums[2] = sum_2;
    sums[3] = sum_3;
}

/// Computes all sums of a b. For the part of a sum that ends its row, calls finish(x_ij, sum); later add(x_ij, sum) for
/// the other parts of rows that several threads share.
/// @param sum_piece  called with begin, end, put: calls put(rhs, sum) for the sums over the entries begin, ..., end - 1
template <typename V, typename I, typename SumPiece, typename Finish, typename Add>
void multiply_by_pieces(const matrix::Csr<V, I>& a, matrix::Dense<V>& x, SumPiece sum_piece, Finish finish, Add add)
{
    const auto num_rows = a.get_size()[0];
    const auto num_rhs = x.get_size()[1];
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto x_values = x.get_values();
    const auto x_stride = x.get_stride();
    const auto work = (num_rows + a.get_num_stored_elements()) * num_rhs;

    carried_sums<V> carried{num_rhs};
#pragma omp parallel if (work >= min_parallel_work)
    {
        const auto mine = my_rows_and_entries(row_ptrs, num_rows);
        for_each_piece(mine, row_ptrs, [&](size_type row, size_type begin, size_type end) {
            if (row < mine.end.row) {
                const auto x_row = x_values + row * x_stride;
                sum_piece(begin, end, [&](size_type rhs, V sum) { finish(x_row[rhs], sum); });
            } else if (begin < end) {
                const auto sums = carried.take(row);
                sum_piece(begin, end, [&](size_type rhs, V sum) { sums[rhs] = sum; });
            }
        });
    }
    carried.add_to([&](size_type row, size_type rhs, V sum) { add(x_values[row * x_stride + rhs], sum); });
}

template <typename V, typename I, typename Finish, typename Add>
void multiply_with(const matrix::Csr<V, I>& a, const matrix::Dense<V>& b, matrix::Dense<V>& x, Finish finish, Add add)
{
    const auto col_idxs = a.get_const_col_idxs();
    const auto values = a.get_const_values();
    const auto b_values = b.get_const_values();
    const auto b_stride = b.get_stride();
    const auto num_rhs = b.get_size()[1];
    if (num_rhs == 1 && b_stride == 1) {
        const auto sum_piece = [=](size_type begin, size_type end, auto put) {
            put(0, sum_entries(col_idxs, values, begin, end, b_values, std::integral_constant<size_type, 1>{}));
        };
        multiply_by_pieces(a, x, sum_piece, finish, add);
    } else {
        const auto sum_piece = [=](size_type begin, size_type end, auto put) {
            size_type rhs = 0;
            for (; rhs + 4 <= num_rhs; rhs += 4) {
                V sums[4];
                sum_entries_of_4(col_idxs, values, begin, end, b_values + rhs, b_stride, sums);
                put(rhs, sums[0]);
                put(rhs + 1, sums[1]);
                put(rhs + 2, sums[2]);
                put(rhs + 3, sums[3]);
            }
            for (; rhs < num_rhs; ++rhs) {
                put(rhs, sum_entries(col_idxs, values, begin, end, b_values + rhs, b_stride));
            }
        };
        multiply_by_pieces(a, x, sum_piece, finish, add);
    }
}

template <typename V, typename I>
void spmv(const OmpExecutor&, const matrix::Csr<V, I>& a, const matrix::Dense<V>& b, matrix::Dense<V>& x)
{
    const auto add = [](V& result, V sum) { result += sum; };
    multiply_with(a, b, x, [](V& result, V sum) { result = sum; }, add);
}

template <typename V, typename I>
void advanced_spmv(const OmpExecutor&, const matrix::Dense<V>& alpha, const matrix::Csr<V, I>& a,
                   const matrix::Dense<V>& b, const matrix::Dense<V>& beta, matrix::Dense<V>& x)
{
    const auto alpha_value = alpha.at(0, 0);
    const auto beta_value = beta.at(0, 0);
    if (is_zero(alpha_value)) {
        scale(beta_value, x);
        return;
    }
    const auto overwrite = is_zero(beta_value);
    const auto add = [=](V& result, V sum) { result = multiply_add(alpha_value, sum, result); };
    const auto finish = [=](V& result, V sum) {
        result = multiply_add(alpha_value, sum, overwrite ? zero<V>() : multiply(beta_value, result));
    };
    multiply_with(a, b, x, finish, add);
}

template <typename V, typename I>
void fill_in_dense(const OmpExecutor&, const matrix::Csr<V, I>& a, matrix::Dense<V>& x)
{
    const auto row_ptrs = a.get_const_row_ptrs();
#pragma omp parallel
    {
        // whole rows: a column that occurs twice in a row must not be added to by two threads
        const auto rows = my_rows_and_entries(row_ptrs, a.get_size()[0]).rows();
        for (auto row = rows.begin; row < rows.end; ++row) {
            for (auto nz = row_ptrs[row]; nz < row_ptrs[row + 1]; ++nz) {
                x.at(row, a.get_const_col_idxs()[nz]) += a.get_const_values()[nz];
            }
        }
    }
}

/// b = transform(a)^T: a counting sort by column. Each worker counts its entries of each column; its entries of a
/// column then go behind those of the workers before it, which keeps the order of rows.
template <typename V, typename I, typename Transform>
void transpose_with(const OmpExecutor& exec, const matrix::Csr<V, I>& a, matrix::Csr<V, I>& b, Transform transform)
{
    const auto num_rows = a.get_size()[0];
    const auto num_cols = a.get_size()[1];
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto col_idxs = a.get_const_col_idxs();
    const auto values = a.get_const_values();
    const auto b_row_ptrs = b.get_row_ptrs();
    const auto b_col_idxs = b.get_col_idxs();
    const auto b_values = b.get_values();
    // each worker has a counter per column: no more counters in all than there are entries and columns
    const auto max_workers = a.get_num_stored_elements() / std::max<size_type>(num_cols, 1) + 1;
    const auto num_workers = static_cast<int>(std::min<size_type>(omp_get_max_threads(), max_workers));
    std::vector<I> counters(num_workers * num_cols);
    const auto share_of = [&](int worker) {
        return row_share{split_rows_and_entries(row_ptrs, num_rows, worker, num_workers),
                         split_rows_and_entries(row_ptrs, num_rows, worker + 1, num_workers)};
    };

#pragma omp parallel for schedule(static, 1)
    for (int worker = 0; worker < num_workers; ++worker) {
        const auto counts = counters.data() + worker * num_cols;
        const auto share = share_of(worker);
        std::for_each(col_idxs + share.begin.nz, col_idxs + share.end.nz, [&](I col) { ++counts[col]; });
    }
#pragma omp parallel for
    for (size_type col = 0; col < num_cols; ++col) {
        I count{};
        for (int worker = 0; worker < num_workers; ++worker) {
            count += std::exchange(counters[worker * num_cols + col], count);
        }
        b_row_ptrs[col] = count;
    }
    components::prefix_sum(exec, b_row_ptrs, num_cols + 1);
#pragma omp parallel for schedule(static, 1)
    for (int worker = 0; worker < num_workers; ++worker) {
        const auto counts = counters.data() + worker * num_cols;
        for_each_piece(share_of(worker), row_ptrs, [&](size_type row, size_type begin, size_type end) {
            for (auto nz = begin; nz < end; ++nz) {
                const auto target = b_row_ptrs[col_idxs[nz]] + counts[col_idxs[nz]]++;
                b_col_idxs[target] = static_cast<I>(row);
                b_values[target] = transform(values[nz]);
            }
        });
    }
}

template <typename V, typename I>
void transpose(const OmpExecutor& exec, const matrix::Csr<V, I>& a, matrix::Csr<V, I>& b)
{
    transpose_with(exec, a, b, [](V value) { return value; });
}

template <typename V, typename I>
void conj_transpose(const OmpExecutor& exec, const matrix::Csr<V, I>& a, matrix::Csr<V, I>& b)
{
    transpose_with(exec, a, b, [](V value) { return spruce::conj(value); });
}

template <typename I>
size_type longest_of(const I* row_ptrs, range rows)
{
    size_type longest = 0;
    for (auto row = rows.begin; row < rows.end; ++row) {
        longest = std::max(longest, static_cast<size_type>(row_ptrs[row + 1] - row_ptrs[row]));
    }
    return longest;
}

template <typename I>
void longest_row(const OmpExecutor&, const I* row_ptrs, size_type num_rows, size_type& longest)
{
    size_type result = 0;
#pragma omp parallel reduction(max : result) if (num_rows >= min_parallel_work)
    result = longest_of(row_ptrs, my_share(num_rows));
    longest = result;
}

/// Sorts a short row in its place.
template <typename V, typename I>
void insertion_sort(I* col_idxs, V* values, size_type size)
{
    for (size_type i = 1; i < size; ++i) {
        const auto col = col_idxs[i];
        const auto value = values[i];
        auto target = i;
        for (; target > 0 && col_idxs[target - 1] > col; --target) {
            col_idxs[target] = col_idxs[target - 1];
            values[target] = values[target - 1];
        }
        col_idxs[target] = col;
        values[target] = value;
    }
}

template <typename V, typename I>
void sort_with_buffer(I* col_idxs, V* values, size_type size, std::pair<I, V>* entries)
{
    for (size_type i = 0; i < size; ++i) {
        entries[i] = {col_idxs[i], values[i]};
    }
    std::stable_sort(entries, entries + size, [](auto& a, auto& b) { return a.first < b.first; });
    for (size_type i = 0; i < size; ++i) {
        col_idxs[i] = entries[i].first;
        values[i] = entries[i].second;
    }
}

template <typename V, typename I>
void sort_by_column_index(const OmpExecutor&, matrix::Csr<V, I>& a)
{
    constexpr size_type max_short_row = 32;
    const auto num_rows = a.get_size()[0];
    const auto row_ptrs = a.get_const_row_ptrs();
    // The memory is had before the threads run, because an exception cannot leave a parallel region: for each share as
    // much as its longest row needs, together no more than the matrix.
    const auto num_shares = omp_get_max_threads();
    const auto rows_of = [&](int share) {
        return range{split_rows_and_entries(row_ptrs, num_rows, share, num_shares).row,
                     split_rows_and_entries(row_ptrs, num_rows, share + 1, num_shares).row};
    };
    std::vector<std::vector<std::pair<I, V>>> buffers(num_shares);
    for (int share = 0; share < num_shares; ++share) {
        const auto longest = longest_of(row_ptrs, rows_of(share));
        buffers[share].resize(longest > max_short_row ? longest : 0);
    }
#pragma omp parallel for schedule(static, 1)
    for (int share = 0; share < num_shares; ++share) {
        const auto rows = rows_of(share);
        for (auto row = rows.begin; row < rows.end; ++row) {
            const auto size = static_cast<size_type>(row_ptrs[row + 1] - row_ptrs[row]);
            const auto cols = a.get_col_idxs() + row_ptrs[row];
            const auto values = a.get_values() + row_ptrs[row];
            if (size <= max_short_row) {
                insertion_sort(cols, values, size);
            } else if (!std::is_sorted(cols, cols + size)) {
                sort_with_buffer(cols, values, size, buffers[share].data());
            }
        }
    }
}

template <typename V, typename I>
void is_sorted_by_column_index(const OmpExecutor&, const matrix::Csr<V, I>& a, bool& is_sorted)
{
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto col_idxs = a.get_const_col_idxs();
    bool result = true;
#pragma omp parallel reduction(&& : result) if (a.get_num_stored_elements() >= min_parallel_work)
    {
        const auto mine = my_rows_and_entries(row_ptrs, a.get_size()[0]);
        for_each_piece(mine, row_ptrs, [&](size_type row, size_type begin, size_type end) {
            // with the entry before a piece that does not begin its row
            const auto overlap = begin < end && begin > static_cast<size_type>(row_ptrs[row]) ? 1 : 0;
            result = result && std::is_sorted(col_idxs + begin - overlap, col_idxs + end);
        });
    }
    is_sorted = result;
}

template <typename I>
void find_start_rows(const OmpExecutor&, const I* row_ptrs, size_type num_rows, I* srow, size_type num_workers)
{
    const auto nnz = static_cast<size_type>(row_ptrs[num_rows]);
#pragma omp parallel for if (num_workers >= min_parallel_work)
    for (size_type worker = 0; worker < num_workers; ++worker) {
        // ceil(nnz worker / num_workers) without the overflow of the product
        const auto entry =
            nnz / num_workers * worker + (nnz % num_workers * worker + num_workers - 1) / num_workers;
        const auto behind = std::upper_bound(row_ptrs, row_ptrs + num_rows + 1, static_cast<I>(entry));
        srow[worker] = static_cast<I>(behind - row_ptrs - 1);
    }
}

}  // namespace csr

void register_csr()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        using E = OmpExecutor;
        kernels::csr::spmv<V, I>.template set<E>(&csr::spmv<V, I>);
        kernels::csr::advanced_spmv<V, I>.template set<E>(&csr::advanced_spmv<V, I>);
        kernels::csr::fill_in_dense<V, I>.template set<E>(&csr::fill_in_dense<V, I>);
        kernels::csr::transpose<V, I>.template set<E>(&csr::transpose<V, I>);
        kernels::csr::conj_transpose<V, I>.template set<E>(&csr::conj_transpose<V, I>);
        kernels::csr::sort_by_column_index<V, I>.template set<E>(&csr::sort_by_column_index<V, I>);
        kernels::csr::is_sorted_by_column_index<V, I>.template set<E>(&csr::is_sorted_by_column_index<V, I>);
    });
    for_each_index_type([](auto type) {
        using I = typename decltype(type)::type;
        kernels::csr::longest_row<I>.template set<OmpExecutor>(&csr::longest_row<I>);
        kernels::csr::find_start_rows<I>.template set<OmpExecutor>(&csr::find_start_rows<I>);
    });
}

}  // namespace spruce::kernels::omp
