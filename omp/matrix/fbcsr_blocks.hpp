// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/matrix/fbcsr_kernels.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "common/numeric/merge_rows.hpp"
#include "core/matrix/csr_kernels.hpp"
#include "core/matrix/view_as_csr.hpp"
#include "omp/base/run_unified.hpp"
#include "omp/components/multiply_add.hpp"
#include "omp/components/partition.hpp"
#include "omp/components/scale.hpp"
#include "omp/components/vector_unit.hpp"
#include "omp/matrix/entry_sums.hpp"
#include "omp/matrix/spmv_merge.hpp"

namespace spruce::kernels::omp {
namespace fbcsr {

using matrix::Csr;
using matrix::Dense;
using matrix::Fbcsr;

/// Calls function(block_size). Small sizes are constants at compile time.
template <typename Function>
void with_block_size(int block_size, Function function)
{
    switch (block_size) {
    case 1:
        return function(std::integral_constant<size_type, 1>{});
    case 2:
        return function(std::integral_constant<size_type, 2>{});
    case 3:
        return function(std::integral_constant<size_type, 3>{});
    case 4:
        return function(std::integral_constant<size_type, 4>{});
    default:
        return function(static_cast<size_type>(block_size));
    }
}

/// Computes sums[i] = the sum of row i of a row of blocks times a column of b.
template <typename V, typename I>
SPRUCE_FORCE_INLINE inline void sum_blocks(size_type bs, const I* cols, const V* values, size_type num_blocks,
                                           const V* b, size_type b_stride, V* sums)
{
    std::fill_n(sums, bs, zero<V>());
    for (size_type k = 0; k < num_blocks; ++k) {
        for (size_type j = 0; j < bs; ++j) {
            const auto factor = b[(static_cast<size_type>(cols[k]) * bs + j) * b_stride];
            const auto column = values + (k * bs + j) * bs;
#pragma omp simd
            for (size_type i = 0; i < bs; ++i) {
                sums[i] = multiply_add(column[i], factor, sums[i]);
            }
        }
    }
}
/// Computes sums[i] = the sum of row i of a row of blocks times a column of b, for a block size
/// that is known at compile time.
///
/// Each column of the blocks has its own partial sums in registers, so they do not depend on each
/// other (doc/tuning/cpu.md).
template <size_type bs, typename V, typename I>
SPRUCE_FORCE_INLINE inline void sum_blocks(std::integral_constant<size_type, bs>, const I* cols, const V* values,
                                           size_type num_blocks, const V* b, size_type b_stride, V* sums)
{
    V parts[bs][bs]{};
    for (size_type k = 0; k < num_blocks; ++k) {
#pragma GCC unroll 4
        for (size_type j = 0; j < bs; ++j) {
            const auto factor = b[(static_cast<size_type>(cols[k]) * bs + j) * b_stride];
#pragma GCC unroll 4
            for (size_type i = 0; i < bs; ++i) {
                if constexpr (bs == 3) {
                    asm volatile("");  // prevents vectors, whose assembly takes longer than they save
                }
                parts[j][i] = multiply_add(values[(k * bs + j) * bs + i], factor, parts[j][i]);
            }
        }
    }
    for (size_type i = 0; i < bs; ++i) {
        sums[i] = parts[0][i];
        for (size_type j = 1; j < bs; ++j) {
            sums[i] += parts[j][i];
        }
    }
}

/// Computes sums[i * num_cols + j] = the sum of row i of a row of blocks times column j of b.
/// @tparam NumCols  int or std::integral_constant
template <typename V, typename I, typename NumCols>
SPRUCE_FORCE_INLINE inline void sum_blocks_of_columns(size_type bs, const I* cols, const V* values,
                                                      size_type num_blocks, const V* b, size_type b_stride,
                                                      NumCols num_cols, V* sums)
{
    std::fill_n(sums, bs * num_cols, zero<V>());
    for (size_type k = 0; k < num_blocks; ++k) {
        for (size_type j = 0; j < bs; ++j) {
            const auto b_row = b + (static_cast<size_type>(cols[k]) * bs + j) * b_stride;
            const auto column = values + (k * bs + j) * bs;
            for (size_type i = 0; i < bs; ++i) {
                add_products(num_cols, column, i, b_row, sums + i * num_cols);
            }
        }
    }
}

/// Calls multiply(block_row, sums) for this thread's block rows, which are distributed by their
/// numbers of blocks; sums has memory for num_sums values. Calls finish(x_ij, 0) for all entries of
/// block rows without blocks.
template <typename V, typename I, typename Multiply, typename Finish>
void for_each_block_row(const Fbcsr<V, I>& a, size_type num_sums, Dense<V>& x, const Multiply& multiply,
                        const Finish& finish)
{
    const auto bs = static_cast<size_type>(a.get_block_size());
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto work = (a.get_size()[0] + a.get_num_stored_elements()) * x.get_size()[1];
    const auto num_block_rows = static_cast<size_type>(a.get_num_block_rows());
    // The memory is allocated before the parallel region, because an exception cannot leave it.
    // The sums of different threads lie on different cache lines.
    const auto stride = num_sums + 64 / sizeof(V);
    std::vector<V> all_sums(stride * omp_get_max_threads());
#pragma omp parallel if (work >= min_parallel_work)
    on_vector_unit([&] {
        const auto sums = all_sums.data() + stride * omp_get_thread_num();
        const auto block_rows = thread_merge_range(row_ptrs, num_block_rows).rows();
        for (auto block_row = block_rows.begin; block_row < block_rows.end;) {
            const auto nz = static_cast<size_type>(row_ptrs[block_row]);
            if (const auto next = end_of_empty_rows(row_ptrs, block_row, block_rows.end, nz); next > block_row) {
                finish_empty_rows(x.get_values() + block_row * bs * x.get_stride(), (next - block_row) * bs,
                                  x.get_size()[1], x.get_stride(), finish);
                block_row = next;
                continue;
            }
            multiply(block_row, sums);
            ++block_row;
        }
    });
}

/// Computes x = alpha a b + beta x for one column. Null stands for alpha = 1 and beta = 0.
template <typename V, typename I, typename Size>
void multiply_column(const V* alpha, const Fbcsr<V, I>& a, Size bs, const Dense<V>& b, const V* beta, Dense<V>& x)
{
    const auto multiply = [&](size_type block_row, V* sums) SPRUCE_FORCE_INLINE {
        const auto first = static_cast<size_type>(a.get_const_row_ptrs()[block_row]);
        const auto num_blocks = static_cast<size_type>(a.get_const_row_ptrs()[block_row + 1]) - first;
        sum_blocks(bs, a.get_const_col_idxs() + first, a.get_const_values() + first * bs * bs, num_blocks,
                   b.get_const_values(), b.get_stride(), sums);
        for (size_type i = 0; i < bs; ++i) {
            combine_into(alpha, sums[i], beta, x.at(block_row * bs + i, 0));
        }
    };
    for_each_block_row(a, bs, x, multiply, [=](V& result, V sum) { combine_into(alpha, sum, beta, result); });
}

/// Computes x = alpha a b + beta x for several columns. Null stands for alpha = 1 and beta = 0.
template <typename V, typename I>
void multiply_columns(const V* alpha, const Fbcsr<V, I>& a, const Dense<V>& b, const V* beta, Dense<V>& x)
{
    constexpr int max_cols = 8;
    const auto bs = static_cast<size_type>(a.get_block_size());
    const auto num_rhs = x.get_size()[1];
    const auto multiply = [&](size_type block_row, V* sums) SPRUCE_FORCE_INLINE {
        const auto first = static_cast<size_type>(a.get_const_row_ptrs()[block_row]);
        const auto num_blocks = static_cast<size_type>(a.get_const_row_ptrs()[block_row + 1]) - first;
        for (size_type rhs = 0; rhs < num_rhs; rhs += max_cols) {
            const auto multiply_group = [&](auto num_cols) SPRUCE_FORCE_INLINE {
                sum_blocks_of_columns(bs, a.get_const_col_idxs() + first, a.get_const_values() + first * bs * bs,
                                      num_blocks, b.get_const_values() + rhs, b.get_stride(), num_cols, sums);
                for (size_type i = 0; i < bs; ++i) {
                    for (int col = 0; col < num_cols; ++col) {
                        combine_into(alpha, sums[i * num_cols + col], beta, x.at(block_row * bs + i, rhs + col));
                    }
                }
            };
            if (num_rhs - rhs >= max_cols) {
                multiply_group(std::integral_constant<int, max_cols>{});
            } else {
                multiply_group(static_cast<int>(num_rhs - rhs));
            }
        }
    };
    for_each_block_row(a, bs * max_cols, x, multiply,
                       [=](V& result, V sum) { combine_into(alpha, sum, beta, result); });
}

/// Computes x = alpha a b + beta x. Null stands for alpha = 1 and beta = 0.
template <typename V, typename I>
void multiply(const V* alpha, const Fbcsr<V, I>& a, const Dense<V>& b, const V* beta, Dense<V>& x)
{
    if (x.get_size()[1] == 1) {
        with_block_size(a.get_block_size(), [&](auto bs) { multiply_column(alpha, a, bs, b, beta, x); });
    } else {
        multiply_columns(alpha, a, b, beta, x);
    }
}

/// Views a matrix with blocks of one entry as Csr, whose products distribute the entries of a row
/// among the threads.
template <typename V, typename I>
std::unique_ptr<const Csr<V, I>> view_as_csr(const Fbcsr<V, I>& a)
{
    return matrix::view_as_csr<V, I>(a, std::make_shared<typename Csr<V, I>::classical>());
}

template <typename V, typename I>
void spmv(const OmpExecutor& exec, const Fbcsr<V, I>& a, const Dense<V>& b, Dense<V>& x)
{
    if (a.get_block_size() == 1) {
        kernels::csr::spmv<V, I>(exec, *view_as_csr(a), b, x);
    } else {
        multiply<V, I>(nullptr, a, b, nullptr, x);
    }
}

template <typename V, typename I>
void advanced_spmv(const OmpExecutor& exec, const Dense<V>& alpha, const Fbcsr<V, I>& a, const Dense<V>& b,
                   const Dense<V>& beta, Dense<V>& x)
{
    if (a.get_block_size() == 1) {
        kernels::csr::advanced_spmv<V, I>(exec, alpha, *view_as_csr(a), b, beta, x);
        return;
    }
    const auto alpha_value = alpha.at(0, 0);
    const auto beta_value = beta.at(0, 0);
    if (is_zero(alpha_value)) {
        scale(beta_value, x);
    } else {
        multiply(&alpha_value, a, b, is_zero(beta_value) ? nullptr : &beta_value, x);
    }
}

/// Returns true if the entries of a block row fill its blocks and their columns are in order.
/// @param row_ptrs  row pointers from the first row of the block row on
template <typename I, typename Size>
bool has_full_blocks(const I* row_ptrs, const I* col_idxs, Size bs)
{
    const auto length = static_cast<size_type>(row_ptrs[1] - row_ptrs[0]);
    if (length % bs != 0) {
        return false;
    }
    const auto cols = col_idxs + row_ptrs[0];
    auto is_full = true;  // combined by bitwise and, without a branch for each entry
    for (size_type k = 0; k < length; k += bs) {
        is_full &= cols[k] % static_cast<I>(bs) == 0;
        is_full &= k == 0 || cols[k - 1] < cols[k];
        for (size_type j = 1; j < bs; ++j) {
            is_full &= cols[k + j] == cols[k] + static_cast<I>(j);
        }
    }
    for (size_type i = 1; i < bs && is_full; ++i) {
        is_full = static_cast<size_type>(row_ptrs[i + 1] - row_ptrs[i]) == length &&
                  std::equal(cols, cols + length, col_idxs + row_ptrs[i]);
    }
    return is_full;
}

/// Calls visit(row, nz, col, next_col) for the entries of a block row in the order of their blocks.
/// Small blocks are merged by merge_rows(), large ones are visited block by block
/// (doc/tuning/cpu.md).
/// @param cursors  one element for each of the rows
template <typename I, typename Size, typename Visit>
void for_each_in_block_order(const I* row_ptrs, const I* col_idxs, Size bs, I* cursors, Visit visit)
{
    if constexpr (!std::is_same_v<Size, size_type>) {
        merge_rows<static_cast<int>(Size::value), I>(row_ptrs, I{}, col_idxs, visit);
    } else {
        std::copy_n(row_ptrs, bs, cursors);
        while (true) {
            auto lowest = no_col<I>;
            for (size_type i = 0; i < bs; ++i) {
                lowest = cursors[i] < row_ptrs[i + 1] ? std::min(lowest, col_idxs[cursors[i]]) : lowest;
            }
            if (lowest == no_col<I>) {
                return;
            }
            const auto end_col = (lowest / static_cast<I>(bs) + 1) * static_cast<I>(bs);
            for (size_type i = 0; i < bs; ++i) {
                while (cursors[i] < row_ptrs[i + 1] && col_idxs[cursors[i]] < end_col) {
                    const auto nz = cursors[i]++;
                    visit(static_cast<int>(i), nz, col_idxs[nz],
                          nz + 1 < row_ptrs[i + 1] ? col_idxs[nz + 1] : no_col<I>);
                }
            }
        }
    }
}

template <typename V, typename I>
void find_blocks(const OmpExecutor&, const Csr<V, I>& a, int block_size, I* counts, array<char>&, bool& is_sorted)
{
    const auto col_idxs = a.get_const_col_idxs();
    std::vector<I> all_cursors(static_cast<size_type>(omp_get_max_threads()) * block_size);
    bool all_sorted = true;
    with_block_size(block_size, [&](auto bs) {
#pragma omp parallel reduction(&& : all_sorted) if (a.get_num_stored_elements() >= min_parallel_work)
        {
            const auto cursors = all_cursors.data() + omp_get_thread_num() * bs;
            const auto block_rows = thread_range(a.get_size()[0] / bs);
            for (auto block_row = block_rows.begin; block_row < block_rows.end; ++block_row) {
                const auto row_ptrs = a.get_const_row_ptrs() + block_row * bs;
                if (has_full_blocks(row_ptrs, col_idxs, bs)) {
                    counts[block_row] = (row_ptrs[1] - row_ptrs[0]) / static_cast<I>(bs);
                    continue;
                }
                I count{};
                I block_col{-1};
                auto is_in_order = true;
                for_each_in_block_order(row_ptrs, col_idxs, bs, cursors, [&](int, I, I col, I next_col) {
                    const auto new_block_col = col / static_cast<I>(bs);
                    count += new_block_col != block_col ? 1 : 0;
                    block_col = new_block_col;
                    is_in_order &= col < next_col;
                });
                counts[block_row] = count;
                all_sorted = all_sorted && is_in_order;
            }
        }
    });
    is_sorted = all_sorted;
}

template <typename V, typename I>
void fill_blocks(const OmpExecutor&, const Csr<V, I>& a, array<char>&, Fbcsr<V, I>& b)
{
    const auto col_idxs = a.get_const_col_idxs();
    const auto values = a.get_const_values();
    std::vector<I> all_cursors(static_cast<size_type>(omp_get_max_threads()) * b.get_block_size());
    with_block_size(b.get_block_size(), [&](auto bs) {
#pragma omp parallel if (a.get_num_stored_elements() >= min_parallel_work)
        {
            const auto cursors = all_cursors.data() + omp_get_thread_num() * bs;
            const auto block_rows = thread_merge_range(b.get_const_row_ptrs(), a.get_size()[0] / bs).rows();
            for (auto block_row = block_rows.begin; block_row < block_rows.end; ++block_row) {
                const auto row_ptrs = a.get_const_row_ptrs() + block_row * bs;
                const auto first = static_cast<size_type>(b.get_const_row_ptrs()[block_row]);
                const auto num_blocks = static_cast<size_type>(b.get_const_row_ptrs()[block_row + 1]) - first;
                const auto block_cols = b.get_col_idxs() + first;
                const auto blocks = b.get_values() + first * bs * bs;
                if (has_full_blocks(row_ptrs, col_idxs, bs)) {
                    for (size_type k = 0; k < num_blocks; ++k) {
                        block_cols[k] = static_cast<I>(col_idxs[row_ptrs[0] + k * bs] / bs);
                    }
                    for (size_type i = 0; i < bs; ++i) {
                        for (size_type j = 0; j < num_blocks * bs; ++j) {
                            blocks[j * bs + i] = values[row_ptrs[i] + j];
                        }
                    }
                    continue;
                }
                std::fill_n(blocks, num_blocks * bs * bs, zero<V>());
                size_type count{};
                I block_col{-1};
                for_each_in_block_order(row_ptrs, col_idxs, bs, cursors, [&](int i, I nz, I col, I) {
                    const auto new_block_col = col / static_cast<I>(bs);
                    count += new_block_col != block_col ? 1 : 0;
                    block_col = new_block_col;
                    block_cols[count - 1] = block_col;
                    const auto j = static_cast<size_type>(col) - static_cast<size_type>(block_col) * bs;
                    blocks[((count - 1) * bs + j) * bs + i] = values[nz];
                });
            }
        }
    });
}

/// Converts the matrix row by row, so that the row of an entry does not have to be searched.
template <typename V, typename I>
void convert_to_csr(const OmpExecutor&, const Fbcsr<V, I>& a, Csr<V, I>& b)
{
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto num_block_rows = static_cast<size_type>(a.get_num_block_rows());
    const auto new_row_ptrs = b.get_row_ptrs();
    const auto new_col_idxs = b.get_col_idxs();
    const auto new_values = b.get_values();
    with_block_size(a.get_block_size(), [&](auto bs) {
#pragma omp parallel if (a.get_num_stored_elements() >= min_parallel_work)
        {
            const auto block_rows = thread_merge_range(row_ptrs, num_block_rows).rows();
            for (auto block_row = block_rows.begin; block_row < block_rows.end; ++block_row) {
                const auto begin = static_cast<size_type>(row_ptrs[block_row]);
                const auto end = static_cast<size_type>(row_ptrs[block_row + 1]);
                auto nz = begin * bs * bs;
                for (size_type i = 0; i < bs; ++i) {
                    new_row_ptrs[block_row * bs + i] = static_cast<I>(nz);
                    for (auto k = begin; k < end; ++k) {
                        const auto first_col = a.get_const_col_idxs()[k] * static_cast<I>(bs);
                        const auto block = a.get_const_values() + k * bs * bs;
                        for (size_type j = 0; j < bs; ++j, ++nz) {
                            new_col_idxs[nz] = first_col + static_cast<I>(j);
                            new_values[nz] = block[j * bs + i];
                        }
                    }
                }
            }
        }
    });
    new_row_ptrs[num_block_rows * a.get_block_size()] = static_cast<I>(b.get_num_stored_elements());
}

}  // namespace fbcsr

}  // namespace spruce::kernels::omp
