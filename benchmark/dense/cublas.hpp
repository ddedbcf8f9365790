// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/base/executor.hpp>
#include <spruce/matrix/dense.hpp>

namespace spruce::bench {

/// The vendor's product of dense matrices, to compare with.
class vendor_blas {
public:
    virtual ~vendor_blas() = default;
    /// c = a b, by its matrix-vector product where b has one column. Matrices are without padding.
    virtual void multiply(const matrix::Dense<float>& a, const matrix::Dense<float>& b, matrix::Dense<float>& c) = 0;
    virtual void multiply(const matrix::Dense<double>& a, const matrix::Dense<double>& b, matrix::Dense<double>& c) = 0;
};

/// cuBLAS, looked up at run time; null where the executor is not CUDA's or the library is absent.
std::unique_ptr<vendor_blas> create_vendor_blas(const std::shared_ptr<const Executor>& exec);

}  // namespace spruce::bench
