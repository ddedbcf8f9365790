// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include <spruce/base/math.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/diagonal.hpp>

#include "omp/base/backend.hpp"

#include "common/unified/matrix/padded_rows.hpp"
#include "core/matrix/dense_kernels.hpp"
#include "core/matrix/padded_rows.hpp"
#include "omp/base/run_unified.hpp"
#include "omp/components/column_groups.hpp"
#include "omp/components/partition.hpp"
#include "omp/components/prefetch.hpp"
#include "omp/components/scale.hpp"
#include "omp/components/vector_unit.hpp"

/// Contains the kernels of Ell and Sellp; Matrix is one of the two.
namespace spruce::kernels::omp {
namespace padded_rows {

/// Describes adjacent rows of one slice: entry i of row first_row + r is at position
/// begin + i * width + r.
struct row_block {
    size_type first_row;
    size_type num_rows;
    size_type begin;
    size_type length;
};
/// The sums of this many rows stay in the first-level cache.
constexpr size_type max_rows_in_block = 512;

/// Calls function(block) for this thread's range of rows; to be called in a parallel region.
template <typename Function>
SPRUCE_FORCE_INLINE inline void for_each_block_of_thread(const matrix::ell_layout& layout, size_type num_rows,
                                                         Function function)
{
    const auto rows = thread_range(num_rows);
    for (auto row = rows.begin; row < rows.end; row += max_rows_in_block) {
        function(row_block{row, std::min(max_rows_in_block, rows.end - row), row, layout.num_columns});
    }
}
/// Calls function(block) for this thread's range of slices; to be called in a parallel region. The
/// ranges consist of whole slices and have about equal total numbers of columns.
template <typename Function>
SPRUCE_FORCE_INLINE inline void for_each_block_of_thread(const matrix::sellp_layout& layout, size_type num_rows,
                                                         Function function)
{
    const auto slices = thread_merge_range(layout.slice_sets, layout.num_slices).rows();
    for (auto slice = slices.begin; slice < slices.end; ++slice) {
        const auto first = layout.first_column(slice);
        const auto length = layout.first_column(slice + 1) - first;
        const auto end = std::min((slice + 1) * layout.width, num_rows);
        for (auto row = slice * layout.width; row < end; row += max_rows_in_block) {
            const auto lane = row - slice * layout.width;
            function(row_block{row, std::min(max_rows_in_block, end - row), first * layout.width + lane, length});
        }
    }
}

/// Returns true if the indices are consecutive. The last index alone refutes most others.
template <size_type num, typename I>
SPRUCE_FORCE_INLINE inline bool are_consecutive(const I* rows_of_b)
{
    if (rows_of_b[num - 1] - rows_of_b[0] != static_cast<I>(num - 1)) {
        return false;
    }
    I differences{};
#pragma omp simd reduction(| : differences)
    for (size_type k = 0; k < num; ++k) {
        differences |= (rows_of_b[k] - rows_of_b[0]) ^ static_cast<I>(k);
    }
    return differences == 0;
}

/// Computes factors[k] = b[rows_of_b[k] * stride] for 64 bytes of factors.
///
/// The values are loaded one by one, because gather instructions are slower on many processors.
/// They are assembled in a register: a vector that was stored in parts is not available at once for
/// a load as a whole.
template <typename T, typename I, typename Stride, size_t... k>
SPRUCE_FORCE_INLINE inline void load_factors(const I* rows_of_b, const T* b, Stride stride, T* factors,
                                             std::index_sequence<k...>)
{
    if constexpr (is_complex<T>()) {
        ((factors[k] = b[static_cast<size_type>(rows_of_b[k]) * stride]), ...);
    } else {
        using vector [[gnu::vector_size(64), gnu::may_alias]] = T;
        *reinterpret_cast<vector*>(factors) = vector{b[static_cast<size_type>(rows_of_b[k]) * stride]...};
    }
}

/// Computes sums[r] = the sum of the entries of row r of a block times one column of b.
///
/// If adjacent rows have adjacent columns, as those of stencils do, values of b are loaded as
/// vectors. Entries are prefetched one page ahead, because hardware prefetchers stop at the border
/// of a page. They are prefetched into the second-level cache: a block has as many streams as
/// columns, and the first level does not hold their pages.
/// @tparam Stride  size_type or std::integral_constant
template <typename T, typename I, typename Stride>
SPRUCE_FORCE_INLINE inline void sum_block(const row_block& block, size_type width, const I* all_cols,
                                          const T* all_values, const T* b, Stride stride, T* sums)
{
    constexpr size_type max_rows = 64;
    constexpr size_type lanes = 64 / sizeof(T);
    constexpr size_type page = 4096 / sizeof(T);
    alignas(64) I rows_of_b[max_rows];
    alignas(64) T factors[max_rows];
    std::fill_n(sums, block.num_rows, T{});
    for (size_type i = 0; i < block.length; ++i) {
        for (size_type first = 0; first < block.num_rows; first += max_rows) {
            const auto num_rows = std::min(max_rows, block.num_rows - first);
            const auto cols = all_cols + block.begin + i * width + first;
            const auto values = all_values + block.begin + i * width + first;
            for (size_type r = 0; r < num_rows; r += lanes) {
                __builtin_prefetch(values + r + page, 0, 2);
                __builtin_prefetch(cols + r + page, 0, 2);
            }
            // Padding loads a value, too, which is not used: this avoids a branch.
#pragma omp simd
            for (size_type r = 0; r < num_rows; ++r) {
                const auto col = cols[r];
                rows_of_b[r] = col < 0 ? 0 : col;
            }
            size_type r = 0;
            for (; r + lanes <= num_rows; r += lanes) {
                if (stride == 1 && are_consecutive<lanes>(rows_of_b + r)) {
                    std::copy_n(b + rows_of_b[r], lanes, factors + r);
                } else {
                    load_factors(rows_of_b + r, b, stride, factors + r, std::make_index_sequence<lanes>{});
                }
            }
            for (; r < num_rows; ++r) {
                factors[r] = b[static_cast<size_type>(rows_of_b[r]) * stride];
            }
            // clang 14 does not vectorize this loop for complex numbers.
#pragma omp simd if (!is_complex <T>())
            for (size_type r = 0; r < num_rows; ++r) {
                const auto product = values[r] * factors[r];
                sums[first + r] += cols[r] != matrix::padding_column ? product : T{};
            }
        }
    }
}

/// Computes sums[j] = the sum of a row's entries times column j of b, for num_cols columns. The
/// distance between entries of the row is width.
template <int num_cols, typename T, typename I>
SPRUCE_FORCE_INLINE inline void sum_row(size_type length, size_type width, const I* cols, const T* values, const T* b,
                                        size_type b_stride, T* sums)
{
    T even[num_cols]{};
    T odd[num_cols]{};  // two sums of each column, since one would wait for the latency of each addition
    const auto add = [&](size_type i, T* local) SPRUCE_FORCE_INLINE {
        const auto col = cols[i * width];
        if (col == matrix::padding_column) {
            return;
        }
        const auto value = values[i * width];
        const auto b_row = b + static_cast<size_type>(col) * b_stride;
#pragma omp simd
        for (int j = 0; j < num_cols; ++j) {
            local[j] += value * b_row[j];
        }
    };
    size_type i = 0;
    for (; i + 2 <= length; i += 2) {
        add(i, even);
        add(i + 1, odd);
    }
    if (i < length) {
        add(i, even);
    }
    for (int j = 0; j < num_cols; ++j) {
        sums[j] = even[j] + odd[j];
    }
}

/// Prefetches the entries 4096 / sizeof(T) positions ahead, for the rows whose entries share cache
/// lines with this row.
template <typename T, typename I>
SPRUCE_FORCE_INLINE inline void prefetch_rows(size_type length, size_type width, const I* cols, const T* values)
{
    constexpr size_type page = 4096 / sizeof(T);
    for (size_type offset = 0; offset < length * width; offset += width) {
        __builtin_prefetch(values + offset + page, 0, 2);
        __builtin_prefetch(cols + offset + page, 0, 2);
    }
}

/// Calls finish(x_i, sum) for every entry of a column x.
template <typename Matrix, typename Finish>
void multiply_column(const Matrix& a, const matrix::Dense<value_of<Matrix>>& b, matrix::Dense<value_of<Matrix>>& x,
                     const Finish& finish)
{
    using T = device_type<value_of<Matrix>>;
    const auto layout = layout_of(a);
    const auto num_rows = x.get_size()[0];
    const auto cols = a.get_const_col_idxs();
    const auto values = as_device(a.get_const_values());
    const auto b_values = as_device(b.get_const_values());
    const auto b_stride = b.get_stride();
    const auto x_values = as_device(x.get_values());
    const auto x_stride = x.get_stride();
    const auto has_cols = a.get_size()[1] > 0;  // otherwise padding must not load from b
    const auto multiply_block = [&](row_block block) SPRUCE_FORCE_INLINE {
        block.length = has_cols ? block.length : 0;
        alignas(64) T sums[max_rows_in_block];
        if (b_stride == 1) {
            sum_block(block, layout.width, cols, values, b_values, std::integral_constant<size_type, 1>{}, sums);
        } else {
            sum_block(block, layout.width, cols, values, b_values, b_stride, sums);
        }
        for (size_type row = 0; row < block.num_rows; ++row) {
            finish(x_values[(block.first_row + row) * x_stride], sums[row]);
        }
    };
#pragma omp parallel if (a.get_num_stored_elements() + num_rows >= min_parallel_work)
    on_vector_unit([&] { for_each_block_of_thread(layout, num_rows, multiply_block); });
}

/// Computes x = alpha a b + beta x for several columns. The factors are run-time arguments, since
/// the loop is instantiated for each width of a group of columns. Null stands for alpha = 1 and
/// beta = 0.
template <typename Matrix>
void multiply_columns(const device_type<value_of<Matrix>>* alpha, const Matrix& a,
                      const matrix::Dense<value_of<Matrix>>& b, const device_type<value_of<Matrix>>* beta,
                      matrix::Dense<value_of<Matrix>>& x)
{
    using T = device_type<value_of<Matrix>>;
    constexpr size_type lanes = 64 / sizeof(T);
    const auto layout = layout_of(a);
    const auto num_rows = x.get_size()[0];
    const auto num_rhs = x.get_size()[1];
    const auto cols = a.get_const_col_idxs();
    const auto values = as_device(a.get_const_values());
    const auto b_values = as_device(b.get_const_values());
    const auto b_stride = b.get_stride();
    const auto x_values = as_device(x.get_values());
    const auto x_stride = x.get_stride();
    const auto has_cols = a.get_size()[1] > 0;  // otherwise padding must not load from b
    const auto multiply_group = [&](const row_block& block, size_type first_rhs, auto width) SPRUCE_FORCE_INLINE {
        for (size_type row = 0; row < block.num_rows; ++row) {
            const auto begin = block.begin + row;
            if (row % lanes == 0) {
                prefetch_rows(block.length, layout.width, cols + begin, values + begin);
            }
            T sums[width];
            sum_row<width>(block.length, layout.width, cols + begin, values + begin, b_values + first_rhs, b_stride,
                           sums);
            const auto results = x_values + (block.first_row + row) * x_stride + first_rhs;
            for (int j = 0; j < width; ++j) {
                const auto product = alpha ? *alpha * sums[j] : sums[j];
                results[j] = beta ? product + *beta * results[j] : product;
            }
        }
    };
    const auto multiply_block = [&](row_block block) SPRUCE_FORCE_INLINE {
        block.length = has_cols ? block.length : 0;
        // The block stays in the cache until all groups of columns are computed.
        for_each_column_group(num_rhs, [&](size_type first_rhs, auto width)
                                           SPRUCE_FORCE_INLINE { multiply_group(block, first_rhs, width); });
    };
#pragma omp parallel if ((a.get_num_stored_elements() + num_rows) * num_rhs >= min_parallel_work)
    on_vector_unit([&] { for_each_block_of_thread(layout, num_rows, multiply_block); });
}

template <typename Matrix>
void spmv(const OmpExecutor&, const Matrix& a, const matrix::Dense<value_of<Matrix>>& b,
          matrix::Dense<value_of<Matrix>>& x)
{
    if (x.get_size()[1] == 1) {
        multiply_column(a, b, x, [](auto& result, const auto& sum) { result = sum; });
    } else {
        multiply_columns<Matrix>(nullptr, a, b, nullptr, x);
    }
}

template <typename Matrix>
void advanced_spmv(const OmpExecutor&, const matrix::Dense<value_of<Matrix>>& alpha, const Matrix& a,
                   const matrix::Dense<value_of<Matrix>>& b, const matrix::Dense<value_of<Matrix>>& beta,
                   matrix::Dense<value_of<Matrix>>& x)
{
    const auto alpha_value = to_device(alpha.at(0, 0));
    const auto beta_value = to_device(beta.at(0, 0));
    if (is_zero(alpha_value)) {
        scale(beta.at(0, 0), x);
    } else if (x.get_size()[1] != 1) {
        multiply_columns<Matrix>(&alpha_value, a, b, is_zero(beta_value) ? nullptr : &beta_value, x);
    } else if (is_zero(beta_value)) {
        multiply_column(a, b, x, [=](auto& result, const auto& sum) { result = alpha_value * sum; });
    } else {
        multiply_column(a, b, x,
                        [=](auto& result, const auto& sum) { result = alpha_value * sum + beta_value * result; });
    }
}

template <typename Matrix>
void spmv_with_dot(const OmpExecutor& exec, const Matrix& a, const matrix::Dense<value_of<Matrix>>& b,
                   matrix::Dense<value_of<Matrix>>& x, matrix::Dense<value_of<Matrix>>& dot, const Reduction& reduction)
{
    spmv(exec, a, b, x);
    kernels::dense::conj_dot<value_of<Matrix>>(exec, b, x, dot, reduction);
}

/// Converts a to x by blocks of a few rows, so that data that was read remains in the first-level
/// cache until all of it is used.
template <typename Matrix>
void fill_from_csr(const OmpExecutor&, const matrix::Csr<value_of<Matrix>, index_of<Matrix>>& a, Matrix& x)
{
    using I = index_of<Matrix>;
    constexpr size_type max_rows = 64;
    const auto layout = layout_of(x);
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto a_cols = a.get_const_col_idxs();
    const auto a_values = a.get_const_values();
    const auto num_rows = a.get_size()[0];
    const auto fill_rows = [&](const row_block& block) {
        I begins[max_rows];
        I lengths[max_rows];
        auto min_length = block.length;
        for (size_type r = 0; r < block.num_rows; ++r) {
            const auto row = block.first_row + r;
            begins[r] = row_ptrs[std::min(row, num_rows)];
            lengths[r] = row < num_rows ? row_ptrs[row + 1] - begins[r] : I{};
            min_length = std::min(min_length, static_cast<size_type>(lengths[r]));
        }
        // The read accesses alternate between rows, which hardware prefetchers do not predict.
        // Therefore each step prefetches a part of the next rows' entries.
        const auto end = begins[block.num_rows - 1] + lengths[block.num_rows - 1];
        const auto entries_per_column =
            (static_cast<size_type>(end - begins[0]) + block.length) / (block.length + 1) + 8;
        auto next_values = a_values + end;
        auto next_cols = a_cols + end;
        size_type i = 0;
        const auto fill_column = [&](auto take) {
            prefetch<access::read>(next_values, entries_per_column);
            prefetch<access::read>(next_cols, entries_per_column);
            next_values += entries_per_column;
            next_cols += entries_per_column;
            const auto cols = x.get_col_idxs() + block.begin + i * layout.width;
            const auto values = x.get_values() + block.begin + i * layout.width;
            prefetch<access::write>(values + max_rows, block.num_rows);
            prefetch<access::write>(cols + max_rows, block.num_rows);
            for (size_type r = 0; r < block.num_rows; ++r) {
                take(r, cols[r], values[r]);
            }
        };
        const auto take_entry = [&](size_type r, I& col, value_of<Matrix>& value) {
            col = a_cols[begins[r] + i];
            value = a_values[begins[r] + i];
        };
        for (; i < min_length; ++i) {
            fill_column(take_entry);
        }
        for (; i < block.length; ++i) {
            fill_column([&](size_type r, I& col, value_of<Matrix>& value) {
                if (i < static_cast<size_type>(lengths[r])) {
                    take_entry(r, col, value);
                } else {
                    col = matrix::padding_column;
                    value = zero<value_of<Matrix>>();
                }
            });
        }
    };
#pragma omp parallel if (x.get_num_stored_elements() >= min_parallel_work)
    for_each_block_of_thread(layout, layout.num_slices * layout.width, [&](const row_block& block) {
        for (size_type r = 0; r < block.num_rows; r += max_rows) {
            fill_rows({block.first_row + r, std::min(max_rows, block.num_rows - r), block.begin + r, block.length});
        }
    });
}

template <typename Matrix>
void count_entries(const OmpExecutor&, const Matrix& a, index_of<Matrix>* counts)
{
    const auto layout = layout_of(a);
#pragma omp parallel if (a.get_num_stored_elements() >= min_parallel_work)
    for_each_block_of_thread(layout, a.get_size()[0], [&](const row_block& block) {
        const auto block_counts = counts + block.first_row;
        std::fill_n(block_counts, block.num_rows, index_of<Matrix>{});
        for (size_type i = 0; i < block.length; ++i) {
            const auto cols = a.get_const_col_idxs() + block.begin + i * layout.width;
#pragma omp simd
            for (size_type r = 0; r < block.num_rows; ++r) {
                block_counts[r] += cols[r] != matrix::padding_column ? 1 : 0;
            }
        }
    });
}

/// Converts a to compressed rows, by groups of rows.
///
/// The entries of a column of a group are contiguous and fill whole cache lines. A few columns of
/// the current rows are prefetched. More of them would not fit: if their distance is a multiple of
/// a page, all of them map to a few lines of the cache.
template <typename Matrix>
void convert_to_csr(const OmpExecutor&, const Matrix& a, const index_of<Matrix>* row_ptrs, index_of<Matrix>* col_idxs,
                    value_of<Matrix>* values)
{
    constexpr size_type group = 32;
    constexpr size_type columns_ahead = 8;
    const auto layout = layout_of(a);
    const auto fill_rows = [&](const row_block& block) {
        index_of<Matrix> next[group];
        std::copy_n(row_ptrs + block.first_row, block.num_rows, next);
        auto next_values = values + row_ptrs[block.first_row + block.num_rows];
        auto next_cols = col_idxs + row_ptrs[block.first_row + block.num_rows];
        for (size_type i = 0; i < block.length; ++i) {
            const auto first = block.begin + i * layout.width;
            const auto a_cols = a.get_const_col_idxs() + first;
            const auto a_values = a.get_const_values() + first;
            const auto column = i + columns_ahead;
            const auto ahead = column < block.length ? block.begin + column * layout.width
                                                     : block.begin + group + (column - block.length) * layout.width;
            prefetch<access::read>(a.get_const_values() + ahead, group);
            prefetch<access::read>(a.get_const_col_idxs() + ahead, group);
            prefetch<access::write>(next_values, group);
            next_values += group;
            prefetch<access::write>(next_cols, group);
            next_cols += group;
            auto all_are_entries = block.num_rows == group;
            for (size_type r = 0; r < block.num_rows; ++r) {
                all_are_entries = all_are_entries && a_cols[r] != matrix::padding_column;
            }
            if (all_are_entries) {
                for (size_type r = 0; r < group; ++r) {
                    col_idxs[next[r]] = a_cols[r];
                    values[next[r]] = a_values[r];
                    ++next[r];
                }
                continue;
            }
            for (size_type r = 0; r < block.num_rows; ++r) {
                if (a_cols[r] != matrix::padding_column) {
                    col_idxs[next[r]] = a_cols[r];
                    values[next[r]] = a_values[r];
                    ++next[r];
                }
            }
        }
    };
#pragma omp parallel if (a.get_num_stored_elements() >= min_parallel_work)
    for_each_block_of_thread(layout, a.get_size()[0], [&](const row_block& block) {
        for (size_type r = 0; r < block.num_rows; r += group) {
            fill_rows({block.first_row + r, std::min(group, block.num_rows - r), block.begin + r, block.length});
        }
    });
}

}  // namespace padded_rows
}  // namespace spruce::kernels::omp
