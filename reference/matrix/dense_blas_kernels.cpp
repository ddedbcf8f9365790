// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/dense_blas_kernels.hpp"

#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace dense {

using blas::transposition;
using blas::triangle;
using kernels::dense::mirroring;
using kernels::dense::output_triangle;
using matrix::Dense;

/// Returns entry (row, col) of op(x).
template <typename V>
V entry(const Dense<V>& x, transposition op, size_type row, size_type col)
{
    switch (op) {
    case transposition::none:
        return x.at(row, col);
    case transposition::transpose:
        return x.at(col, row);
    default:
        return spruce::conj(x.at(col, row));
    }
}

/// Returns entry (row, col) of a matrix of which one triangle is stored.
template <typename V>
V entry(const Dense<V>& x, triangle stored, mirroring kind, size_type row, size_type col)
{
    if (row == col) {
        return kind == mirroring::hermitian ? V(spruce::real(x.at(row, col))) : x.at(row, col);
    }
    if ((stored == triangle::lower) == (row > col)) {
        return x.at(row, col);
    }
    if (kind == mirroring::none) {
        return zero<V>();
    }
    return kind == mirroring::hermitian ? spruce::conj(x.at(col, row)) : x.at(col, row);
}

/// Computes c = alpha sum + beta c. If alpha or beta is zero, its operand is ignored, even if it is
/// NaN.
template <typename V>
void update(const Dense<V>& alpha, V sum, const Dense<V>& beta, V& c)
{
    const auto old = is_zero(beta.at(0, 0)) ? zero<V>() : beta.at(0, 0) * c;
    c = is_zero(alpha.at(0, 0)) ? old : alpha.at(0, 0) * sum + old;
}

template <typename V>
void gemm(const ReferenceExecutor&, const Dense<V>& alpha, const Dense<V>& a, transposition op_a, const Dense<V>& b,
          transposition op_b, const Dense<V>& beta, Dense<V>& c, output_triangle part, blas::implementation which)
{
    if (which == blas::implementation::vendor) {
        throw NotSupported(__FILE__, __LINE__, "the vendor's product of dense matrices", "ReferenceExecutor");
    }
    const auto depth = a.get_size()[op_a == transposition::none ? 1 : 0];
    for (size_type row = 0; row < c.get_size()[0]; ++row) {
        for (size_type col = 0; col < c.get_size()[1]; ++col) {
            if ((part == output_triangle::lower && col > row) || (part == output_triangle::upper && col < row)) {
                continue;
            }
            auto sum = zero<V>();
            for (size_type i = 0; i < depth && is_nonzero(alpha.at(0, 0)); ++i) {
                sum += entry(a, op_a, row, i) * entry(b, op_b, i, col);
            }
            update(alpha, sum, beta, c.at(row, col));
        }
    }
}

template <typename V>
void symv(const ReferenceExecutor&, const Dense<V>& alpha, const Dense<V>& a, triangle stored, mirroring kind,
          const Dense<V>& x, const Dense<V>& beta, Dense<V>& y)
{
    const auto size = a.get_size()[0];
    for (size_type row = 0; row < size; ++row) {
        auto sum = zero<V>();
        for (size_type col = 0; col < size && is_nonzero(alpha.at(0, 0)); ++col) {
            sum += entry(a, stored, kind, row, col) * x.at(col, 0);
        }
        update(alpha, sum, beta, y.at(row, 0));
    }
}

template <typename V>
void expand_rows(const ReferenceExecutor&, const Dense<V>& a, triangle stored, mirroring kind, blas::diagonal ones,
                 size_type first_row, Dense<V>& b)
{
    for (size_type row = 0; row < b.get_size()[0]; ++row) {
        for (size_type col = 0; col < b.get_size()[1]; ++col) {
            const auto is_one = ones == blas::diagonal::unit && first_row + row == col;
            b.at(row, col) = is_one ? one<V>() : entry(a, stored, kind, first_row + row, col);
        }
    }
}

template <typename V>
void make_diagonal_real(const ReferenceExecutor&, Dense<V>& x)
{
    for (size_type i = 0; i < std::min(x.get_size()[0], x.get_size()[1]); ++i) {
        x.at(i, i) = spruce::real(x.at(i, i));
    }
}

}  // namespace dense

void register_dense_blas()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        using E = ReferenceExecutor;
        kernels::dense::gemm<V>.template set<E>(&dense::gemm<V>);
        kernels::dense::symv<V>.template set<E>(&dense::symv<V>);
        kernels::dense::expand_rows<V>.template set<E>(&dense::expand_rows<V>);
        kernels::dense::make_diagonal_real<V>.template set<E>(&dense::make_diagonal_real<V>);
    });
}

}  // namespace spruce::kernels::reference
