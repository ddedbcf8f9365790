// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <initializer_list>
#include <vector>

#include <spruce/base/dim.hpp>
#include <spruce/base/math.hpp>
#include <spruce/base/types.hpp>

namespace spruce {

/// One entry of a matrix as a triple.
template <typename ValueType = default_precision, typename IndexType = int32>
struct matrix_data_entry {
    matrix_data_entry() = default;
    matrix_data_entry(IndexType row, IndexType column, ValueType value) : row(row), column(column), value(value) {}

    /// Ordered by row, then column; values take no part.
    friend bool operator<(const matrix_data_entry& a, const matrix_data_entry& b)
    {
        return a.row < b.row || (a.row == b.row && a.column < b.column);
    }
    friend bool operator==(const matrix_data_entry& a, const matrix_data_entry& b)
    {
        return a.row == b.row && a.column == b.column && a.value == b.value;
    }
    friend bool operator!=(const matrix_data_entry& a, const matrix_data_entry& b) { return !(a == b); }

    IndexType row{};
    IndexType column{};
    ValueType value{};
};

/// A matrix as (row, column, value) triples in host memory: what files are read into and matrices are built from.
template <typename ValueType = default_precision, typename IndexType = int32>
struct matrix_data {
    using value_type = ValueType;
    using index_type = IndexType;
    using nonzero_type = matrix_data_entry<ValueType, IndexType>;

    /// size with every entry equal to fill (no entries when fill is zero).
    explicit matrix_data(dim<2> size = dim<2>{}, ValueType fill = zero<ValueType>()) : size{size}
    {
        if (is_zero(fill)) {
            return;
        }
        this->fill_dense([&] { return fill; });
    }

    /// Every entry drawn from the distribution; exact zeros are left out.
    template <typename Distribution, typename Engine,
              typename = decltype(std::declval<Distribution>()(std::declval<Engine&>()))>
    matrix_data(dim<2> size, Distribution&& distribution, Engine&& engine) : size{size}
    {
        this->fill_dense([&] { return static_cast<ValueType>(distribution(engine)); });
    }

    /// The rows of a dense matrix; exact zeros are left out.
    matrix_data(std::initializer_list<std::initializer_list<ValueType>> rows) : size{rows.size(), 0}
    {
        size_type row = 0;
        for (const auto& values : rows) {
            size[1] = std::max(size[1], values.size());
            size_type column = 0;
            for (const auto& value : values) {
                if (is_nonzero(value)) {
                    nonzeros.emplace_back(static_cast<IndexType>(row), static_cast<IndexType>(column), value);
                }
                ++column;
            }
            ++row;
        }
    }

    matrix_data(dim<2> size, std::initializer_list<nonzero_type> entries) : size{size}, nonzeros(entries) {}

    static matrix_data diag(dim<2> size, ValueType value)
    {
        matrix_data result(size);
        for (size_type i = 0; i < std::min(size[0], size[1]); ++i) {
            if (is_nonzero(value)) {
                result.nonzeros.emplace_back(static_cast<IndexType>(i), static_cast<IndexType>(i), value);
            }
        }
        return result;
    }

    static matrix_data diag(dim<2> size, std::initializer_list<ValueType> values)
    {
        matrix_data result(size);
        IndexType i{};
        for (const auto& value : values) {
            result.nonzeros.emplace_back(i, i, value);
            ++i;
        }
        return result;
    }

    /// Sorts by row, then column; entries at the same place keep their order.
    void sort_row_major() { std::stable_sort(nonzeros.begin(), nonzeros.end()); }
    void ensure_row_major_order() { this->sort_row_major(); }

    void remove_zeros()
    {
        nonzeros.erase(
            std::remove_if(nonzeros.begin(), nonzeros.end(), [](const auto& entry) { return is_zero(entry.value); }),
            nonzeros.end());
    }

    /// Sorts and adds up entries at the same place.
    void sum_duplicates()
    {
        this->sort_row_major();
        auto last = nonzeros.begin();
        for (auto entry = nonzeros.begin(); entry != nonzeros.end(); ++entry) {
            if (entry == last) {
                continue;
            }
            if (entry->row == last->row && entry->column == last->column) {
                last->value += entry->value;
            } else {
                *++last = *entry;
            }
        }
        if (!nonzeros.empty()) {
            nonzeros.erase(last + 1, nonzeros.end());
        }
    }

    dim<2> size;
    std::vector<nonzero_type> nonzeros;

private:
    template <typename Generator>
    void fill_dense(Generator&& next_value)
    {
        for (size_type row = 0; row < size[0]; ++row) {
            for (size_type column = 0; column < size[1]; ++column) {
                const auto value = next_value();
                if (is_nonzero(value)) {
                    nonzeros.emplace_back(static_cast<IndexType>(row), static_cast<IndexType>(column), value);
                }
            }
        }
    }
};

}  // namespace spruce
