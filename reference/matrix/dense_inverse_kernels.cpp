// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/dense_inverse_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace dense {

using matrix::Dense;

template <typename V>
void invert(const ReferenceExecutor&, remove_complex<V> tolerance, Dense<V>& a, Dense<V>& inverse, array<int64>&)
{
    const auto size = a.get_size()[0];
    remove_complex<V> largest{};
    for (size_type i = 0; i < size; ++i) {
        for (size_type j = 0; j < size; ++j) {
            largest = std::max(largest, std::abs(a.at(i, j)));
            inverse.at(i, j) = i == j ? one<V>() : zero<V>();
        }
    }
    std::vector<size_type> pivot_rows(size);
    std::vector<bool> is_pivot_row(size);
    std::vector<bool> is_left_out(size);
    for (size_type k = 0; k < size; ++k) {
        size_type pivot = size;
        for (size_type i = 0; i < size; ++i) {
            if (!is_pivot_row[i] && (pivot == size || std::abs(a.at(i, k)) > std::abs(a.at(pivot, k)))) {
                pivot = i;
            }
        }
        pivot_rows[k] = pivot;
        is_pivot_row[pivot] = true;
        is_left_out[k] = std::abs(a.at(pivot, k)) <= tolerance * largest;
        if (is_left_out[k]) {
            continue;
        }
        const auto reciprocal = one<V>() / a.at(pivot, k);
        for (size_type j = 0; j < size; ++j) {
            a.at(pivot, j) *= reciprocal;
            inverse.at(pivot, j) *= reciprocal;
        }
        for (size_type i = 0; i < size; ++i) {
            const auto factor = a.at(i, k);
            for (size_type j = 0; i != pivot && j < size; ++j) {
                a.at(i, j) -= factor * a.at(pivot, j);
                inverse.at(i, j) -= factor * inverse.at(pivot, j);
            }
        }
    }
    // Row k of the inverse is in row pivot_rows[k]. Unknowns and equations that are left out are
    // zero.
    const std::vector<V> rows(inverse.get_const_values(), inverse.get_const_values() + size * inverse.get_stride());
    for (size_type k = 0; k < size; ++k) {
        for (size_type j = 0; j < size; ++j) {
            const auto row = pivot_rows[k];
            const auto is_zero = is_left_out[k] || [&] {
                for (size_type l = 0; l < size; ++l) {
                    if (is_left_out[l] && pivot_rows[l] == j) {
                        return true;
                    }
                }
                return false;
            }();
            inverse.at(k, j) = is_zero ? zero<V>() : rows[row * inverse.get_stride() + j];
        }
    }
}

}  // namespace dense

void register_dense_inverse()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        kernels::dense::invert<V>.template set<ReferenceExecutor>(&dense::invert<V>);
    });
}

}  // namespace spruce::kernels::reference
