// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <vector>

#include <spruce/base/types.hpp>

namespace spruce::kernels::omp {

/// Maps columns to values by linear probing; at most half of the slots are occupied. The
/// constructor allocates all memory, so no other function throws in a parallel region.
template <typename Key, typename Value>
class hash_table {
public:
    explicit hash_table(size_type max_entries) : keys_(num_slots_for(max_entries)), values_(keys_.size()) {}

    /// Clears the table and prepares it for up to num_entries <= max_entries keys.
    void reset(size_type num_entries)
    {
        const auto num_slots = num_slots_for(num_entries);
        mask_ = num_slots - 1;
        std::fill_n(keys_.begin(), num_slots, empty);
    }

    /// Returns the value of the key. A new key gets the value Value{}, and is_new is set to true.
    Value& insert(Key key, bool& is_new)
    {
        const auto slot = this->slot_of(key);
        is_new = keys_[slot] == empty;
        if (is_new) {
            keys_[slot] = key;
            values_[slot] = Value{};
        }
        return values_[slot];
    }

    /// Returns the address of the key's value, or null if the table does not contain the key.
    Value* find(Key key)
    {
        const auto slot = this->slot_of(key);
        return keys_[slot] == empty ? nullptr : &values_[slot];
    }

private:
    static constexpr Key empty{-1};

    static size_type num_slots_for(size_type num_entries)
    {
        size_type num_slots = 4;
        while (num_slots < 2 * num_entries) {
            num_slots *= 2;
        }
        return num_slots;
    }

    size_type slot_of(Key key) const
    {
        // Fibonacci hashing (Knuth, volume 3, section 6.4): the upper half of the product is mixed
        // better than the lower half.
        auto slot = (static_cast<uint64>(key) * 0x9e3779b97f4a7c15u >> 32) & mask_;
        while (keys_[slot] != key && keys_[slot] != empty) {
            slot = (slot + 1) & mask_;
        }
        return slot;
    }

    std::vector<Key> keys_;
    std::vector<Value> values_;
    size_type mask_{};
};

}  // namespace spruce::kernels::omp
