// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include <spruce/base/math.hpp>
#include <spruce/matrix/dense.hpp>

#include "omp/components/column_groups.hpp"
#include "omp/components/multiply_add.hpp"
#include "omp/components/vector_unit.hpp"

/// Contains the inner loops of sparse products: consecutive entries of one row times columns of b.
namespace spruce::kernels::omp {

/// Prefetches the entries that lie 4 KiB of values after entry nz. Addresses behind the arrays do
/// no harm.
///
/// Hardware prefetchers stop at the border of a page, so without this a thread stalls at each of
/// them.
template <typename V, typename I>
inline void prefetch_entries(const I* col_idxs, const V* values, size_type nz)
{
    constexpr size_type distance = 4096 / sizeof(V);
    __builtin_prefetch(values + nz + distance);
    __builtin_prefetch(col_idxs + nz + distance);
}

/// Returns the sum of the entries begin, ..., end - 1 times one column of b. Four partial sums hide
/// the latency of the addition.
/// @tparam Stride  size_type or std::integral_constant: a constant stride of 1 saves a
///                 multiplication
template <typename V, typename I, typename Stride>
SPRUCE_FORCE_INLINE inline V sum_entries(const I* col_idxs, const V* values, size_type begin, size_type end, const V* b,
                                         Stride stride)
{
    auto sum_0 = zero<V>();
    auto sum_1 = zero<V>();
    auto sum_2 = zero<V>();
    auto sum_3 = zero<V>();
    const auto add = [&](size_type nz, V& sum) {
        sum = multiply_add(values[nz], b[static_cast<size_type>(col_idxs[nz]) * stride], sum);
    };
    auto nz = begin;
    for (; nz + 4 <= end; nz += 4) {
        prefetch_entries(col_idxs, values, nz);
        add(nz, sum_0);
        add(nz + 1, sum_1);
        add(nz + 2, sum_2);
        add(nz + 3, sum_3);
    }
    if (nz < end) {
        prefetch_entries(col_idxs, values, nz);
    }
    for (; nz < end; ++nz) {
        add(nz, sum_0);
    }
    return (sum_0 + sum_1) + (sum_2 + sum_3);
}

/// Returns the sum of the entries begin, ..., end - 1 times one column of b with stride 1, by
/// vector operations with gathers.
///
/// It requires fast gathers. In short rows the gain is smaller than the cost of the final sum over
/// the lanes: hence min_for_vectors_ below.
template <typename V, typename I>
SPRUCE_FORCE_INLINE inline V sum_entries_by_vectors(const I* col_idxs, const V* values, size_type begin, size_type end,
                                                    const V* b)
{
    constexpr int lanes = 8;
    V sums[lanes]{};
    auto nz = begin;
    for (; nz + lanes <= end; nz += lanes) {
        prefetch_entries(col_idxs, values, nz);
#pragma omp simd
        for (int lane = 0; lane < lanes; ++lane) {
            sums[lane] = multiply_add(values[nz + lane], b[col_idxs[nz + lane]], sums[lane]);
        }
    }
    for (auto half = lanes / 2; half > 0; half /= 2) {
        for (int lane = 0; lane < half; ++lane) {
            sums[lane] += sums[lane + half];
        }
    }
    return sums[0] + sum_entries(col_idxs, values, nz, end, b, std::integral_constant<size_type, 1>{});
}

/// Computes sums[0], ..., sums[width - 1]: the entries begin, ..., end - 1 times width adjacent
/// columns of b.
template <int width, typename V, typename I>
SPRUCE_FORCE_INLINE inline void sum_entries_of_columns(const I* col_idxs, const V* values, size_type begin,
                                                       size_type end, const V* b, size_type stride, V* sums)
{
    V even[width]{};
    V odd[width]{};  // two sums of each column, since one would wait for the latency of each addition
    const auto add = [&](size_type nz, V* local) SPRUCE_FORCE_INLINE {
        const auto value = values[nz];
        const auto b_row = b + static_cast<size_type>(col_idxs[nz]) * stride;
#pragma omp simd
        for (int i = 0; i < width; ++i) {
            local[i] = multiply_add(value, b_row[i], local[i]);
        }
    };
    auto nz = begin;
    for (; nz + 2 <= end; nz += 2) {
        prefetch_entries(col_idxs, values, nz);
        add(nz, even);
        add(nz + 1, odd);
    }
    if (nz < end) {
        add(nz, even);
    }
    for (int i = 0; i < width; ++i) {
        sums[i] = even[i] + odd[i];
    }
}

/// Computes sums of entries times the columns of b, for any number of columns and any stride.
template <typename V, typename I>
class column_sums {
public:
    column_sums(const I* col_idxs, const V* values, const matrix::Dense<V>& b)
        : col_idxs_{col_idxs},
          values_{values},
          b_{b.get_const_values()},
          stride_{b.get_stride()},
          num_rhs_{b.get_size()[1]}
    {}

    /// Computes sums[rhs] = the sum over the entries begin, ..., end - 1 for each right-hand side.
    SPRUCE_FORCE_INLINE void operator()(size_type begin, size_type end, V* sums) const
    {
        if (num_rhs_ == 1) {
            sums[0] = sum_entries(col_idxs_, values_, begin, end, b_, stride_);
            return;
        }
        for_each_column_group(num_rhs_, [&](size_type rhs, auto width) SPRUCE_FORCE_INLINE {
            sum_entries_of_columns<width>(col_idxs_, values_, begin, end, b_ + rhs, stride_, sums + rhs);
        });
    }

private:
    const I* col_idxs_;
    const V* values_;
    const V* b_;
    size_type stride_;
    size_type num_rhs_;
};

/// Computes sums of entries times the only column of b, whose stride is 1.
template <typename V, typename I>
class vector_sums {
public:
    vector_sums(const I* col_idxs, const V* values, const matrix::Dense<V>& b)
        : col_idxs_{col_idxs},
          values_{values},
          b_{b.get_const_values()},
          min_for_vectors_{!is_complex<V>() && has_fast_gathers() ? 24 : std::numeric_limits<size_type>::max()}
    {}

    template <typename Store>
    SPRUCE_FORCE_INLINE void operator()(size_type begin, size_type end, const Store& store) const
    {
        store(0, end - begin >= min_for_vectors_
                     ? sum_entries_by_vectors(col_idxs_, values_, begin, end, b_)
                     : sum_entries(col_idxs_, values_, begin, end, b_, std::integral_constant<size_type, 1>{}));
    }

private:
    const I* col_idxs_;
    const V* values_;
    const V* b_;
    size_type min_for_vectors_;
};

}  // namespace spruce::kernels::omp
