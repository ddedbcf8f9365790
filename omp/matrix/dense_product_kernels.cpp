// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>

#include "core/matrix/dense_kernels.hpp"
#include "omp/base/register.hpp"
#include "omp/components/multiply_add.hpp"
#include "omp/components/partition.hpp"
#include "omp/components/scale.hpp"

// Computes products and transposes of dense matrices and finds their nonzeros. The element-wise
// kernels are in common/unified and shared by all backends.
namespace spruce::kernels::omp {
namespace dense {

/// Size of a block of c that is computed at a time with its sums in registers.
constexpr size_type block_rows = 4;
constexpr size_type block_cols = 4;

/// Calls finish(c_ij, (a b)_ij) for a block of num_rows x num_cols entries from (row, col) on.
template <size_type num_rows, size_type num_cols, typename V, typename Finish>
inline void multiply_block(const matrix::Dense<V>& a, const matrix::Dense<V>& b, matrix::Dense<V>& c, size_type row,
                           size_type col, const Finish& finish)
{
    const auto a_stride = a.get_stride();
    const auto b_stride = b.get_stride();
    const auto a_values = a.get_const_values();
    const auto b_values = b.get_const_values();
    V sums[num_rows][num_cols]{};
    for (size_type k = 0; k < a.get_size()[1]; ++k) {
        for (size_type i = 0; i < num_rows; ++i) {
            for (size_type j = 0; j < num_cols; ++j) {
                sums[i][j] =
                    multiply_add(a_values[(row + i) * a_stride + k], b_values[k * b_stride + col + j], sums[i][j]);
            }
        }
    }
    for (size_type i = 0; i < num_rows; ++i) {
        for (size_type j = 0; j < num_cols; ++j) {
            finish(c.get_values()[(row + i) * c.get_stride() + col + j], sums[i][j]);
        }
    }
}

/// Multiplies a block of at most block_cols columns, of which there are fewer at the edge of c.
template <size_type num_rows, typename V, typename Finish>
inline void multiply_columns(const matrix::Dense<V>& a, const matrix::Dense<V>& b, matrix::Dense<V>& c, size_type row,
                             size_type col, const Finish& finish)
{
    if (col + block_cols <= c.get_size()[1]) {
        multiply_block<num_rows, block_cols>(a, b, c, row, col, finish);
        return;
    }
    for (; col < c.get_size()[1]; ++col) {
        multiply_block<num_rows, 1>(a, b, c, row, col, finish);
    }
}

template <typename V, typename Finish>
void multiply_with(const matrix::Dense<V>& a, const matrix::Dense<V>& b, matrix::Dense<V>& c, const Finish& finish)
{
    const auto num_rows = c.get_size()[0];
    const auto num_cols = c.get_size()[1];
    const auto blocks_per_row = (num_cols + block_cols - 1) / block_cols;
    const auto num_blocks = (num_rows + block_rows - 1) / block_rows * blocks_per_row;
#pragma omp parallel if (num_rows * num_cols * a.get_size()[1] >= min_parallel_work)
    {
        const auto blocks = thread_range(num_blocks);
        for (auto block = blocks.begin; block < blocks.end; ++block) {
            auto row = block / blocks_per_row * block_rows;
            const auto col = block % blocks_per_row * block_cols;
            if (row + block_rows <= num_rows) {
                multiply_columns<block_rows>(a, b, c, row, col, finish);
            } else {
                for (; row < num_rows; ++row) {
                    multiply_columns<1>(a, b, c, row, col, finish);
                }
            }
        }
    }
}

template <typename V>
void simple_apply(const OmpExecutor&, const matrix::Dense<V>& a, const matrix::Dense<V>& b, matrix::Dense<V>& c)
{
    multiply_with(a, b, c, [](V& result, V sum) { result = sum; });
}

template <typename V>
void apply(const OmpExecutor&, const matrix::Dense<V>& alpha, const matrix::Dense<V>& a, const matrix::Dense<V>& b,
           const matrix::Dense<V>& beta, matrix::Dense<V>& c)
{
    const auto alpha_value = alpha.at(0, 0);
    const auto beta_value = beta.at(0, 0);
    if (is_zero(alpha_value)) {
        scale(beta_value, c);
        return;
    }
    const auto overwrite = is_zero(beta_value);
    multiply_with(a, b, c, [=](V& result, V sum) {
        result = multiply_add(alpha_value, sum, overwrite ? zero<V>() : multiply(beta_value, result));
    });
}

/// Computes y_ji = transform(x_ij) by square tiles. A tile stays in the cache while it is read by
/// rows and written by columns.
template <typename V, typename Transform>
void transpose_with(const matrix::Dense<V>& x, matrix::Dense<V>& y, Transform transform)
{
    constexpr size_type tile_size = 32;
    const auto num_rows = x.get_size()[0];
    const auto num_cols = x.get_size()[1];
    const auto x_values = x.get_const_values();
    const auto y_values = y.get_values();
    const auto x_stride = x.get_stride();
    const auto y_stride = y.get_stride();
    const auto tiles_per_row = (num_cols + tile_size - 1) / tile_size;
    const auto num_tiles = (num_rows + tile_size - 1) / tile_size * tiles_per_row;
#pragma omp parallel if (num_rows * num_cols >= min_parallel_work)
    {
        const auto tiles = thread_range(num_tiles);
        for (auto tile = tiles.begin; tile < tiles.end; ++tile) {
            const auto first_row = tile / tiles_per_row * tile_size;
            const auto first_col = tile % tiles_per_row * tile_size;
            for (auto row = first_row; row < std::min(first_row + tile_size, num_rows); ++row) {
                for (auto col = first_col; col < std::min(first_col + tile_size, num_cols); ++col) {
                    y_values[col * y_stride + row] = transform(x_values[row * x_stride + col]);
                }
            }
        }
    }
}

template <typename V>
void transpose(const OmpExecutor&, const matrix::Dense<V>& x, matrix::Dense<V>& y)
{
    transpose_with(x, y, [](V value) { return value; });
}

template <typename V>
void conj_transpose(const OmpExecutor&, const matrix::Dense<V>& x, matrix::Dense<V>& y)
{
    transpose_with(x, y, [](V value) { return spruce::conj(value); });
}

/// Calls function(row) for all rows, which are distributed evenly.
template <typename V, typename Function>
void for_each_row(const matrix::Dense<V>& x, Function function)
{
#pragma omp parallel if (x.get_size()[0] * x.get_size()[1] >= min_parallel_work)
    {
        const auto rows = thread_range(x.get_size()[0]);
        for (auto row = rows.begin; row < rows.end; ++row) {
            function(row);
        }
    }
}

template <typename V, typename I>
void count_nonzeros_per_row(const OmpExecutor&, const matrix::Dense<V>& x, I* counts)
{
    for_each_row(x, [&](size_type row) {
        I count{};
        for (size_type col = 0; col < x.get_size()[1]; ++col) {
            count += is_nonzero(x.at(row, col)) ? 1 : 0;
        }
        counts[row] = count;
    });
}

template <typename V, typename I>
void collect_nonzeros(const OmpExecutor&, const matrix::Dense<V>& x, const I* row_ptrs, I* col_idxs, V* values)
{
    for_each_row(x, [&](size_type row) {
        auto nz = row_ptrs[row];
        for (size_type col = 0; col < x.get_size()[1]; ++col) {
            if (is_nonzero(x.at(row, col))) {
                col_idxs[nz] = static_cast<I>(col);
                values[nz] = x.at(row, col);
                ++nz;
            }
        }
    });
}

}  // namespace dense

void register_dense_product()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        using E = OmpExecutor;
        kernels::dense::simple_apply<V>.template set<E>(&dense::simple_apply<V>);
        kernels::dense::apply<V>.template set<E>(&dense::apply<V>);
        kernels::dense::transpose<V>.template set<E>(&dense::transpose<V>);
        kernels::dense::conj_transpose<V>.template set<E>(&dense::conj_transpose<V>);
        for_each_index_type([](auto index) {
            using I = typename decltype(index)::type;
            kernels::dense::count_nonzeros_per_row<V, I>.template set<E>(&dense::count_nonzeros_per_row<V, I>);
            kernels::dense::collect_nonzeros<V, I>.template set<E>(&dense::collect_nonzeros<V, I>);
        });
    });
}

}  // namespace spruce::kernels::omp
