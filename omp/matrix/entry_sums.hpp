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

/// Represents values that are all one.
struct unit_values {};

/// Prefetches the entries that lie a page of values after entry nz, or a page of column indices if
/// there are no values. Addresses behind the arrays do no harm.
///
/// Hardware prefetchers stop at the border of a page, so without this a thread stalls at each of
/// them (doc/tuning/constants.md).
template <typename V, typename I>
inline void prefetch_entries(const I* col_idxs, const V* values, size_type nz)
{
    constexpr size_type distance = 4096 / sizeof(V);
    __builtin_prefetch(values + nz + distance);
    __builtin_prefetch(col_idxs + nz + distance);
}
template <typename I>
inline void prefetch_entries(const I* col_idxs, unit_values, size_type nz)
{
    __builtin_prefetch(col_idxs + nz + 4096 / sizeof(I));
}

/// Returns sum + values[nz] factor.
template <typename V>
SPRUCE_FORCE_INLINE inline V add_product(const V* values, size_type nz, V factor, V sum)
{
    return multiply_add(values[nz], factor, sum);
}
template <typename V>
SPRUCE_FORCE_INLINE inline V add_product(unit_values, size_type, V factor, V sum)
{
    return sum + factor;
}

/// Returns the sum of the entries begin, ..., end - 1 times one column of b. Four partial sums hide
/// the latency of the addition.
/// @tparam Stride  size_type or std::integral_constant: a constant stride of 1 saves a
///                 multiplication
template <typename Values, typename V, typename I, typename Stride>
SPRUCE_FORCE_INLINE inline V sum_entries(const I* col_idxs, Values values, size_type begin, size_type end, const V* b,
                                         Stride stride)
{
    auto sum_0 = zero<V>();
    auto sum_1 = zero<V>();
    auto sum_2 = zero<V>();
    auto sum_3 = zero<V>();
    const auto add = [&](size_type nz, V& sum) {
        sum = add_product(values, nz, b[static_cast<size_type>(col_idxs[nz]) * stride], sum);
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
/// the lanes: hence min_for_vectors_ below (doc/tuning/constants.md).
template <typename Values, typename V, typename I>
SPRUCE_FORCE_INLINE inline V sum_entries_by_vectors(const I* col_idxs, Values values, size_type begin, size_type end,
                                                    const V* b)
{
    constexpr int lanes = 8;
    V sums[lanes]{};
    auto nz = begin;
    for (; nz + lanes <= end; nz += lanes) {
        prefetch_entries(col_idxs, values, nz);
#pragma omp simd
        for (int lane = 0; lane < lanes; ++lane) {
            sums[lane] = add_product(values, nz + lane, b[col_idxs[nz + lane]], sums[lane]);
        }
    }
    for (auto half = lanes / 2; half > 0; half /= 2) {
        for (int lane = 0; lane < half; ++lane) {
            sums[lane] += sums[lane + half];
        }
    }
    return sums[0] + sum_entries(col_idxs, values, nz, end, b, std::integral_constant<size_type, 1>{});
}

/// Computes sums[j] += values[nz] b_row[j] for width columns; width may be an
/// std::integral_constant.
template <typename Width, typename Values, typename V>
SPRUCE_FORCE_INLINE inline void add_products(Width width, Values values, size_type nz, const V* b_row, V* sums)
{
#pragma omp simd
    for (int j = 0; j < width; ++j) {
        sums[j] = add_product(values, nz, b_row[j], sums[j]);
    }
}

/// Computes width sums over the entries begin, ..., end - 1; add(nz, partial_sums) adds one entry,
/// and prefetch(nz) is called before each pair of entries. Even and odd entries have partial sums
/// of their own, since one sum would wait for the latency of each addition.
template <int width, typename V, typename Prefetch, typename Add>
SPRUCE_FORCE_INLINE inline void sum_alternately(size_type begin, size_type end, const Prefetch& prefetch,
                                                const Add& add, V* sums)
{
    V even[width]{};
    V odd[width]{};
    auto nz = begin;
    for (; nz + 2 <= end; nz += 2) {
        prefetch(nz);
        add(nz, even);
        add(nz + 1, odd);
    }
    if (nz < end) {
        add(nz, even);
    }
    for (int j = 0; j < width; ++j) {
        sums[j] = even[j] + odd[j];
    }
}

/// Computes sums[0], ..., sums[width - 1]: the entries begin, ..., end - 1 times width adjacent
/// columns of b.
template <int width, typename Values, typename V, typename I>
SPRUCE_FORCE_INLINE inline void sum_entries_of_columns(const I* col_idxs, Values values, size_type begin, size_type end,
                                                       const V* b, size_type stride, V* sums)
{
    sum_alternately<width>(
        begin, end, [&](size_type nz) SPRUCE_FORCE_INLINE { prefetch_entries(col_idxs, values, nz); },
        [&](size_type nz, V* partial_sums) SPRUCE_FORCE_INLINE {
            add_products(std::integral_constant<int, width>{}, values, nz,
                         b + static_cast<size_type>(col_idxs[nz]) * stride, partial_sums);
        },
        sums);
}

/// Computes sums of entries times the columns of b, for any number of columns and any stride.
/// @tparam Values  const V* or unit_values
template <typename V, typename I, typename Values = const V*>
class column_sums {
public:
    column_sums(const I* col_idxs, Values values, const matrix::Dense<V>& b)
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
    Values values_;
    const V* b_;
    size_type stride_;
    size_type num_rhs_;
};

/// Returns true if vector_sums can compute products with b.
template <typename V>
bool is_vector(const matrix::Dense<V>& b)
{
    return b.get_size()[1] == 1 && b.get_stride() == 1;
}

/// Computes sums of entries times the only column of b, whose stride is 1.
/// @tparam Values  const V* or unit_values
template <typename V, typename I, typename Values = const V*>
class vector_sums {
public:
    vector_sums(const I* col_idxs, Values values, const matrix::Dense<V>& b)
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
    Values values_;
    const V* b_;
    size_type min_for_vectors_;  ///< length from which rows use vectors (doc/tuning/constants.md)
};

}  // namespace spruce::kernels::omp
