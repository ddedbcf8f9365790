// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <limits>

#include <spruce/base/array.hpp>

#include "common/numeric/complex.hpp"

/// Finding entry (row, column) of a sparse matrix in constant time.
namespace spruce::matrix::csr {

/// How a row is looked up:
/// - full: its columns follow one another without a gap;
/// - bitmap: a bit for each column between the first and the last one, and for each 32 of them the number of bits before;
/// - hash: a table at least twice as long as the row, with linear probing.
enum class lookup_type : int32 { full, bitmap, hash };

/// What kernels use. Row i's table is storage[offsets[i], ..., offsets[i + 1] - 1].
template <typename I>
struct lookup_view {
    /// Where the row has the column, counted from the row's first entry; -1 if it has not.
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
        const auto place = column - col_idxs[begin];
        if (type == lookup_type::full) {
            return 0 <= place && place < size ? place : I{-1};
        }
        const auto block = place / block_size;
        if (place < 0 || 2 * block >= table_size) {
            return -1;
        }
        const auto bits = static_cast<uint32>(table[2 * block]);
        const auto bit = uint32{1} << place % block_size;
        return bits & bit ? table[2 * block + 1] + count_bits(bits & (bit - 1)) : I{-1};
    }

    /// What plan() returns for a table that I cannot count. No other size is odd.
    static constexpr I too_large = std::numeric_limits<I>::max();

    /// Chooses the type for a row; returns how much storage it takes.
    SPRUCE_HOST_DEVICE_INLINE static I plan(const I* columns, I size, int32& type)
    {
        bool is_sorted = true;
        for (I i = 1; i < size; ++i) {
            is_sorted = is_sorted && columns[i - 1] < columns[i];
        }
        const auto range = is_sorted && size > 0 ? columns[size - 1] - columns[0] + 1 : I{};
        return plan(size, is_sorted, range, type);
    }

    /// The same for a row of this size: sorted, with so many columns from the first to the last one, or not.
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

    /// Fills a row's table.
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
    const int32* types;  ///< of lookup_type
    const I* storage;

private:
    static constexpr I block_size = 32;  // bits of a word, on every device

    /// The smallest power of two from 4 on that is at least twice the size.
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

    /// Fibonacci hashing (Knuth, volume 3, section 6.4); the table's size is a power of two.
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

/// The tables of a matrix; they stay valid while its pattern does, whose arrays are viewed.
template <typename I>
class SPRUCE_EXPORT lookup {
public:
    /// row_ptrs and col_idxs are on exec. No row may have a column twice; rows with columns in order may take less memory.
    /// @throws OverflowError  if I cannot count the elements of the tables
    lookup(std::shared_ptr<const Executor> exec, const I* row_ptrs, const I* col_idxs, size_type num_rows);

    lookup_view<I> get_view() const
    {
        return {row_ptrs_, col_idxs_, offsets_.get_const_data(), types_.get_const_data(), storage_.get_const_data()};
    }
    /// Of lookup_type, for each row.
    const array<int32>& get_types() const { return types_; }

private:
    const I* row_ptrs_;
    const I* col_idxs_;
    array<I> offsets_;
    array<int32> types_;
    array<I> storage_;
};

}  // namespace spruce::matrix::csr
