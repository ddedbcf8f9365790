// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/base/executor.hpp>
#include <spruce/matrix/dense.hpp>

namespace spruce::bench {

/// Provides the vendor's products of dense matrices of one type for comparison. Matrices have no
/// padding. Of symmetric and triangular matrices, the lower triangle is stored.
template <typename T>
class vendor_products {
public:
    using dense = matrix::Dense<T>;

    virtual ~vendor_products() = default;
    /// Computes c = a b, by the matrix-vector product if b has one column.
    virtual void multiply(const dense& a, const dense& b, dense& c) = 0;
    /// Computes y = a x for symmetric a.
    virtual void symv(const dense& a, const dense& x, dense& y) = 0;
    /// Computes c = a b for symmetric a.
    virtual void symm(const dense& a, const dense& b, dense& c) = 0;
    /// Computes c = a a^T.
    virtual void syrk(const dense& a, dense& c) = 0;
    /// Computes c = a b^T + b a^T.
    virtual void syr2k(const dense& a, const dense& b, dense& c) = 0;
    /// Computes b = a b for triangular a with a unit diagonal.
    virtual void trmm(const dense& a, dense& b) = 0;
};

class vendor_blas : public vendor_products<float>, public vendor_products<double> {
public:
    using vendor_products<float>::multiply;
    using vendor_products<double>::multiply;
    using vendor_products<float>::symv;
    using vendor_products<double>::symv;
    using vendor_products<float>::symm;
    using vendor_products<double>::symm;
    using vendor_products<float>::syrk;
    using vendor_products<double>::syrk;
    using vendor_products<float>::syr2k;
    using vendor_products<double>::syr2k;
    using vendor_products<float>::trmm;
    using vendor_products<double>::trmm;
};

/// Returns the products of cuBLAS, which is loaded at run time. The result is null if the executor
/// is not a CudaExecutor or the library is absent.
std::unique_ptr<vendor_blas> create_vendor_blas(const std::shared_ptr<const Executor>& exec);

}  // namespace spruce::bench
