// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <complex>
#include <vector>

#include <spruce/matrix/dense_blas.hpp>

#include "test/utils/matrices.hpp"

namespace spruce::test {

/// Computes with dense matrices as a textbook does, for comparison: always in complex<double>.
class plain_matrix {
public:
    using value = std::complex<double>;

    plain_matrix(size_type rows, size_type cols) : size_{rows, cols}, values_(rows * cols) {}
    template <typename V>
    explicit plain_matrix(const matrix::Dense<V>& x);

    /// Returns the entries rounded to V.
    template <typename V>
    static plain_matrix rounded(const host_matrix& data)
    {
        using real = remove_complex<V>;
        plain_matrix result{data.size[0], data.size[1]};
        for (const auto& entry : data.nonzeros) {
            result(entry.row, entry.column) = {static_cast<real>(entry.value.real()),
                                               is_complex<V>() ? static_cast<real>(entry.value.imag()) : real{}};
        }
        return result;
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
    std::unique_ptr<matrix::Dense<V>> to_dense(std::shared_ptr<const Executor> exec, size_type stride = 0) const;

private:
    dim<2> size_;
    std::vector<value> values_;
};

plain_matrix operator*(const plain_matrix& a, const plain_matrix& b);
plain_matrix operator*(plain_matrix::value factor, plain_matrix x);
plain_matrix operator+(plain_matrix a, const plain_matrix& b);

plain_matrix op_of(blas::transposition op, const plain_matrix& x);

/// Returns one triangle of first, and second elsewhere.
plain_matrix joined(blas::triangle t, const plain_matrix& first, plain_matrix second);

/// Returns the triangle reflected at the diagonal, conjugated if op says so. The diagonal of a
/// Hermitian matrix is real.
plain_matrix mirrored(blas::triangle t, blas::transposition op, const plain_matrix& x);

}  // namespace spruce::test
