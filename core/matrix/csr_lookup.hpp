// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <limits>

#include <spruce/base/array.hpp>

#include "common/numeric/complex.hpp"

/// Finds entry (row, column) of a sparse matrix in constant time.
namespace spruce::matrix::csr {

/// Lists the types of tables in which the column indices of a row are looked up:
/// - full: the columns are consecutive, no table is necessary;
/// - bitmap: one bit for each column from the first to the last one, and for each 32 of them the
///   number of preceding bits;
/// - hash: a table of at least twice the length of the row, with linear probing.
enum class lookup_type : int32 { full, bitmap, hash };

/// Views the tables of a matrix in kernels. The table of row i is storage[offsets[i], ...,
/// offsets[i + 1] - 1]. Tables of reference are empty: its kernels search row_ptrs and col_idxs.
template <typename I>
struct lookup_view {
    /// Returns the position of the column, counted from the first entry of the row, or -1 if the
    /// row has no such entry.
    SPRUCE_HOST_DEVICE_INLINE I find(size_type row, I column) const
    {
        const auto begin = row_ptrs[row];
        const auto size = row_ptrs[row + 1] - begin;
        const auto table = storage + offsets[row];
        const auto table_size = offsets[row + 1] - offsets[row];
        if (size == 0) {
            return -1;
        }
        const auto type = static_cast<lookup_type>(types[row]);
        if (type == lookup_type::hash) {
            auto slot = slot_of(column, table_size);
            while (table[slot] >= 0 && col_idxs[begin + table[slot]] != column) {
                slot = (slot + 1) & (table_size - 1);
            }
            return table[slot];
        }
        const auto offset = column - col_idxs[begin];
        if (type == lookup_type::full) {
            return 0 <= offset && offset < size ? offset : I{-1};
        }
        const auto block = offset / block_size;
        if (offset < 0 || 2 * block >= table_size) {
            return -1;
        }
        const auto bits = static_cast<uint32>(table[2 * block]);
        const auto bit = uint32{1} << offset % block_size;
        return bits & bit ? table[2 * block + 1] + count_bits(bits & (bit - 1)) : I{-1};
    }

    /// Result of plan() for a table whose size I cannot represent. No other size is odd.
    static constexpr I too_large = std::numeric_limits<I>::max();

    /// Chooses the type of table for a row and returns the number of elements of the table.
    SPRUCE_HOST_DEVICE_INLINE static I plan(const I* columns, I size, int32& type)
    {
        bool is_sorted = true;
        for (I i = 1; i < size; ++i) {
            is_sorted = is_sorted && columns[i - 1] < columns[i];
        }
        const auto range = is_sorted && size > 0 ? columns[size - 1] - columns[0] + 1 : I{};
        return plan(size, is_sorted, range, type);
    }

    /// Chooses the type of table for a row of this size and returns the number of elements of the
    /// table.
    /// @param is_sorted  true if the columns strictly increase
    /// @param range  number of columns from the first to the last one; only used if is_sorted is
    ///   true
    SPRUCE_HOST_DEVICE_INLINE static I plan(I size, bool is_sorted, I range, int32& type)
    {
        const auto hash_size = hash_size_for(size);
        const auto bitmap_size = 2 * (range / block_size + (range % block_size > 0 ? 1 : 0));
        if (is_sorted && range == size) {
            type = static_cast<int32>(lookup_type::full);
            return 0;
        }
        if (is_sorted && bitmap_size <= hash_size) {
            type = static_cast<int32>(lookup_type::bitmap);
            return bitmap_size;
        }
        type = static_cast<int32>(lookup_type::hash);
        return hash_size;
    }

    /// Fills the table of a row.
    SPRUCE_HOST_DEVICE_INLINE static void build(const I* columns, I size, int32 type_number, I* table, I table_size)
    {
        const auto type = static_cast<lookup_type>(type_number);
        if (type == lookup_type::bitmap) {
            I i{};
            for (I block = 0; 2 * block < table_size; ++block) {
                const auto count = i;
                uint32 bits{};
                for (; i < size && (columns[i] - columns[0]) / block_size == block; ++i) {
                    bits |= uint32{1} << (columns[i] - columns[0]) % block_size;
                }
                table[2 * block] = static_cast<I>(bits);
                table[2 * block + 1] = count;
            }
        } else if (type == lookup_type::hash) {
            for (I slot = 0; slot < table_size; ++slot) {
                table[slot] = -1;
            }
            for (I i = 0; i < size; ++i) {
                auto slot = slot_of(columns[i], table_size);
                while (table[slot] >= 0) {
                    slot = (slot + 1) & (table_size - 1);
                }
                table[slot] = i;
            }
        }
    }

    const I* row_ptrs;
    const I* col_idxs;
    const I* offsets;
    const int32* types;  ///< values of lookup_type
    const I* storage;

private:
    static constexpr I block_size = 32;  // bits per word, on every device

    /// Returns the smallest power of two that is at least 4 and at least twice the size.
    SPRUCE_HOST_DEVICE_INLINE static I hash_size_for(I size)
    {
        I result = 4;
        while (result / 2 < size) {
            if (result > too_large / 2) {
                return too_large;
            }
            result *= 2;
        }
        return result;
    }

    /// Returns the slot of a column by Fibonacci hashing (Knuth, volume 3, section 6.4). The size
    /// of the table is a power of two.
    SPRUCE_HOST_DEVICE_INLINE static I slot_of(I column, I table_size)
    {
        const auto mixed = static_cast<uint64>(static_cast<uint32>(column)) * 0x9e3779b1u >> 16;
        return static_cast<I>(mixed & static_cast<uint64>(table_size - 1));
    }

    SPRUCE_HOST_DEVICE_INLINE static I count_bits(uint32 bits)
    {
        bits -= bits >> 1 & 0x55555555u;
        bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
        return static_cast<I>(((bits + (bits >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24);
    }
};

/// Owns the tables of a matrix. They refer to the arrays of its pattern and are valid as long as
/// the pattern does not change.
template <typename I>
class SPRUCE_EXPORT lookup {
public:
    /// Builds the tables. row_ptrs and col_idxs are on exec. No row may contain a column twice.
    /// Rows with sorted columns may need less memory.
    /// @throws OverflowError  if I cannot represent the size of the tables
    lookup(std::shared_ptr<const Executor> exec, const I* row_ptrs, const I* col_idxs, size_type num_rows);

    lookup_view<I> get_view() const
    {
        return {row_ptrs_, col_idxs_, offsets_.get_const_data(), types_.get_const_data(), storage_.get_const_data()};
    }
    /// Returns the lookup_type of each row.
    const array<int32>& get_types() const { return types_; }

private:
    const I* row_ptrs_;
    const I* col_idxs_;
    array<I> offsets_;
    array<int32> types_;
    array<I> storage_;
};

}  // namespace spruce::matrix::csr
