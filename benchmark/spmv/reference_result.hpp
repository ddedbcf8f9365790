// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

namespace spruce::bench {

/// Computes the product by the reference kernels, and the magnitudes to which errors are relative.
template <typename ValueType, typename IndexType>
class reference_result {
public:
    using csr = matrix::Csr<ValueType, IndexType>;
    using dense = matrix::Dense<ValueType>;

    /// Computes the product of a and b.
    /// @param a, b  on a host
    reference_result(const csr& a, const dense& b)
        : x_{dense::create(ReferenceExecutor::create(), dim<2>{a.get_size()[0], b.get_size()[1]})},
          scale_(a.get_size()[0] * b.get_size()[1])
    {
        const auto reference = x_->get_executor();
        const auto nnz = a.get_num_stored_elements();
        const auto a_ref = csr::create_const(
            reference, a.get_size(), array<ValueType>::const_view(reference, nnz, a.get_const_values()),
            array<IndexType>::const_view(reference, nnz, a.get_const_col_idxs()),
            array<IndexType>::const_view(reference, a.get_size()[0] + 1, a.get_const_row_ptrs()));
        const auto b_ref = dense::create_const(
            reference, b.get_size(),
            array<ValueType>::const_view(reference, b.get_num_stored_elements(), b.get_const_values()), b.get_stride());
        a_ref->apply(b_ref, x_);

        const auto row_ptrs = a.get_const_row_ptrs();
        const auto num_rhs = b.get_size()[1];
        for (size_type row = 0; row < a.get_size()[0]; ++row) {
            const auto begin = static_cast<size_type>(row_ptrs[row]);
            const auto end = static_cast<size_type>(row_ptrs[row + 1]);
            longest_row_ = std::max(longest_row_, end - begin);
            for (auto nz = begin; nz < end; ++nz) {
                const auto size = static_cast<double>(std::abs(a.get_const_values()[nz]));
                const auto col = static_cast<size_type>(a.get_const_col_idxs()[nz]);
                for (size_type rhs = 0; rhs < num_rhs; ++rhs) {
                    scale_[row * num_rhs + rhs] += size * static_cast<double>(std::abs(b.at(col, rhs)));
                }
            }
        }
    }

    size_type get_longest_row() const { return longest_row_; }

    /// Returns the maximum of |x - x_ref| / sum |a| |b| over the elements of x. It is NaN if an
    /// element of x is NaN and that of x_ref is not.
    double error_of(const dense& x) const
    {
        const auto host = ReferenceExecutor::create();
        const auto x_host = spruce::clone(host, &x);
        const auto num_rhs = x.get_size()[1];
        double worst = 0;
        for (size_type row = 0; row < x.get_size()[0]; ++row) {
            for (size_type rhs = 0; rhs < num_rhs; ++rhs) {
                const auto difference = static_cast<double>(std::abs(x_host->at(row, rhs) - x_->at(row, rhs)));
                const auto error = difference == 0 ? 0 : difference / scale_[row * num_rhs + rhs];
                worst = error <= worst ? worst : error;  // NaN is kept, in contrast to std::max
                if (std::isnan(worst)) {
                    return worst;
                }
            }
        }
        return worst;
    }

    /// Returns a bound of the error by rounding. In any order, the error of a sum of n products is
    /// at most about n eps sum |a| |b| (Higham 2002, section 3.1). The reference result may have an
    /// equal error. Complex products add a factor of less than 2.
    double error_bound() const
    {
        const auto eps = static_cast<double>(std::numeric_limits<remove_complex<ValueType>>::epsilon());
        return (is_complex<ValueType>() ? 4 : 2) * static_cast<double>(longest_row_ + 2) * eps;
    }

private:
    std::unique_ptr<dense> x_;
    std::vector<double> scale_;
    size_type longest_row_{};
};

}  // namespace spruce::bench
