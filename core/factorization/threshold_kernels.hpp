// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/csr.hpp>

#include "core/base/kernel.hpp"

namespace spruce::factorization::detail {

/// Views entries of a matrix, and the size of each: the real number by which it is compared.
template <typename ValueType, typename IndexType>
struct entry_view {
    size_type num_entries;
    const IndexType* rows;
    const IndexType* cols;
    const remove_complex<ValueType>* sizes;
};

// Entries are ordered by their magnitude, a 64-bit integer whose leading bits are those of the
// absolute value of the size, as a floating-point number. NaN is larger than infinity. Only the
// bits of a mask are compared. Entries of equal magnitude are ordered by their tie rank.

/// Returns a pseudo-random number, different for all positions (i, j), i <= j, of a matrix with at
/// most 2^32 rows and columns. Therefore, if not all of the entries of equal size are chosen, those
/// that are chosen are spread over the matrix. Positions (i, j) and (j, i) have the same number, so
/// that symmetric patterns stay symmetric. The bits are mixed as by SplitMix64 (Steele, Lea and
/// Flood 2014).
template <typename IndexType>
SPRUCE_HOST_DEVICE constexpr uint64 tie_rank(IndexType row, IndexType col)
{
    const auto low = static_cast<uint64>(row < col ? row : col);
    const auto high = static_cast<uint64>(row < col ? col : row);
    auto bits = ((low << 32) ^ high) + 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
}

/// Describes the largest entries: those of a greater magnitude than that of the threshold, and
/// those of the same magnitude whose tie rank is at least that of the threshold.
struct entry_threshold {
    uint64 mask;  ///< bits of magnitudes that are compared
    uint64 magnitude;
    uint64 tie;

    SPRUCE_HOST_DEVICE constexpr bool contains(uint64 entry_magnitude, uint64 entry_tie) const
    {
        const auto masked = entry_magnitude & mask;
        return masked > magnitude || (masked == magnitude && entry_tie >= tie);
    }
};

/// The keys of compute_sort_keys() are less than this number.
constexpr auto bound_of_sort_keys = size_type{1} << 31;

constexpr int bits_of_bucket = 11;
constexpr int num_buckets = 1 << bits_of_bucket;

/// Describes buckets for entries of a triangle. The bucket is a digit of the magnitude or of the
/// tie rank: the bits_of_bucket bits after the first num_known ones. Entries whose first num_known
/// bits are not the known ones are in no bucket.
struct bucket_query {
    bool upper;   ///< the triangle; its diagonal is ignored
    uint64 mask;  ///< bits of magnitudes that are compared
    bool by_tie;  ///< takes digits of the tie ranks, and only entries of the given magnitude
    uint64 magnitude;
    int num_known;  ///< number of known bits, a multiple of bits_of_bucket below 64
    uint64 known;   ///< the known leading bits, followed by zeros

    /// Returns the bucket of an entry of the triangle, or -1.
    SPRUCE_HOST_DEVICE constexpr int bucket_of(uint64 entry_magnitude, uint64 entry_tie) const
    {
        const auto masked = entry_magnitude & mask;
        if (by_tie && masked != magnitude) {
            return -1;
        }
        const auto word = by_tie ? entry_tie : masked;
        if (num_known > 0 && ((word ^ known) >> (64 - num_known)) != 0) {
            return -1;
        }
        return static_cast<int>((word << num_known) >> (64 - bits_of_bucket));
    }
};

}  // namespace spruce::factorization::detail

/// Declares kernels that choose the patterns of incomplete factors by the size of entries (Anzt,
/// Chow and Dongarra 2018).
namespace spruce::kernels::threshold {

using factorization::detail::bucket_query;
using factorization::detail::entry_threshold;
using factorization::detail::entry_view;
using matrix::Csr;

/// Replaces the values of R = A - L U by entries of factors in the pattern of R: at the places of
/// entries of the given factors, by these entries. At other places above the diagonal, r_ij
/// remains; below the diagonal, it is divided by u_jj, or l_jj for L L^H, unless that is zero. With
/// these new entries, the product of the factors is closer to A.
/// @param factors   has the pattern of L + U, or of L for L L^H, with sorted rows
/// @param diagonal  entry (i, i) of each row i of the factors
/// @param residual  contains R, or its lower triangle for L L^H
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& factors, const I* diagonal, Csr<V, I>& residual)> add_candidates{
    "threshold::add_candidates"};

/// Computes the sizes of entries of factors: |u_ij| / sqrt(|u_ii u_jj|) for i <= j, and |l_ij|
/// sqrt(|u_jj / u_ii|) for i > j, or |l_ij / l_ii| for L L^H. They are the absolute values of
/// entries in the factorization L D U of the matrix that is scaled so that all |d_ii| are 1.
/// Scaling of A from both sides by the same diagonal matrix does not change them, and entries (i,
/// j) and (j, i) of the factors of a Hermitian matrix have the same size. 1 replaces pivots that
/// are zero.
/// @param diagonal  entry (i, i) of each row i of the factors
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& factors, const I* diagonal, bool is_hermitian,
                                 remove_complex<V>* sizes)>
    compute_sizes{"threshold::compute_sizes"};

/// Adds the number of entries in each bucket to counts, which has num_buckets elements.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const entry_view<V, I>& entries, const bucket_query& query, size_type* counts)>
    count_in_buckets{"threshold::count_in_buckets"};

/// Computes flags[nz] = 1 for diagonal entries and for those entries of the lower and the upper
/// triangle that the thresholds describe, and 0 for others.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const entry_view<V, I>& entries, const entry_threshold& lower,
                                 const entry_threshold& upper, I* flags)>
    mark_largest{"threshold::mark_largest"};

/// Computes keys[nz] = 0 for diagonal entries, and for others a number that is the smaller the
/// larger the leading 32 bits of the magnitude are, and below bound_of_sort_keys.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const entry_view<V, I>& entries, I* keys)> compute_sort_keys{
    "threshold::compute_sort_keys"};

/// Computes flags[positions[i]] = 1 if element i is among the first elements of its group, or among
/// the others if are_first is false, and 0 otherwise. The elements of group g begin at
/// group_ptrs[g].
/// @param groups     the group of each element i
/// @param positions  a permutation of 0, ..., size - 1
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* group_ptrs, const I* groups, const I* positions, size_type size,
                                 size_type num_first, bool are_first, I* flags)>
    mark_in_groups{"threshold::mark_in_groups"};

}  // namespace spruce::kernels::threshold
