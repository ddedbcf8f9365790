// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <unordered_map>
#include <utility>

#include <spruce/base/matrix_data.hpp>

namespace spruce {

/// Collects entries of a matrix in any order. Values at the same position are added up or replaced.
template <typename ValueType = default_precision, typename IndexType = int32>
class matrix_assembly_data {
public:
    using value_type = ValueType;
    using index_type = IndexType;

    explicit matrix_assembly_data(dim<2> size) : size_{size} {}

    void add_value(IndexType row, IndexType column, ValueType value) { entries_[{row, column}] += value; }
    void set_value(IndexType row, IndexType column, ValueType value) { entries_[{row, column}] = value; }
    /// Returns zero if no value was set.
    ValueType get_value(IndexType row, IndexType column) const
    {
        const auto found = entries_.find({row, column});
        return found == entries_.end() ? zero<ValueType>() : found->second;
    }
    bool contains(IndexType row, IndexType column) const { return entries_.find({row, column}) != entries_.end(); }
    dim<2> get_size() const noexcept { return size_; }
    size_type get_num_stored_elements() const noexcept { return entries_.size(); }

    /// Returns the entries in row-major order.
    matrix_data<ValueType, IndexType> get_ordered_data() const
    {
        matrix_data<ValueType, IndexType> data{size_};
        data.nonzeros.reserve(entries_.size());
        for (const auto& [position, value] : entries_) {
            data.nonzeros.emplace_back(position.first, position.second, value);
        }
        data.sort_row_major();
        return data;
    }

private:
    using position_type = std::pair<IndexType, IndexType>;
    struct position_hash {
        std::size_t operator()(const position_type& position) const noexcept
        {
            // Multiplication by odd constants distributes neighbouring rows and columns over the
            // table.
            return static_cast<uint64>(position.first) * 0x9e3779b97f4a7c15u ^
                   static_cast<uint64>(position.second) * 0xc2b2ae3d27d4eb4fu;
        }
    };

    dim<2> size_;
    std::unordered_map<position_type, ValueType, position_hash> entries_;
};

}  // namespace spruce
