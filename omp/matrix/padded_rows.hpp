// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include <omp.h>

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
#include "omp/components/multiply_add.hpp"
#include "omp/components/partition.hpp"
#include "omp/components/prefetch.hpp"
#include "omp/components/scale.hpp"
#include "omp/components/vector_unit.hpp"
#include "omp/matrix/entry_sums.hpp"

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
/// The sums of this many rows stay in the first-level cache (doc/tuning/cpu.md).
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

/// Returns true if the entries of each row are distributed over the threads: there are so few rows
/// that whole rows would not be distributed evenly (doc/tuning/cpu.md).
template <typename Layout>
bool has_few_long_rows(const Layout& layout, size_type num_rows)
{
    constexpr size_type few_rows_of_thread = 16;
    constexpr size_type min_entries_of_thread = 64;
    const auto num_threads = static_cast<size_type>(omp_get_max_threads());
    const auto mean_length = layout.num_columns / std::max<size_type>(layout.num_slices, 1);
    return num_threads > 1 && num_rows < few_rows_of_thread * num_threads &&
           mean_length >= min_entries_of_thread * num_threads;
}

/// Calls function(block) for this thread's part of all rows; to be called in a parallel region. The
/// parts of a row are in the order of the threads.
template <typename Layout, typename Function>
SPRUCE_FORCE_INLINE inline void for_each_part_of_thread(const Layout& layout, size_type num_rows, Function function)
{
    for (size_type slice = 0; slice < layout.num_slices; ++slice) {
        const auto first = layout.first_column(slice);
        const auto part = thread_range(layout.first_column(slice + 1) - first);
        const auto first_row = slice * layout.width;
        const auto end = std::min(first_row + layout.width, num_rows);
        for (auto row = first_row; row < end; row += max_rows_in_block) {
            function(row_block{row, std::min(max_rows_in_block, end - row),
                               (first + part.begin) * layout.width + row - first_row, part.end - part.begin});
        }
    }
}

/// Calls function(part) for parts of a block in their order. A part stays in the cache while its
/// rows, which share cache lines, are processed one after the other.
template <typename Function>
SPRUCE_FORCE_INLINE inline void for_each_cached_part(const row_block& block, size_type width, Function function)
{
    constexpr size_type entries_of_part = 4096;
    const auto max_length = std::max<size_type>(entries_of_part / block.num_rows, 1);
    for (size_type first = 0; first < block.length; first += max_length) {
        function(row_block{block.first_row, block.num_rows, block.begin + first * width,
                           std::min(max_length, block.length - first)});
    }
}

/// Holds an element of each thread for each row and column.
template <typename T>
class parts_of_threads {
public:
    explicit parts_of_threads(size_type size)
        : size_{size}, stride_{(size / line + 1) * line}, parts_(omp_get_max_threads() * stride_)
    {}

    /// Returns this thread's elements; to be called in a parallel region.
    T* get() { return parts_.data() + omp_get_thread_num() * stride_; }

    /// Returns the sum of the threads' elements i, in the order of the threads.
    T sum(size_type i) const
    {
        T result{};
        for (auto position = i; position < parts_.size(); position += stride_) {
            result += parts_[position];
        }
        return result;
    }

    /// Replaces the elements of each thread by start(i) plus those of the threads before it.
    template <typename Start>
    void scan(Start start)
    {
        for (size_type i = 0; i < size_; ++i) {
            T total = start(i);
            for (auto position = i; position < parts_.size(); position += stride_) {
                total += std::exchange(parts_[position], total);
            }
        }
    }

private:
    static constexpr size_type line = 128 / sizeof(T);  // processors prefetch pairs of cache lines

    size_type size_;
    size_type stride_;  ///< of the elements of a thread
    std::vector<T> parts_;
};

/// Returns true if the indices are consecutive. The last index alone refutes most others
/// (doc/tuning/cpu.md).
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
/// a load as a whole (doc/tuning/cpu.md).
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
/// columns, and the first level does not hold their pages (doc/tuning/constants.md).
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
    sum_alternately<num_cols>(
        0, length, [](size_type) {},
        [&](size_type i, T* partial_sums) SPRUCE_FORCE_INLINE {
            const auto col = cols[i * width];
            if (col != matrix::padding_column) {
                add_products(std::integral_constant<int, num_cols>{}, values, i * width,
                             b + static_cast<size_type>(col) * b_stride, partial_sums);
            }
        },
        sums);
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

/// Computes x = alpha a b + beta x. The factors are run-time arguments, since the loops are
/// instantiated for each width of a group of columns. Null stands for alpha = 1 and beta = 0.
template <typename Matrix>
class product {
public:
    using T = device_type<value_of<Matrix>>;

    product(const T* alpha, const Matrix& a, const matrix::Dense<value_of<Matrix>>& b, const T* beta,
            matrix::Dense<value_of<Matrix>>& x)
        : layout_{layout_of(a)},
          num_rows_{x.get_size()[0]},
          num_rhs_{x.get_size()[1]},
          has_cols_{a.get_size()[1] > 0},
          cols_{a.get_const_col_idxs()},
          values_{as_device(a.get_const_values())},
          b_{as_device(b.get_const_values())},
          b_stride_{b.get_stride()},
          x_{as_device(x.get_values())},
          x_stride_{x.get_stride()},
          alpha_{alpha},
          beta_{beta}
    {}

    /// Multiplies this thread's rows; to be called in a parallel region, if b has one column.
    void multiply_column() const
    {
        on_vector_unit([&] {
            for_each_block([&](const row_block& block) SPRUCE_FORCE_INLINE {
                if (b_stride_ == 1) {
                    multiply_column_block(block, std::integral_constant<size_type, 1>{});
                } else {
                    multiply_column_block(block, b_stride_);
                }
            });
        });
    }

    /// Multiplies this thread's rows; to be called in a parallel region.
    void multiply_columns() const
    {
        on_vector_unit([&] {
            for_each_block([&](const row_block& block) SPRUCE_FORCE_INLINE {
                // The block stays in the cache until all groups of columns are computed.
                for_each_column_group(num_rhs_, [&](size_type first_rhs, auto width) SPRUCE_FORCE_INLINE {
                    multiply_group_block(block, first_rhs, width);
                });
            });
        });
    }

    /// Computes this thread's part of all sums; to be called in a parallel region. The sum of a row
    /// and column is sums[row * number of columns + column].
    void sum_parts(T* sums) const
    {
        on_vector_unit([&] {
            for_each_part_of_thread(
                layout_, has_cols_ ? num_rows_ : 0, [&](const row_block& block) SPRUCE_FORCE_INLINE {
                    if (block.length == 0) {
                        return;
                    }
                    constexpr size_type lanes = 64 / sizeof(T);
                    if (num_rhs_ == 1 && block.num_rows >= lanes) {
                        sum_block(block, layout_.width, cols_, values_, b_, b_stride_, sums + block.first_row);
                    } else {
                        sum_rows(block, sums);
                    }
                });
        });
    }

    /// Writes the results.
    /// @param sums  those of sum_parts()
    void finish(const parts_of_threads<T>& sums) const
    {
        for (size_type row = 0; row < num_rows_; ++row) {
            for (size_type rhs = 0; rhs < num_rhs_; ++rhs) {
                combine_into(alpha_, sums.sum(row * num_rhs_ + rhs), beta_, x_[row * x_stride_ + rhs]);
            }
        }
    }

private:
    /// Adds the entries of a block to the sums of its rows. The entries are in the cache, so it
    /// costs little to load them once for each few columns. The code has fewer widths of groups
    /// than for_each_column_group(), which makes the compilation shorter.
    SPRUCE_FORCE_INLINE void sum_rows(const row_block& block, T* sums) const
    {
        constexpr std::integral_constant<int, 4> group{};
        for_each_cached_part(block, layout_.width, [&](const row_block& part) SPRUCE_FORCE_INLINE {
            for (size_type row = 0; row < part.num_rows; ++row) {
                size_type rhs = 0;
                for (; rhs + group <= num_rhs_; rhs += group) {
                    add_row(part, row, rhs, group, sums);
                }
                for (; rhs < num_rhs_; ++rhs) {
                    add_row(part, row, rhs, std::integral_constant<int, 1>{}, sums);
                }
            }
        });
    }

    /// Adds the entries of a row of a block to its sums, for width columns of b.
    template <typename Width>
    SPRUCE_FORCE_INLINE void add_row(const row_block& block, size_type row, size_type first_rhs, Width width,
                                     T* sums) const
    {
        const auto begin = block.begin + row;
        const auto row_sums = sums + (block.first_row + row) * num_rhs_ + first_rhs;
        T part_sums[width];
        sum_row<width>(block.length, layout_.width, cols_ + begin, values_ + begin, b_ + first_rhs, b_stride_,
                       part_sums);
        for (int j = 0; j < width; ++j) {
            row_sums[j] += part_sums[j];
        }
    }

    template <typename Function>
    SPRUCE_FORCE_INLINE void for_each_block(const Function& function) const
    {
        for_each_block_of_thread(layout_, num_rows_, [&](row_block block) SPRUCE_FORCE_INLINE {
            block.length = has_cols_ ? block.length : 0;
            function(block);
        });
    }

    template <typename Stride>
    SPRUCE_FORCE_INLINE void multiply_column_block(const row_block& block, Stride stride) const
    {
        alignas(64) T sums[max_rows_in_block];
        sum_block(block, layout_.width, cols_, values_, b_, stride, sums);
        for (size_type row = 0; row < block.num_rows; ++row) {
            combine_into(alpha_, sums[row], beta_, x_[(block.first_row + row) * x_stride_]);
        }
    }

    template <typename Width>
    SPRUCE_FORCE_INLINE void multiply_group_block(const row_block& block, size_type first_rhs, Width width) const
    {
        constexpr size_type lanes = 64 / sizeof(T);
        for (size_type row = 0; row < block.num_rows; ++row) {
            const auto begin = block.begin + row;
            T sums[width]{};
            if (block.length > 0) {  // otherwise the arrays may be null
                if (row % lanes == 0) {
                    prefetch_rows(block.length, layout_.width, cols_ + begin, values_ + begin);
                }
                sum_row<width>(block.length, layout_.width, cols_ + begin, values_ + begin, b_ + first_rhs, b_stride_,
                               sums);
            }
            const auto results = x_ + (block.first_row + row) * x_stride_ + first_rhs;
            for (int j = 0; j < width; ++j) {
                combine_into(alpha_, sums[j], beta_, results[j]);
            }
        }
    }

    decltype(layout_of(std::declval<const Matrix&>())) layout_;
    size_type num_rows_;
    size_type num_rhs_;
    bool has_cols_;  // padding must not load from b if it has no rows
    const index_of<Matrix>* cols_;
    const T* values_;
    const T* b_;
    size_type b_stride_;
    T* x_;
    size_type x_stride_;
    const T* alpha_;
    const T* beta_;
};

template <typename Matrix>
void multiply(const device_type<value_of<Matrix>>* alpha, const Matrix& a, const matrix::Dense<value_of<Matrix>>& b,
              const device_type<value_of<Matrix>>* beta, matrix::Dense<value_of<Matrix>>& x)
{
    const product<Matrix> ax{alpha, a, b, beta, x};
    const auto num_rhs = x.get_size()[1];
    if (has_few_long_rows(layout_of(a), x.get_size()[0])) {
        parts_of_threads<device_type<value_of<Matrix>>> sums{x.get_size()[0] * num_rhs};
#pragma omp parallel
        ax.sum_parts(sums.get());
        ax.finish(sums);
        return;
    }
#pragma omp parallel if ((a.get_num_stored_elements() + x.get_size()[0]) * num_rhs >= min_parallel_work)
    if (num_rhs == 1) {
        ax.multiply_column();
    } else {
        ax.multiply_columns();
    }
}

template <typename Matrix>
void spmv(const OmpExecutor&, const Matrix& a, const matrix::Dense<value_of<Matrix>>& b,
          matrix::Dense<value_of<Matrix>>& x)
{
    multiply<Matrix>(nullptr, a, b, nullptr, x);
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
    } else {
        multiply<Matrix>(&alpha_value, a, b, is_zero(beta_value) ? nullptr : &beta_value, x);
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
/// cache until all of it is used (doc/tuning/cpu.md).
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

/// Counts the entries of a block.
template <typename I>
SPRUCE_FORCE_INLINE inline void count_entries_of_block(const row_block& block, size_type width, const I* all_cols,
                                                       I* counts)
{
    std::fill_n(counts, block.num_rows, I{});
    for (size_type i = 0; i < block.length; ++i) {
        const auto cols = all_cols + block.begin + i * width;
#pragma omp simd
        for (size_type r = 0; r < block.num_rows; ++r) {
            counts[r] += cols[r] != matrix::padding_column ? 1 : 0;
        }
    }
}

/// Counts the entries of each thread's part of the rows.
template <typename Matrix>
parts_of_threads<index_of<Matrix>> count_entries_of_parts(const Matrix& a)
{
    parts_of_threads<index_of<Matrix>> counts{a.get_size()[0]};
#pragma omp parallel
    for_each_part_of_thread(layout_of(a), a.get_size()[0], [&](const row_block& block) {
        count_entries_of_block(block, layout_of(a).width, a.get_const_col_idxs(), counts.get() + block.first_row);
    });
    return counts;
}

template <typename Matrix>
void count_entries(const OmpExecutor&, const Matrix& a, index_of<Matrix>* counts)
{
    const auto layout = layout_of(a);
    if (has_few_long_rows(layout, a.get_size()[0])) {
        const auto parts = count_entries_of_parts(a);
        for (size_type row = 0; row < a.get_size()[0]; ++row) {
            counts[row] = parts.sum(row);
        }
        return;
    }
#pragma omp parallel if (a.get_num_stored_elements() >= min_parallel_work)
    for_each_block_of_thread(layout, a.get_size()[0], [&](const row_block& block) {
        count_entries_of_block(block, layout.width, a.get_const_col_idxs(), counts + block.first_row);
    });
}

/// Converts few long rows to compressed rows by parts, whose entries are counted first.
template <typename Matrix>
void convert_long_rows_to_csr(const Matrix& a, const index_of<Matrix>* row_ptrs, index_of<Matrix>* col_idxs,
                              value_of<Matrix>* values)
{
    const auto layout = layout_of(a);
    auto targets = count_entries_of_parts(a);
    targets.scan([&](size_type row) { return row_ptrs[row]; });
#pragma omp parallel
    for_each_part_of_thread(layout, a.get_size()[0], [&](const row_block& block) {
        for_each_cached_part(block, layout.width, [&](const row_block& part) {
            for (size_type r = 0; r < part.num_rows; ++r) {
                auto& target = targets.get()[part.first_row + r];
                auto next = target;
                for (size_type i = 0; i < part.length; ++i) {
                    const auto position = part.begin + i * layout.width + r;
                    const auto col = a.get_const_col_idxs()[position];
                    if (col != matrix::padding_column) {
                        col_idxs[next] = col;
                        values[next] = a.get_const_values()[position];
                        ++next;
                    }
                }
                target = next;
            }
        });
    });
}

/// Converts a to compressed rows, by groups of rows.
///
/// The entries of a column of a group are contiguous and fill whole cache lines. A few columns of
/// the current rows are prefetched. More of them would not fit: if their distance is a multiple of
/// a page, all of them map to a few lines of the cache (doc/tuning/cpu.md).
template <typename Matrix>
void convert_to_csr(const OmpExecutor&, const Matrix& a, const index_of<Matrix>* row_ptrs, index_of<Matrix>* col_idxs,
                    value_of<Matrix>* values)
{
    constexpr size_type group = 32;
    constexpr size_type columns_ahead = 8;
    const auto layout = layout_of(a);
    if (has_few_long_rows(layout, a.get_size()[0])) {
        convert_long_rows_to_csr(a, row_ptrs, col_idxs, values);
        return;
    }
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

template <typename Matrix>
void extract_diagonal(const OmpExecutor& exec, const Matrix& a, matrix::Diagonal<value_of<Matrix>>& d)
{
    const auto layout = layout_of(a);
    const auto num_rows = d.get_size()[0];
    if (!has_few_long_rows(layout, a.get_size()[0])) {
        extract_diagonal_by_rows(exec, a, d);
        return;
    }
    using T = device_type<value_of<Matrix>>;
    const auto cols = a.get_const_col_idxs();
    const auto values = as_device(a.get_const_values());
    parts_of_threads<T> sums{num_rows};
#pragma omp parallel
    for_each_part_of_thread(layout, num_rows, [&](const row_block& block) {
        const auto block_sums = sums.get() + block.first_row;
        for (size_type i = 0; i < block.length; ++i) {
            const auto position = block.begin + i * layout.width;
            for (size_type r = 0; r < block.num_rows; ++r) {
                if (cols[position + r] == static_cast<index_of<Matrix>>(block.first_row + r)) {
                    block_sums[r] += values[position + r];
                }
            }
        }
    });
    for (size_type row = 0; row < num_rows; ++row) {
        as_device(d.get_values())[row] += sums.sum(row);
    }
}

}  // namespace padded_rows
}  // namespace spruce::kernels::omp
