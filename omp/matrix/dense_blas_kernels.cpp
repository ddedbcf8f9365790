// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/dense_blas_kernels.hpp"

#include <algorithm>
#include <cmath>

#include "core/matrix/dense_kernels.hpp"
#include "omp/base/register.hpp"
#include "omp/components/multiply_add.hpp"
#include "omp/components/partition.hpp"
#include "omp/components/scale.hpp"

// Computes products with transposed, symmetric and triangular matrices.
namespace spruce::kernels::omp {
namespace dense {

using blas::transposition;
using blas::triangle;
using kernels::dense::mirroring;
using kernels::dense::output_triangle;
using matrix::Dense;

/// Returns entry (row, col) of op(x), where op is known at compile time.
template <transposition op, typename V>
struct operand {
    V operator()(size_type row, size_type col) const
    {
        if constexpr (op == transposition::none) {
            return values[row * stride + col];
        } else if constexpr (op == transposition::transpose) {
            return values[col * stride + row];
        } else {
            return spruce::conj(values[col * stride + row]);
        }
    }
    const V* values;
    size_type stride;
};

/// Size of the blocks of c whose sums are in registers.
constexpr size_type block_size = 4;

template <size_type rows, size_type cols, typename A, typename B, typename Finish>
inline void multiply_block(const A& a, const B& b, size_type depth, size_type row, size_type col, const Finish& finish)
{
    using V = decltype(a(row, col));
    V sums[rows][cols]{};
    for (size_type k = 0; k < depth; ++k) {
        for (size_type i = 0; i < rows; ++i) {
            for (size_type j = 0; j < cols; ++j) {
                sums[i][j] = multiply_add(a(row + i, k), b(k, col + j), sums[i][j]);
            }
        }
    }
    for (size_type i = 0; i < rows; ++i) {
        for (size_type j = 0; j < cols; ++j) {
            finish(row + i, col + j, sums[i][j]);
        }
    }
}

bool is_in(output_triangle part, size_type row, size_type col)
{
    return part == output_triangle::all || (part == output_triangle::lower ? col <= row : row <= col);
}

template <typename A, typename B, typename Finish>
void multiply(const A& a, const B& b, size_type depth, const dim<2>& size, output_triangle part, const Finish& finish)
{
    const auto blocks_per_row = (size[1] + block_size - 1) / block_size;
    const auto num_blocks = (size[0] + block_size - 1) / block_size * blocks_per_row;
    // Blocks beyond the triangle cost nothing. Blocks are therefore distributed cyclically.
#pragma omp parallel for schedule(static, 16) if (size[0] * size[1] * depth >= min_parallel_work)
    for (size_type block = 0; block < num_blocks; ++block) {
        const auto row = block / blocks_per_row * block_size;
        const auto col = block % blocks_per_row * block_size;
        const auto last_row = std::min(row + block_size, size[0]);
        const auto last_col = std::min(col + block_size, size[1]);
        if (!is_in(part, part == output_triangle::lower ? last_row - 1 : row,
                   part == output_triangle::upper ? last_col - 1 : col)) {
            continue;
        }
        if (last_row - row == block_size && last_col - col == block_size) {
            multiply_block<block_size, block_size>(a, b, depth, row, col, finish);
            continue;
        }
        for (auto i = row; i < last_row; ++i) {
            for (auto j = col; j < last_col; ++j) {
                multiply_block<1, 1>(a, b, depth, i, j, finish);
            }
        }
    }
}

/// Calls function with an operand whose op is a compile-time constant.
template <typename V, typename Function>
void with_operand(const Dense<V>& x, transposition op, Function function)
{
    const auto values = x.get_const_values();
    const auto stride = x.get_stride();
    if (op == transposition::none) {
        function(operand<transposition::none, V>{values, stride});
    } else if (op == transposition::transpose || !is_complex<V>()) {
        function(operand<transposition::transpose, V>{values, stride});
    } else {
        function(operand<transposition::conj_transpose, V>{values, stride});
    }
}

template <typename V>
void gemm(const OmpExecutor& exec, const Dense<V>& alpha, const Dense<V>& a, transposition op_a, const Dense<V>& b,
          transposition op_b, const Dense<V>& beta, Dense<V>& c, output_triangle part, blas::implementation which)
{
    if (which == blas::implementation::vendor) {
        throw NotSupported(__FILE__, __LINE__, "the vendor's product of dense matrices", "OmpExecutor");
    }
    if (op_a == transposition::none && op_b == transposition::none && part == output_triangle::all) {
        kernels::dense::apply<V>(exec, alpha, a, b, beta, c);
        return;
    }
    const auto alpha_value = alpha.at(0, 0);
    const auto beta_value = beta.at(0, 0);
    const auto depth = is_zero(alpha_value) ? size_type{} : a.get_size()[op_a == transposition::none ? 1 : 0];
    const auto overwrite = is_zero(beta_value);
    with_operand(a, op_a, [&](auto left) {
        with_operand(b, op_b, [&](auto right) {
            multiply(left, right, depth, c.get_size(), part, [&](size_type row, size_type col, V sum) {
                if (is_in(part, row, col)) {
                    auto& result = c.at(row, col);
                    const auto old = overwrite ? zero<V>() : omp::multiply(beta_value, result);
                    result = is_zero(alpha_value) ? old : multiply_add(alpha_value, sum, old);
                }
            });
        });
    });
}

/// Number of rows whose entries are read together. Their products with x are added to the sums of
/// the other rows in one step.
constexpr size_type rows_at_once = 4;

/// Adds the products of the stored entries in rows first, ..., first + num_rows - 1 to sums. Each
/// entry is read once: a_ij x_j is added to sum i, and a_ij x_i to sum j.
template <size_type num_rows, bool conjugates, typename V>
void add_stored_rows(const Dense<V>& a, triangle stored, size_type first, const V* x, V* sums)
{
    constexpr size_type width = 64 / sizeof(V);
    const auto mirrored = [](V value) { return conjugates ? spruce::conj(value) : value; };
    const auto last = first + num_rows;
    const auto size = a.get_size()[0];
    const V* rows[num_rows];
    V row_sums[num_rows][width]{};
    for (size_type i = 0; i < num_rows; ++i) {
        rows[i] = a.get_const_values() + (first + i) * a.get_stride();
    }
    const auto begin = stored == triangle::lower ? size_type{} : last;
    const auto end = stored == triangle::lower ? first : size;
    const auto add = [&](size_type col, size_type lane) {
        auto sum = sums[col];
        for (size_type i = 0; i < num_rows; ++i) {
            row_sums[i][lane] = multiply_add(rows[i][col], x[col], row_sums[i][lane]);
            sum = multiply_add(mirrored(rows[i][col]), x[first + i], sum);
        }
        sums[col] = sum;
    };
    auto col = begin;
    for (; col + width <= end; col += width) {
#pragma omp simd
        for (size_type lane = 0; lane < width; ++lane) {
            add(col + lane, lane);
        }
    }
    for (; col < end; ++col) {
        add(col, 0);
    }
    for (size_type i = 0; i < num_rows; ++i) {
        for (size_type lane = 0; lane < width; ++lane) {
            sums[first + i] += row_sums[i][lane];
        }
        for (auto j = stored == triangle::lower ? first : first + i;
             j < (stored == triangle::lower ? first + i + 1 : last); ++j) {
            const auto value = rows[i][j];
            if (j == first + i) {
                sums[j] = multiply_add(conjugates ? V(spruce::real(value)) : value, x[j], sums[j]);
            } else {
                sums[first + i] = multiply_add(value, x[j], sums[first + i]);
                sums[j] = multiply_add(mirrored(value), x[first + i], sums[j]);
            }
        }
    }
}

/// Returns the number of groups of rows before the given part of a triangle. All parts have about
/// equal numbers of entries.
size_type split_triangle(size_type num_groups, triangle stored, int part, int num_parts)
{
    const auto fraction = static_cast<double>(part) / num_parts;
    const auto rows = stored == triangle::lower ? std::sqrt(fraction) : 1.0 - std::sqrt(1.0 - fraction);
    return part == num_parts ? num_groups : static_cast<size_type>(rows * static_cast<double>(num_groups));
}

template <bool conjugates, typename V>
void multiply_triangle(const Dense<V>& a, triangle stored, const V* x, range groups, V* sums)
{
    const auto size = a.get_size()[0];
    for (auto group = groups.begin; group < groups.end; ++group) {
        const auto first = group * rows_at_once;
        if (first + rows_at_once <= size) {
            add_stored_rows<rows_at_once, conjugates>(a, stored, first, x, sums);
        } else {
            for (auto row = first; row < size; ++row) {
                add_stored_rows<1, conjugates>(a, stored, row, x, sums);
            }
        }
    }
}

template <typename V>
void symv(const OmpExecutor& exec, const Dense<V>& alpha, const Dense<V>& a, triangle stored, mirroring kind,
          const Dense<V>& x, const Dense<V>& beta, Dense<V>& y)
{
    const auto alpha_value = alpha.at(0, 0);
    const auto beta_value = beta.at(0, 0);
    if (is_zero(alpha_value)) {
        scale(beta_value, y);
        return;
    }
    const auto size = a.get_size()[0];
    const auto num_groups = (size + rows_at_once - 1) / rows_at_once;
    const auto is_parallel = size * size >= min_parallel_work;
    const auto max_threads = static_cast<size_type>(is_parallel ? omp_get_max_threads() : 1);
    array<V> workspace{exec.shared_from_this(), size * (max_threads + 1)};
    const auto packed_x = workspace.get_data();
    const auto sums = packed_x + size;
#pragma omp parallel if (is_parallel)
    {
        const auto num_threads = omp_get_num_threads();
        const auto thread = omp_get_thread_num();
        const auto rows = thread_range(size);
        for (auto row = rows.begin; row < rows.end; ++row) {
            packed_x[row] = x.at(row, 0);
        }
        const auto thread_sums = sums + static_cast<size_type>(thread) * size;
        std::fill_n(thread_sums, size, zero<V>());
#pragma omp barrier
        const range groups{split_triangle(num_groups, stored, thread, num_threads),
                           split_triangle(num_groups, stored, thread + 1, num_threads)};
        if (is_complex<V>() && kind == mirroring::hermitian) {
            multiply_triangle<true>(a, stored, packed_x, groups, thread_sums);
        } else {
            multiply_triangle<false>(a, stored, packed_x, groups, thread_sums);
        }
#pragma omp barrier
        for (auto row = rows.begin; row < rows.end; ++row) {
            auto sum = sums[row];
            for (int other = 1; other < num_threads; ++other) {
                sum += sums[static_cast<size_type>(other) * size + row];
            }
            auto& result = y.at(row, 0);
            const auto old = is_zero(beta_value) ? zero<V>() : omp::multiply(beta_value, result);
            result = multiply_add(alpha_value, sum, old);
        }
    }
}

}  // namespace dense

void register_dense_blas()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        kernels::dense::gemm<V>.template set<OmpExecutor>(&dense::gemm<V>);
        kernels::dense::symv<V>.template set<OmpExecutor>(&dense::symv<V>);
    });
}

}  // namespace spruce::kernels::omp
