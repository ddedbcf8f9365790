// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <complex>
#include <vector>

#include <spruce/matrix/dense_blas.hpp>

#include "test/utils/matrices.hpp"

namespace spruce::test {

/// Dense arithmetic as in a textbook, to compare with: always complex<double>.
class plain_matrix {
public:
    using value = std::complex<double>;

    plain_matrix(size_type rows, size_type cols) : size_{rows, cols}, values_(rows * cols) {}
    template <typename V>
    explicit plain_matrix(const matrix::Dense<V>& x) : plain_matrix(x.get_size()[0], x.get_size()[1])
    {
        const auto host = clone(x.get_executor()->get_master(), &x);
        this->fill([&](size_type row, size_type col) { return value(host->at(row, col)); });
    }

    size_type rows() const { return size_[0]; }
    size_type cols() const { return size_[1]; }
    value& operator()(size_type row, size_type col) { return values_[row * size_[1] + col]; }
    value operator()(size_type row, size_type col) const { return values_[row * size_[1] + col]; }

    template <typename Function>
    plain_matrix& fill(Function function)
    {
        for (size_type row = 0; row < this->rows(); ++row) {
            for (size_type col = 0; col < this->cols(); ++col) {
                (*this)(row, col) = function(row, col);
            }
        }
        return *this;
    }

    template <typename V>
    std::unique_ptr<matrix::Dense<V>> to_dense(std::shared_ptr<const Executor> exec, size_type stride = 0) const
    {
        host_matrix data{size_};
        for (size_type row = 0; row < this->rows(); ++row) {
            for (size_type col = 0; col < this->cols(); ++col) {
                data.nonzeros.emplace_back(row, col, (*this)(row, col));
            }
        }
        return make_dense<V>(std::move(exec), data, stride);
    }

private:
    dim<2> size_;
    std::vector<value> values_;
};

inline plain_matrix operator*(const plain_matrix& a, const plain_matrix& b)
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

inline plain_matrix operator*(plain_matrix::value factor, plain_matrix x)
{
    return x.fill([&](size_type row, size_type col) { return factor * x(row, col); });
}

inline plain_matrix operator+(plain_matrix a, const plain_matrix& b)
{
    return a.fill([&](size_type row, size_type col) { return a(row, col) + b(row, col); });
}

inline plain_matrix op_of(blas::transposition op, const plain_matrix& x)
{
    if (op == blas::transposition::none) {
        return x;
    }
    return plain_matrix{x.cols(), x.rows()}.fill([&](size_type row, size_type col) {
        return op == blas::transposition::transpose ? x(col, row) : std::conj(x(col, row));
    });
}

inline bool is_in(blas::triangle t, size_type row, size_type col)
{
    return t == blas::triangle::lower ? col <= row : row <= col;
}

/// One triangle of first, and second elsewhere.
inline plain_matrix joined(blas::triangle t, const plain_matrix& first, plain_matrix second)
{
    return second.fill(
        [&](size_type row, size_type col) { return is_in(t, row, col) ? first(row, col) : second(row, col); });
}

/// The triangle mirrored as op says; of a Hermitian matrix, the real parts of the diagonal.
inline plain_matrix mirrored(blas::triangle t, blas::transposition op, const plain_matrix& x)
{
    auto result = joined(t, x, op_of(op, x));
    for (size_type i = 0; i < x.rows() && op == blas::transposition::conj_transpose; ++i) {
        result(i, i) = result(i, i).real();
    }
    return result;
}

}  // namespace spruce::test
