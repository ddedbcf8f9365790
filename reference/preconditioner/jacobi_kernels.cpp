// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/preconditioner/jacobi_kernels.hpp"

#include <algorithm>
#include <vector>

#include "reference/base/register.hpp"
#include "reference/preconditioner/reduced_storage.hpp"

namespace spruce::kernels::reference {
namespace jacobi {

using matrix::Csr;
using matrix::Dense;
using spruce::preconditioner::block_storage_scheme;
using spruce::preconditioner::detail::block_diagonal;
using spruce::preconditioner::detail::block_row;
using spruce::preconditioner::detail::inversion_flags;

/// Returns true if two rows have equal columns.
template <typename V, typename I>
bool have_equal_columns(const Csr<V, I>& a, size_type row, size_type other)
{
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto cols = a.get_const_col_idxs();
    return std::equal(cols + row_ptrs[row], cols + row_ptrs[row + 1], cols + row_ptrs[other],
                      cols + row_ptrs[other + 1]);
}

template <typename V, typename I>
void find_blocks(const ReferenceExecutor&, const Csr<V, I>& a, size_type max_block_size, array<I>& block_ptrs)
{
    const auto size = a.get_size()[0];
    std::vector<I> ptrs{0};
    for (size_type part = 0; part < size;) {
        auto end = part + 1;
        while (end < size && end - part < max_block_size && have_equal_columns(a, end - 1, end)) {
            ++end;
        }
        if (end - static_cast<size_type>(ptrs.back()) > max_block_size) {
            ptrs.push_back(static_cast<I>(part));
        }
        part = end;
    }
    if (size > 0) {
        ptrs.push_back(static_cast<I>(size));
    }
    block_ptrs = array<I>{block_ptrs.get_executor(), ptrs.begin(), ptrs.end()};
}

template <typename V, typename I>
void divide_into_slices(const ReferenceExecutor&, block_diagonal<V, I>& blocks)
{
    const auto num_slices = blocks.get_num_slices();
    blocks.rows.resize_and_reset(blocks.num_rows);
    blocks.slice_ptrs.resize_and_reset(num_slices + 1);
    const auto slice_ptrs = blocks.slice_ptrs.get_data();
    std::vector<int64> widths(num_slices);
    for (size_type block = 0; block < blocks.get_num_blocks(); ++block) {
        const auto begin = blocks.block_ptrs.get_const_data()[block];
        const auto end = blocks.block_ptrs.get_const_data()[block + 1];
        for (auto row = begin; row < end; ++row) {
            blocks.rows.get_data()[row] =
                block_row{static_cast<uint8>(row - begin), static_cast<uint8>(end - begin), 0};
            auto& width = widths[static_cast<size_type>(row) / 32];
            width = std::max<int64>(width, end - begin);
        }
    }
    slice_ptrs[0] = 0;
    for (size_type slice = 0; slice < num_slices; ++slice) {
        slice_ptrs[slice + 1] = slice_ptrs[slice] + 32 * widths[slice];
    }
    blocks.values.resize_and_reset(static_cast<size_type>(slice_ptrs[num_slices]));
}

/// Calls function(first row, size) for each block.
template <typename V, typename I, typename Function>
void for_each_block(const block_diagonal<V, I>& blocks, Function function)
{
    const auto ptrs = blocks.block_ptrs.get_const_data();
    for (size_type block = 0; block < blocks.get_num_blocks(); ++block) {
        if (blocks.is_scalar) {
            function(block, size_type{1});
        } else {
            function(static_cast<size_type>(ptrs[block]), static_cast<size_type>(ptrs[block + 1] - ptrs[block]));
        }
    }
}

template <typename V, typename I>
V& entry_of(block_diagonal<V, I>& blocks, size_type row, size_type j)
{
    return blocks.values.get_data()[blocks.get_scheme().get_offset(row, j)];
}
template <typename V, typename I>
const V& entry_of(const block_diagonal<V, I>& blocks, size_type row, size_type j)
{
    return blocks.values.get_const_data()[blocks.get_scheme().get_offset(row, j)];
}

template <typename V, typename I>
void extract(const ReferenceExecutor&, const Csr<V, I>& a, block_diagonal<V, I>& blocks)
{
    std::fill_n(blocks.values.get_data(), blocks.values.get_size(), zero<V>());
    for_each_block(blocks, [&](size_type begin, size_type size) {
        for (auto row = begin; row < begin + size; ++row) {
            for (auto nz = a.get_const_row_ptrs()[row]; nz < a.get_const_row_ptrs()[row + 1]; ++nz) {
                const auto col = static_cast<size_type>(a.get_const_col_idxs()[nz]);
                if (col >= begin && col < begin + size) {
                    entry_of(blocks, row, col - begin) += a.get_const_values()[nz];
                }
            }
        }
    });
}

template <typename V, typename I>
void absolute_off_block(const ReferenceExecutor&, const Csr<V, I>& a, const block_diagonal<V, I>& blocks, V* off_block)
{
    for_each_block(blocks, [&](size_type begin, size_type size) {
        for (auto row = begin; row < begin + size; ++row) {
            for (auto nz = a.get_const_row_ptrs()[row]; nz < a.get_const_row_ptrs()[row + 1]; ++nz) {
                const auto col = static_cast<size_type>(a.get_const_col_idxs()[nz]);
                const auto is_in_block = col >= begin && col < begin + size;
                off_block[nz] = is_in_block ? zero<V>() : V{std::abs(a.get_const_values()[nz])};
            }
        }
    });
}

template <typename V, typename I>
void add_to_diagonal(const ReferenceExecutor&, const Dense<V>& d, block_diagonal<V, I>& blocks)
{
    for_each_block(blocks, [&](size_type begin, size_type size) {
        for (size_type i = 0; i < size; ++i) {
            entry_of(blocks, begin + i, i) += d.at(begin + i, 0);
        }
    });
}

/// Computes the inverse of an n x n matrix by elimination of [A I] with exchanges of rows.
template <typename V>
std::vector<std::vector<V>> inverse_of(std::vector<std::vector<V>> a)
{
    const auto n = a.size();
    for (size_type row = 0; row < n; ++row) {
        a[row].resize(2 * n);
        a[row][n + row] = one<V>();
    }
    for (size_type step = 0; step < n; ++step) {
        auto pivot = step;
        for (auto row = step; row < n; ++row) {
            pivot = std::abs(a[row][step]) > std::abs(a[pivot][step]) ? row : pivot;
        }
        std::swap(a[pivot], a[step]);
        const auto diagonal = a[step][step];
        for (auto& value : a[step]) {
            value /= diagonal;
        }
        for (size_type row = 0; row < n; ++row) {
            const auto factor = a[row][step];
            for (size_type col = step; row != step && col < 2 * n; ++col) {
                a[row][col] -= factor * a[step][col];
            }
        }
    }
    for (auto& row : a) {
        row.erase(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(n));
    }
    return a;
}

template <typename V, typename I>
void compute_norms(const ReferenceExecutor&, block_diagonal<V, I>& blocks, size_type offset, bool with_largest)
{
    const auto norms = blocks.norms.get_data() + offset;
    for_each_block(blocks, [&](size_type begin, size_type size) {
        for (size_type col = 0; col < size; ++col) {
            remove_complex<V> sum{};
            remove_complex<V> largest{};
            for (size_type i = 0; i < size; ++i) {
                sum += std::abs(entry_of(blocks, begin + i, col));
                largest = std::max<remove_complex<V>>(largest, std::abs(entry_of(blocks, begin + i, col)));
            }
            norms[begin + col] = sum;
            if (with_largest) {
                norms[blocks.num_rows + begin + col] = largest;
            }
        }
    });
}

template <typename V, typename I>
void choose_formats(const ReferenceExecutor&, block_diagonal<V, I>& blocks, remove_complex<V> accuracy)
{
    const auto num_rows = blocks.num_rows;
    const auto norms = blocks.norms.get_const_data();
    const auto formats = blocks.formats.get_data();
    std::fill_n(formats, blocks.get_num_slices(), precision_reduction::autodetect());
    size_type block = 0;
    for_each_block(blocks, [&](size_type begin, size_type size) {
        const auto largest_of = [&](size_type offset) {
            return *std::max_element(norms + offset + begin, norms + offset + begin + size);
        };
        blocks.conditioning.get_data()[block] = largest_of(0) * largest_of(num_rows);
        const auto request = blocks.requested.get_const_data()[blocks.requested.get_size() == 1 ? 0 : block];
        const auto chosen = choose_storage<remove_complex<V>>(request, blocks.conditioning.get_const_data()[block],
                                                              largest_of(2 * num_rows), accuracy);
        for (auto row = begin; row < begin + size; ++row) {
            formats[row / 32] = precision_reduction::common(formats[row / 32], chosen);
        }
        ++block;
    });
    block = 0;
    for_each_block(blocks, [&](size_type begin, size_type size) {
        blocks.block_formats.get_data()[block++] =
            precision_reduction::common(formats[begin / 32], formats[(begin + size - 1) / 32]);
    });
}

/// Calls function(memory, number of values, format) for each slice.
template <typename V, typename I, typename Function>
void for_each_slice(block_diagonal<V, I>& blocks, Function function)
{
    const auto ptrs = blocks.slice_ptrs.get_const_data();
    for (size_type slice = 0; slice < blocks.get_num_slices(); ++slice) {
        function(blocks.values.get_data() + ptrs[slice], static_cast<size_type>(ptrs[slice + 1] - ptrs[slice]),
                 blocks.formats.get_const_data()[slice]);
    }
}

template <typename V, typename I>
void reduce_storage(const ReferenceExecutor&, block_diagonal<V, I>& blocks)
{
    for_each_slice(blocks, [](V* memory, size_type size, precision_reduction format) {
        const std::vector<V> values(memory, memory + size);
        for (size_type i = 0; i < size; ++i) {
            store_reduced(format, values[i], memory, i);
        }
    });
}

template <typename V, typename I>
void restore_storage(const ReferenceExecutor&, block_diagonal<V, I>& blocks)
{
    for_each_slice(blocks, [](V* memory, size_type size, precision_reduction format) {
        std::vector<V> values(size);
        for (size_type i = 0; i < size; ++i) {
            values[i] = load_reduced(format, memory, i);
        }
        std::copy(values.begin(), values.end(), memory);
    });
}

template <typename V, typename I>
void find_hermitian(const ReferenceExecutor&, block_diagonal<V, I>& blocks)
{
    blocks.hermitian_rows.resize_and_reset(blocks.num_rows);
    for_each_block(blocks, [&](size_type begin, size_type size) {
        auto is_hermitian = true;
        for (size_type i = 0; i < size; ++i) {
            for (size_type j = 0; j < size; ++j) {
                is_hermitian =
                    is_hermitian && entry_of(blocks, begin + i, j) == spruce::conj(entry_of(blocks, begin + j, i));
            }
        }
        for (auto row = begin; row < begin + size; ++row) {
            blocks.rows.get_data()[row].is_halved = is_hermitian && size > 2 ? 1 : 0;
        }
    });
}

template <typename V, typename I>
void halve(const ReferenceExecutor&, block_diagonal<V, I>& blocks)
{
    for_each_block(blocks, [&](size_type begin, size_type size) {
        for (size_type i = 0; blocks.rows.get_const_data()[begin].is_halved && i < size; ++i) {
            std::vector<V> row(size);
            for (size_type j = 0; j < size; ++j) {
                row[j] = entry_of(blocks, begin + i, j);
            }
            for (size_type d = 0; d <= size / 2; ++d) {
                entry_of(blocks, begin + i, d) = row[(i + d) % size];
            }
        }
    });
}

template <typename V, typename I>
void invert(const ReferenceExecutor& exec, block_diagonal<V, I>& blocks, bool may_halve, inversion_flags& flags)
{
    if (may_halve) {
        find_hermitian(exec, blocks);
    }
    flags = {true, false};
    for_each_block(blocks, [&](size_type begin, size_type size) {
        std::vector<std::vector<V>> block(size, std::vector<V>(size));
        auto is_valid = true;
        for (size_type i = 0; i < size; ++i) {
            for (size_type j = 0; j < size; ++j) {
                block[i][j] = entry_of(blocks, begin + i, j);
                is_valid = is_valid && is_finite(block[i][j]);
            }
        }
        const auto is_taken_for_one = blocks.is_scalar && is_zero(block[0][0]);
        flags.has_replaced_zeros = flags.has_replaced_zeros || is_taken_for_one;
        const auto inverse = is_taken_for_one ? std::vector<std::vector<V>>{{one<V>()}} : inverse_of(block);
        for (size_type i = 0; i < size; ++i) {
            for (size_type j = 0; j < size; ++j) {
                entry_of(blocks, begin + i, j) = is_valid ? inverse[i][j] : nan<V>();
                flags.all_finite = flags.all_finite && is_finite(entry_of(blocks, begin + i, j));
            }
        }
    });
    if (may_halve && flags.all_finite) {
        halve(exec, blocks);
    }
}

/// Returns entry (i, j) of the block that begins at this row.
template <typename V, typename I>
V load_entry(const block_diagonal<V, I>& blocks, size_type begin, size_type size, size_type i, size_type j)
{
    const auto row = begin + i;
    if (blocks.is_scalar) {
        return entry_of(blocks, row, j);
    }
    if (blocks.formats.get_size() > 0) {
        return load_reduced(blocks.formats.get_const_data()[row / 32],
                            blocks.values.get_const_data() + blocks.slice_ptrs.get_const_data()[row / 32],
                            32 * j + row % 32);
    }
    if (blocks.rows.get_const_data()[row].is_halved == 0) {
        return entry_of(blocks, row, j);
    }
    const auto distance = (j + size - i) % size;
    return distance <= size / 2 ? entry_of(blocks, row, distance)
                                : spruce::conj(entry_of(blocks, begin + j, size - distance));
}

template <typename V, typename I>
void expand(const ReferenceExecutor&, const block_diagonal<V, I>& blocks, block_diagonal<V, I>& result)
{
    for_each_block(blocks, [&](size_type begin, size_type size) {
        for (size_type i = 0; i < size; ++i) {
            for (size_type j = 0; j < size; ++j) {
                entry_of(result, begin + i, j) = load_entry(blocks, begin, size, i, j);
            }
        }
    });
}

/// Calls function(row, col, product) for each entry of blocks b.
template <typename V, typename I, typename Function>
void for_each_product(const block_diagonal<V, I>& blocks, const Dense<V>& b, Function function)
{
    for_each_block(blocks, [&](size_type begin, size_type size) {
        for (size_type i = 0; i < size; ++i) {
            for (size_type col = 0; col < b.get_size()[1]; ++col) {
                auto sum = zero<V>();
                for (size_type j = 0; j < size; ++j) {
                    sum += load_entry(blocks, begin, size, i, j) * b.at(begin + j, col);
                }
                function(begin + i, col, sum);
            }
        }
    });
}

template <typename V, typename I>
void apply(const ReferenceExecutor&, const block_diagonal<V, I>& blocks, const Dense<V>& b, Dense<V>& x)
{
    for_each_product(blocks, b, [&](size_type row, size_type col, const V& product) { x.at(row, col) = product; });
}

template <typename V, typename I>
void advanced_apply(const ReferenceExecutor&, const Dense<V>& alpha, const block_diagonal<V, I>& blocks,
                    const Dense<V>& b, const Dense<V>& beta, Dense<V>& x)
{
    const auto a = alpha.at(0, 0);
    const auto c = beta.at(0, 0);
    for_each_product(blocks, b, [&](size_type row, size_type col, const V& product) {
        x.at(row, col) = (is_zero(a) ? zero<V>() : a * product) + (is_zero(c) ? zero<V>() : c * x.at(row, col));
    });
}

template <typename V, typename I>
void transpose(const ReferenceExecutor&, const block_diagonal<V, I>& blocks, bool conjugate,
               block_diagonal<V, I>& result)
{
    for_each_block(blocks, [&](size_type begin, size_type size) {
        for (size_type i = 0; i < size; ++i) {
            for (size_type j = 0; j < size; ++j) {
                const auto value = entry_of(blocks, begin + j, i);
                entry_of(result, begin + i, j) = conjugate ? spruce::conj(value) : value;
            }
        }
    });
}

template <typename V, typename I>
void fill_dense(const ReferenceExecutor&, const block_diagonal<V, I>& blocks, Dense<V>& result)
{
    for_each_block(blocks, [&](size_type begin, size_type size) {
        for (size_type i = 0; i < size; ++i) {
            for (size_type col = 0; col < result.get_size()[1]; ++col) {
                const auto is_in_block = col >= begin && col < begin + size;
                result.at(begin + i, col) = is_in_block ? entry_of(blocks, begin + i, col - begin) : zero<V>();
            }
        }
    });
}

template <typename V, typename I>
void hash_rows(const ReferenceExecutor&, const Csr<V, I>& a, int64* hashes)
{
    for (size_type row = 0; row < a.get_size()[0]; ++row) {
        const auto begin = a.get_const_row_ptrs()[row];
        hashes[row] = 0;
        for (auto nz = begin; nz < a.get_const_row_ptrs()[row + 1]; ++nz) {
            auto bits = static_cast<uint64>(a.get_const_col_idxs()[nz]) +
                        static_cast<uint64>(nz - begin + 1) * 0x9e3779b97f4a7c15u;
            for (int round = 0; round < 2; ++round) {
                bits = (bits ^ bits >> 32) * 0xd6e8feb86659fd93u;
            }
            hashes[row] += static_cast<int64>(bits >> 32);
        }
    }
}

template <typename V, typename I>
void has_row_hashes(const ReferenceExecutor& exec, const Csr<V, I>& a, const block_diagonal<V, I>& blocks, bool& result)
{
    std::vector<int64> hashes(blocks.num_rows);
    hash_rows(exec, a, hashes.data());
    result = std::equal(hashes.begin(), hashes.end(), blocks.row_hashes.get_const_data());
}

}  // namespace jacobi

void register_jacobi()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        using E = ReferenceExecutor;
        kernels::jacobi::find_blocks<V, I>.template set<E>(&jacobi::find_blocks<V, I>);
        kernels::jacobi::divide_into_slices<V, I>.template set<E>(&jacobi::divide_into_slices<V, I>);
        kernels::jacobi::extract<V, I>.template set<E>(&jacobi::extract<V, I>);
        kernels::jacobi::absolute_off_block<V, I>.template set<E>(&jacobi::absolute_off_block<V, I>);
        kernels::jacobi::add_to_diagonal<V, I>.template set<E>(&jacobi::add_to_diagonal<V, I>);
        kernels::jacobi::invert<V, I>.template set<E>(&jacobi::invert<V, I>);
        kernels::jacobi::compute_norms<V, I>.template set<E>(&jacobi::compute_norms<V, I>);
        kernels::jacobi::choose_formats<V, I>.template set<E>(&jacobi::choose_formats<V, I>);
        kernels::jacobi::reduce_storage<V, I>.template set<E>(&jacobi::reduce_storage<V, I>);
        kernels::jacobi::restore_storage<V, I>.template set<E>(&jacobi::restore_storage<V, I>);
        kernels::jacobi::find_hermitian<V, I>.template set<E>(&jacobi::find_hermitian<V, I>);
        kernels::jacobi::halve<V, I>.template set<E>(&jacobi::halve<V, I>);
        kernels::jacobi::expand<V, I>.template set<E>(&jacobi::expand<V, I>);
        kernels::jacobi::apply<V, I>.template set<E>(&jacobi::apply<V, I>);
        kernels::jacobi::advanced_apply<V, I>.template set<E>(&jacobi::advanced_apply<V, I>);
        kernels::jacobi::transpose<V, I>.template set<E>(&jacobi::transpose<V, I>);
        kernels::jacobi::fill_dense<V, I>.template set<E>(&jacobi::fill_dense<V, I>);
        kernels::jacobi::hash_rows<V, I>.template set<E>(&jacobi::hash_rows<V, I>);
        kernels::jacobi::has_row_hashes<V, I>.template set<E>(&jacobi::has_row_hashes<V, I>);
    });
}

}  // namespace spruce::kernels::reference
