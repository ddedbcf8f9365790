// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/fbcsr_kernels.hpp"

#include <algorithm>
#include <set>

#include "reference/base/register.hpp"
#include "reference/matrix/products.hpp"

namespace spruce::kernels::reference {
namespace fbcsr {

using matrix::Csr;
using matrix::Dense;
using matrix::Diagonal;
using matrix::Fbcsr;

/// Returns entry (row, rhs) of a b.
template <typename V, typename I>
V row_times_column(const Fbcsr<V, I>& a, size_type row, const Dense<V>& b, size_type rhs)
{
    const auto bs = static_cast<size_type>(a.get_block_size());
    auto sum = zero<V>();
    for (auto k = a.get_const_row_ptrs()[row / bs]; k < a.get_const_row_ptrs()[row / bs + 1]; ++k) {
        for (size_type j = 0; j < bs; ++j) {
            sum += a.get_const_values()[(k * bs + j) * bs + row % bs] * b.at(a.get_const_col_idxs()[k] * bs + j, rhs);
        }
    }
    return sum;
}

template <typename V, typename I>
void spmv(const ReferenceExecutor&, const Fbcsr<V, I>& a, const Dense<V>& b, Dense<V>& x)
{
    multiply([&](auto row, auto rhs) { return row_times_column(a, row, b, rhs); }, x);
}

template <typename V, typename I>
void advanced_spmv(const ReferenceExecutor&, const Dense<V>& alpha, const Fbcsr<V, I>& a, const Dense<V>& b,
                   const Dense<V>& beta, Dense<V>& x)
{
    multiply_add(
        alpha, [&](auto row, auto rhs) { return row_times_column(a, row, b, rhs); }, beta, x);
}

template <typename V, typename I>
void gather_blocks(const ReferenceExecutor&, const V* values, const I* positions, size_type num_blocks, int block_size,
                   kernels::fbcsr::block_copy copy_mode, V* new_values)
{
    using kernels::fbcsr::block_copy;
    const auto bs = static_cast<size_type>(block_size);
    for (size_type k = 0; k < num_blocks; ++k) {
        const auto from = values + positions[k] * bs * bs;
        const auto to = new_values + k * bs * bs;
        for (size_type i = 0; i < bs; ++i) {
            for (size_type j = 0; j < bs; ++j) {
                const auto value = copy_mode == block_copy::plain ? from[j * bs + i] : from[i * bs + j];
                to[j * bs + i] = copy_mode == block_copy::conj_transposed ? spruce::conj(value) : value;
            }
        }
    }
}

template <typename V, typename I>
void convert_to_csr(const ReferenceExecutor&, const Fbcsr<V, I>& a, Csr<V, I>& b)
{
    const auto bs = static_cast<size_type>(a.get_block_size());
    const auto row_ptrs = a.get_const_row_ptrs();
    I nz{};
    for (size_type row = 0; row < b.get_size()[0]; ++row) {
        b.get_row_ptrs()[row] = nz;
        for (auto k = row_ptrs[row / bs]; k < row_ptrs[row / bs + 1]; ++k) {
            for (size_type j = 0; j < bs; ++j) {
                b.get_col_idxs()[nz] = static_cast<I>(a.get_const_col_idxs()[k] * bs + j);
                b.get_values()[nz] = a.get_const_values()[(k * bs + j) * bs + row % bs];
                ++nz;
            }
        }
    }
    b.get_row_ptrs()[b.get_size()[0]] = nz;
}

template <typename V, typename I>
void extract_diagonal(const ReferenceExecutor&, const Fbcsr<V, I>& a, Diagonal<V>& d)
{
    const auto bs = static_cast<size_type>(a.get_block_size());
    for (size_type row = 0; row < d.get_size()[0]; ++row) {
        for (auto k = a.get_const_row_ptrs()[row / bs]; k < a.get_const_row_ptrs()[row / bs + 1]; ++k) {
            if (static_cast<size_type>(a.get_const_col_idxs()[k]) == row / bs) {
                d.get_values()[row] = a.get_const_values()[(k * bs + row % bs) * bs + row % bs];
            }
        }
    }
}

/// Returns the block columns in which a block row has entries.
template <typename V, typename I>
std::set<I> find_block_cols(const Csr<V, I>& a, size_type block_row, int block_size)
{
    const auto row_ptrs = a.get_const_row_ptrs() + block_row * block_size;
    std::set<I> block_cols;
    for (auto nz = row_ptrs[0]; nz < row_ptrs[block_size]; ++nz) {
        block_cols.insert(a.get_const_col_idxs()[nz] / block_size);
    }
    return block_cols;
}

template <typename V, typename I>
void find_blocks(const ReferenceExecutor&, const Csr<V, I>& a, int block_size, I* counts, array<char>&, bool& is_sorted)
{
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto col_idxs = a.get_const_col_idxs();
    is_sorted = true;
    for (size_type row = 0; row < a.get_size()[0]; ++row) {
        for (auto nz = row_ptrs[row] + 1; nz < row_ptrs[row + 1]; ++nz) {
            is_sorted = is_sorted && col_idxs[nz - 1] < col_idxs[nz];
        }
    }
    for (size_type block_row = 0; block_row < a.get_size()[0] / block_size; ++block_row) {
        counts[block_row] = static_cast<I>(find_block_cols(a, block_row, block_size).size());
    }
}

template <typename V, typename I>
void fill_blocks(const ReferenceExecutor&, const Csr<V, I>& a, array<char>&, Fbcsr<V, I>& b)
{
    const auto bs = static_cast<size_type>(b.get_block_size());
    const auto row_ptrs = b.get_const_row_ptrs();
    const auto columns = b.get_col_idxs();
    std::fill_n(b.get_values(), b.get_num_stored_elements(), zero<V>());
    for (size_type block_row = 0; block_row < a.get_size()[0] / bs; ++block_row) {
        const auto block_cols = find_block_cols(a, block_row, b.get_block_size());
        std::copy(block_cols.begin(), block_cols.end(), columns + row_ptrs[block_row]);
    }
    for (size_type row = 0; row < a.get_size()[0]; ++row) {
        const auto block_row = row / bs;
        for (auto nz = a.get_const_row_ptrs()[row]; nz < a.get_const_row_ptrs()[row + 1]; ++nz) {
            const auto col = a.get_const_col_idxs()[nz];
            const auto block_col = static_cast<I>(col / bs);
            const auto k =
                std::lower_bound(columns + row_ptrs[block_row], columns + row_ptrs[block_row + 1], block_col) - columns;
            b.get_values()[(k * bs + col % bs) * bs + row % bs] = a.get_const_values()[nz];
        }
    }
}

}  // namespace fbcsr

void register_fbcsr()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::fbcsr::spmv<V, I>.template set<ReferenceExecutor>(&fbcsr::spmv<V, I>);
        kernels::fbcsr::advanced_spmv<V, I>.template set<ReferenceExecutor>(&fbcsr::advanced_spmv<V, I>);
        kernels::fbcsr::gather_blocks<V, I>.template set<ReferenceExecutor>(&fbcsr::gather_blocks<V, I>);
        kernels::fbcsr::convert_to_csr<V, I>.template set<ReferenceExecutor>(&fbcsr::convert_to_csr<V, I>);
        kernels::fbcsr::extract_diagonal<V, I>.template set<ReferenceExecutor>(&fbcsr::extract_diagonal<V, I>);
        kernels::fbcsr::find_blocks<V, I>.template set<ReferenceExecutor>(&fbcsr::find_blocks<V, I>);
        kernels::fbcsr::fill_blocks<V, I>.template set<ReferenceExecutor>(&fbcsr::fill_blocks<V, I>);
    });
}

}  // namespace spruce::kernels::reference
