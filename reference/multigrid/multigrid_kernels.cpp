// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/multigrid/multigrid_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <spruce/base/math.hpp>

#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace multigrid {

using matrix::Csr;
using matrix::Dense;

template <typename V, typename I>
void scale_by_diagonal(const ReferenceExecutor&, const V* values, const I* diagonal, size_type size,
                       remove_complex<V>* scale)
{
    for (size_type i = 0; i < size; ++i) {
        scale[i] = 1 / std::sqrt(std::abs(values[diagonal[i]]));
    }
}

template <typename V, typename I>
void invert_diagonal(const ReferenceExecutor&, const V* values, const I* diagonal, size_type size, V* inverse)
{
    for (size_type i = 0; i < size; ++i) {
        inverse[i] = one<V>() / values[diagonal[i]];
    }
}

template <typename V, typename I>
void mark_strong(const ReferenceExecutor&, const Csr<V, I>& a, const remove_complex<V>* scale,
                 remove_complex<V> threshold, bool includes_row_strong, I* is_strong)
{
    for (size_type row = 0; row < a.get_size()[0]; ++row) {
        for (auto nz = a.get_const_row_ptrs()[row]; nz < a.get_const_row_ptrs()[row + 1]; ++nz) {
            const auto col = a.get_const_col_idxs()[nz];
            const auto magnitude = std::abs(a.get_const_values()[nz]);
            const auto is_large = magnitude * scale[row] * scale[col] > threshold ||
                                  (includes_row_strong && magnitude * scale[row] * scale[row] > threshold);
            is_strong[nz] = col == static_cast<I>(row) || is_large ? 1 : 0;
        }
    }
}

template <typename V, typename I>
void select_entries(const ReferenceExecutor&, const Csr<V, I>& a, const I* targets, I* row_ptrs, I* col_idxs,
                    I* sources)
{
    for (size_type row = 0; row <= a.get_size()[0]; ++row) {
        row_ptrs[row] = targets[a.get_const_row_ptrs()[row]];
    }
    for (size_type nz = 0; nz < a.get_num_stored_elements(); ++nz) {
        if (targets[nz + 1] > targets[nz]) {
            col_idxs[targets[nz]] = a.get_const_col_idxs()[nz];
            sources[targets[nz]] = static_cast<I>(nz);
        }
    }
}

template <typename V, typename I>
void lump_dropped(const ReferenceExecutor&, const Dense<V>& a_sums, const Dense<V>& f_sums, const I* diagonal,
                  Csr<V, I>& f)
{
    for (size_type row = 0; row < f.get_size()[0]; ++row) {
        auto& d = f.get_values()[diagonal[row]];
        const auto lumped = d + (a_sums.at(row, 0) - f_sums.at(row, 0));
        if (spruce::real(lumped / d) >= remove_complex<V>(0.1)) {
            d = lumped;
        }
    }
}

template <typename V, typename I>
void compute_smoothing_matrix(const ReferenceExecutor&, const Csr<V, I>& f, const I* diagonal, remove_complex<V> omega,
                              V* values)
{
    for (size_type row = 0; row < f.get_size()[0]; ++row) {
        const auto d = f.get_const_values()[diagonal[row]];
        for (auto nz = f.get_const_row_ptrs()[row]; nz < f.get_const_row_ptrs()[row + 1]; ++nz) {
            values[nz] = nz == diagonal[row] ? V{1 - omega} : -omega * (f.get_const_values()[nz] / d);
        }
    }
}

template <typename V, typename I>
void fill_tentative(const ReferenceExecutor&, const I* aggregates, size_type size, I* row_ptrs, I* col_idxs, V* values,
                    size_type& nnz)
{
    nnz = 0;
    for (size_type row = 0; row < size; ++row) {
        row_ptrs[row] = static_cast<I>(nnz);
        if (aggregates[row] >= 0) {
            col_idxs[nnz] = aggregates[row];
            values[nnz] = one<V>();
            ++nnz;
        }
    }
    row_ptrs[size] = static_cast<I>(nnz);
}

template <typename I>
void expand_blocks(const ReferenceExecutor&, const I* of_blocks, size_type block_size, size_type size, I* aggregates)
{
    for (size_type row = 0; row < size; ++row) {
        const auto block = row / block_size;
        aggregates[row] = of_blocks ? of_blocks[block] : static_cast<I>(block);
    }
}

template <typename I>
void fill_vector_columns(const ReferenceExecutor&, const I* aggregates, size_type num_rows, size_type num_vectors,
                         I* row_ptrs, I* cols)
{
    size_type entry{};
    for (size_type row = 0; row < num_rows; ++row) {
        row_ptrs[row] *= static_cast<I>(num_vectors);
        for (size_type j = 0; aggregates[row] >= 0 && j < num_vectors; ++j) {
            cols[entry++] = aggregates[row] * static_cast<I>(num_vectors) + static_cast<I>(j);
        }
    }
    row_ptrs[num_rows] = static_cast<I>(entry);
}

template <typename V, typename I>
void orthonormalize(const ReferenceExecutor&, const I* ptrs, const I* rows, size_type num_aggregates, const I* row_ptrs,
                    const Dense<V>& b, V* q, Dense<V>& r)
{
    using Real = remove_complex<V>;
    const auto num_vectors = b.get_size()[1];
    for (size_type aggregate = 0; aggregate < num_aggregates; ++aggregate) {
        const auto num_rows = static_cast<size_type>(ptrs[aggregate + 1] - ptrs[aggregate]);
        const auto members = rows + ptrs[aggregate];
        std::vector<std::vector<V>> columns(num_vectors, std::vector<V>(num_rows));
        const auto product_of = [&](size_type j, size_type l) {
            V product{};
            for (size_type i = 0; i < num_rows; ++i) {
                product += spruce::conj(columns[j][i]) * columns[l][i];
            }
            return product;
        };
        for (size_type j = 0; j < num_vectors; ++j) {
            auto& column = columns[j];
            // The squares of scaled entries neither overflow nor underflow.
            Real largest{};
            for (size_type i = 0; i < num_rows; ++i) {
                largest = std::max(largest, std::abs(b.at(members[i], j)));
            }
            for (size_type i = 0; i < num_rows; ++i) {
                column[i] = largest > 0 ? b.at(members[i], j) / largest : zero<V>();
            }
            for (size_type l = 0; l < num_vectors; ++l) {
                r.at(aggregate * num_vectors + l, j) = zero<V>();
            }
            const auto length = std::sqrt(spruce::real(product_of(j, j)));
            for (int pass = 0; pass < 2; ++pass) {
                for (size_type l = 0; l < j; ++l) {
                    const auto part = product_of(l, j);
                    r.at(aggregate * num_vectors + l, j) += part * largest;
                    for (size_type i = 0; i < num_rows; ++i) {
                        column[i] -= part * columns[l][i];
                    }
                }
            }
            const auto rest = std::sqrt(spruce::real(product_of(j, j)));
            const auto is_independent = rest > std::sqrt(std::numeric_limits<Real>::epsilon()) * length;
            for (auto& value : column) {
                value = is_independent ? value / rest : zero<V>();
            }
            r.at(aggregate * num_vectors + j, j) = is_independent ? V{rest * largest} : zero<V>();
        }
        for (size_type i = 0; i < num_rows; ++i) {
            for (size_type j = 0; j < num_vectors; ++j) {
                q[static_cast<size_type>(row_ptrs[members[i]]) + j] = columns[j][i];
            }
        }
    }
}

/// Returns the position of the diagonal entry of a row that has one.
template <typename V, typename I>
size_type find_diagonal(const Csr<V, I>& a, size_type row)
{
    const auto cols = a.get_const_col_idxs();
    const auto end = cols + a.get_const_row_ptrs()[row + 1];
    return static_cast<size_type>(std::find(cols + a.get_const_row_ptrs()[row], end, static_cast<I>(row)) - cols);
}

template <typename V, typename I>
void complete_diagonal(const ReferenceExecutor&, const Csr<V, I>& a, const Csr<V, I>& r, size_type num_vectors,
                       Csr<V, I>& coarse)
{
    using Real = remove_complex<V>;
    for (size_type first = 0; first < coarse.get_size()[0]; first += num_vectors) {
        V largest{};
        for (auto row = first; row < first + num_vectors; ++row) {
            V d{};
            for (auto nz = r.get_const_row_ptrs()[row]; nz < r.get_const_row_ptrs()[row + 1]; ++nz) {
                const auto fine_row = static_cast<size_type>(r.get_const_col_idxs()[nz]);
                d += squared_norm(r.get_const_values()[nz]) * a.get_const_values()[find_diagonal(a, fine_row)];
            }
            auto& value = coarse.get_values()[find_diagonal(coarse, row)];
            if (std::abs(value) <= 16 * std::numeric_limits<Real>::epsilon() * std::abs(d)) {
                value = d;
            }
            largest = std::abs(value) > std::abs(largest) ? value : largest;
        }
        for (auto row = first; row < first + num_vectors; ++row) {
            auto& value = coarse.get_values()[find_diagonal(coarse, row)];
            if (value == zero<V>()) {
                value = largest == zero<V>() ? a.get_const_values()[0] : largest;
            }
        }
    }
}

template <typename V>
void scale_rows(const ReferenceExecutor&, const remove_complex<V>* scale, const Dense<V>& b, Dense<V>& x)
{
    for (size_type row = 0; row < b.get_size()[0]; ++row) {
        x.at(row, 0) = scale[row] * b.at(row, 0);
    }
}

template <typename V>
void fill_random(const ReferenceExecutor&, Dense<V>& x)
{
    for (size_type row = 0; row < x.get_size()[0]; ++row) {
        auto z = (static_cast<uint64>(row) + 1) * 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        z = z ^ z >> 31;
        x.at(row, 0) = V(static_cast<remove_complex<V>>(static_cast<double>(z >> 11) * 0x1p-52 - 1.0));
    }
}

template <typename V>
void find_largest_scaled(const ReferenceExecutor&, const Dense<V>& sums, const remove_complex<V>* scale,
                         remove_complex<V>& result)
{
    result = 0;
    for (size_type row = 0; row < sums.get_size()[0]; ++row) {
        result = std::max(result, spruce::real(sums.at(row, 0)) * scale[row] * scale[row]);
    }
}

template <typename V>
void smoothing_step(const ReferenceExecutor&, const V* inverse_diagonal, const Dense<V>& r, remove_complex<V> alpha,
                    remove_complex<V> beta, bool from_zero, Dense<V>& d, Dense<V>& x)
{
    for (size_type row = 0; row < r.get_size()[0]; ++row) {
        for (size_type col = 0; col < r.get_size()[1]; ++col) {
            const auto scaled = alpha * (inverse_diagonal[row] * r.at(row, col));
            d.at(row, col) = beta == 0 ? scaled : scaled + beta * d.at(row, col);
            x.at(row, col) = from_zero ? d.at(row, col) : x.at(row, col) + d.at(row, col);
        }
    }
}

}  // namespace multigrid

void register_multigrid()
{
    using E = ReferenceExecutor;
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        kernels::multigrid::scale_rows<V>.template set<E>(&multigrid::scale_rows<V>);
        kernels::multigrid::fill_random<V>.template set<E>(&multigrid::fill_random<V>);
        kernels::multigrid::find_largest_scaled<V>.template set<E>(&multigrid::find_largest_scaled<V>);
        kernels::multigrid::smoothing_step<V>.template set<E>(&multigrid::smoothing_step<V>);
    });
    for_each_index_type([](auto type) {
        using I = typename decltype(type)::type;
        kernels::multigrid::expand_blocks<I>.template set<E>(&multigrid::expand_blocks<I>);
        kernels::multigrid::fill_vector_columns<I>.template set<E>(&multigrid::fill_vector_columns<I>);
    });
    for_each_value_and_index_type([](auto type) {
        using V = typename decltype(type)::value_type;
        using I = typename decltype(type)::index_type;
        kernels::multigrid::scale_by_diagonal<V, I>.template set<E>(&multigrid::scale_by_diagonal<V, I>);
        kernels::multigrid::invert_diagonal<V, I>.template set<E>(&multigrid::invert_diagonal<V, I>);
        kernels::multigrid::mark_strong<V, I>.template set<E>(&multigrid::mark_strong<V, I>);
        kernels::multigrid::select_entries<V, I>.template set<E>(&multigrid::select_entries<V, I>);
        kernels::multigrid::lump_dropped<V, I>.template set<E>(&multigrid::lump_dropped<V, I>);
        kernels::multigrid::compute_smoothing_matrix<V, I>.template set<E>(&multigrid::compute_smoothing_matrix<V, I>);
        kernels::multigrid::fill_tentative<V, I>.template set<E>(&multigrid::fill_tentative<V, I>);
        kernels::multigrid::orthonormalize<V, I>.template set<E>(&multigrid::orthonormalize<V, I>);
        kernels::multigrid::complete_diagonal<V, I>.template set<E>(&multigrid::complete_diagonal<V, I>);
    });
}

}  // namespace spruce::kernels::reference
