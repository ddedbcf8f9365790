// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "test/utils/plain_matrix.hpp"

namespace spruce::test {
namespace {

bool is_in(blas::triangle t, size_type row, size_type col)
{
    return t == blas::triangle::lower ? col <= row : row <= col;
}

}  // namespace

template <typename V>
plain_matrix::plain_matrix(const matrix::Dense<V>& x) : plain_matrix(x.get_size()[0], x.get_size()[1])
{
    const auto host = clone(x.get_executor()->get_master(), &x);
    this->fill([&](size_type row, size_type col) { return value(host->at(row, col)); });
}

template <typename V>
std::unique_ptr<matrix::Dense<V>> plain_matrix::to_dense(std::shared_ptr<const Executor> exec, size_type stride) const
{
    host_matrix data{size_};
    data.nonzeros.reserve(values_.size());
    for (size_type row = 0; row < this->rows(); ++row) {
        for (size_type col = 0; col < this->cols(); ++col) {
            data.nonzeros.emplace_back(row, col, (*this)(row, col));
        }
    }
    return make_dense<V>(std::move(exec), data, stride);
}

plain_matrix operator*(const plain_matrix& a, const plain_matrix& b)
{
    plain_matrix result{a.rows(), b.cols()};
    for (size_type row = 0; row < a.rows(); ++row) {
        for (size_type i = 0; i < a.cols(); ++i) {
            for (size_type col = 0; col < b.cols(); ++col) {
                result(row, col) += a(row, i) * b(i, col);
            }
        }
    }
    return result;
}

plain_matrix operator*(plain_matrix::value factor, plain_matrix x)
{
    return x.fill([&](size_type row, size_type col) { return factor * x(row, col); });
}

plain_matrix operator+(plain_matrix a, const plain_matrix& b)
{
    return a.fill([&](size_type row, size_type col) { return a(row, col) + b(row, col); });
}

plain_matrix op_of(blas::transposition op, const plain_matrix& x)
{
    if (op == blas::transposition::none) {
        return x;
    }
    return plain_matrix{x.cols(), x.rows()}.fill([&](size_type row, size_type col) {
        return op == blas::transposition::transpose ? x(col, row) : std::conj(x(col, row));
    });
}

/// Returns one triangle of first, and second elsewhere.
plain_matrix joined(blas::triangle t, const plain_matrix& first, plain_matrix second)
{
    return second.fill(
        [&](size_type row, size_type col) { return is_in(t, row, col) ? first(row, col) : second(row, col); });
}

/// Returns the triangle reflected at the diagonal, conjugated if op says so. The diagonal of a
/// Hermitian matrix is real.
plain_matrix mirrored(blas::triangle t, blas::transposition op, const plain_matrix& x)
{
    auto result = joined(t, x, op_of(op, x));
    for (size_type i = 0; i < x.rows() && op == blas::transposition::conj_transpose; ++i) {
        result(i, i) = result(i, i).real();
    }
    return result;
}

#define SPRUCE_TEST_PLAIN_MATRIX(_value)                                                                               \
    template plain_matrix::plain_matrix(const matrix::Dense<_value>&);                                                 \
    template std::unique_ptr<matrix::Dense<_value>> plain_matrix::to_dense(std::shared_ptr<const Executor>, size_type) \
        const

SPRUCE_TEST_PLAIN_MATRIX(float);
SPRUCE_TEST_PLAIN_MATRIX(double);
SPRUCE_TEST_PLAIN_MATRIX(std::complex<float>);
SPRUCE_TEST_PLAIN_MATRIX(std::complex<double>);

}  // namespace spruce::test
