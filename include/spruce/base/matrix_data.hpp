// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <spruce/base/dim.hpp>
#include <spruce/base/exception.hpp>
#include <spruce/base/math.hpp>
#include <spruce/base/types.hpp>

namespace spruce {

/// Holds one entry of a matrix as a triple.
template <typename ValueType = default_precision, typename IndexType = int32>
struct matrix_data_entry {
    matrix_data_entry() = default;
    matrix_data_entry(IndexType row, IndexType column, ValueType value) : row(row), column(column), value(value) {}

    /// Compares by row, then column. Values are not compared.
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

/// Holds a matrix as (row, column, value) triples in host memory. Files are read into it, and
/// matrices are built from it.
template <typename ValueType = default_precision, typename IndexType = int32>
struct matrix_data {
    using value_type = ValueType;
    using index_type = IndexType;
    using nonzero_type = matrix_data_entry<ValueType, IndexType>;

    /// Creates a matrix in which every entry equals fill. It has no entries if fill is zero.
    explicit matrix_data(dim<2> size = dim<2>{}, ValueType fill = zero<ValueType>()) : size{size}
    {
        if (is_zero(fill)) {
            return;
        }
        this->fill_dense([&] { return fill; });
    }

    /// Generates every entry by the distribution and omits exact zeros. Real and imaginary parts of
    /// complex types are drawn one after the other, unless the distribution gives complex numbers.
    template <typename Distribution, typename Engine,
              typename = decltype(std::declval<Distribution>()(std::declval<Engine&>()))>
    matrix_data(dim<2> size, Distribution&& distribution, Engine&& engine) : size{size}
    {
        this->fill_dense([&] { return draw(distribution, engine); });
    }

    /// Creates a matrix from the rows of a dense matrix. Exact zeros are omitted.
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

    /// Creates a matrix of size[0] x size[1] copies of the block. Entries are sorted by row, then
    /// column.
    matrix_data(dim<2> size, const matrix_data& block) : size{size * block.size}
    {
        nonzeros.reserve(size[0] * size[1] * block.nonzeros.size());
        for (size_type row = 0; row < size[0]; ++row) {
            for (size_type column = 0; column < size[1]; ++column) {
                this->append_block(row * block.size[0], column * block.size[1], block);
            }
        }
        this->sort_row_major();
    }

    /// Creates a matrix from an object that has sizes length(0) x length(1) and elements (row,
    /// column). Exact zeros are omitted.
    template <typename Range, typename = decltype(size_type(std::declval<const Range&>().length(size_type{})),
                                                  ValueType(std::declval<const Range&>()(size_type{}, size_type{})))>
    explicit matrix_data(const Range& values) : size{values.length(0), values.length(1)}
    {
        for (size_type row = 0; row < size[0]; ++row) {
            for (size_type column = 0; column < size[1]; ++column) {
                this->append(row, column, values(row, column));
            }
        }
    }

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

    /// Creates a matrix of size[0] x size[1] blocks. The blocks on the diagonal equal the given
    /// one, and all others are empty.
    static matrix_data diag(dim<2> size, const matrix_data& block)
    {
        matrix_data result(size * block.size);
        for (size_type i = 0; i < std::min(size[0], size[1]); ++i) {
            result.append_block(i * block.size[0], i * block.size[1], block);
        }
        return result;
    }

    /// Creates a block diagonal matrix, in which each block begins where the one before it ends.
    /// [begin, end) is a sequence of matrix_data.
    template <typename Iterator>
    static matrix_data diag(Iterator begin, Iterator end)
    {
        matrix_data result;
        for (auto block = begin; block != end; ++block) {
            result.append_block(result.size[0], result.size[1], *block);
            result.size = dim<2>{result.size[0] + block->size[0], result.size[1] + block->size[1]};
        }
        return result;
    }
    static matrix_data diag(std::initializer_list<matrix_data> blocks) { return diag(blocks.begin(), blocks.end()); }

    /// Generates a random dense n x n matrix with this condition number in the 2-norm. It is
    /// U D V^H, where U and V are products of Householder reflectors. The entries of the diagonal
    /// matrix D decrease in equal ratios from sqrt(condition_number) to its inverse. The number of
    /// operations is O(num_reflectors n^2).
    /// @param distribution  generates the entries of the reflector vectors; for complex types it is
    ///     used as by the constructor from a distribution
    /// @param num_reflectors  number of reflectors of U, and of V
    /// @throws NotSupported  if condition_number is less than 1
    template <typename Distribution, typename Engine>
    static matrix_data cond(size_type n, remove_complex<ValueType> condition_number, Distribution&& distribution,
                            Engine&& engine, size_type num_reflectors)
    {
        using real = remove_complex<ValueType>;
        if (!(condition_number >= 1)) {
            throw NotSupported(__FILE__, __LINE__, "matrix_data::cond",
                               "the condition number " + std::to_string(condition_number) + " (it is at least 1)");
        }
        std::vector<ValueType> a(n * n);
        for (size_type i = 0; i < n; ++i) {
            const auto exponent = n > 1 ? real(0.5) - static_cast<real>(i) / static_cast<real>(n - 1) : real(0);
            a[i * n + i] = std::pow(condition_number, exponent);
        }
        const auto next_value = [&] { return draw(distribution, engine); };
        std::vector<ValueType> v(n);
        for (size_type k = 0; k < num_reflectors; ++k) {
            std::generate(v.begin(), v.end(), next_value);
            reflect(v, a, 1, n);  // the columns
            std::generate(v.begin(), v.end(), next_value);
            reflect(v, a, n, 1);  // the rows
        }
        matrix_data result(dim<2>{n, n});
        for (size_type row = 0; row < n; ++row) {
            for (size_type column = 0; column < n; ++column) {
                result.append(row, column, a[row * n + column]);
            }
        }
        return result;
    }
    /// Generates a random dense n x n matrix with this condition number, with n - 1 reflectors on
    /// either side. A product of n - 1 reflectors can be any unitary matrix.
    template <typename Distribution, typename Engine>
    static matrix_data cond(size_type n, remove_complex<ValueType> condition_number, Distribution&& distribution,
                            Engine&& engine)
    {
        return cond(n, condition_number, distribution, engine, n > 0 ? n - 1 : 0);
    }

    /// Sorts by row, then column. Entries at the same position keep their order.
    void sort_row_major() { std::stable_sort(nonzeros.begin(), nonzeros.end()); }
    void ensure_row_major_order() { this->sort_row_major(); }

    void remove_zeros()
    {
        nonzeros.erase(
            std::remove_if(nonzeros.begin(), nonzeros.end(), [](const auto& entry) { return is_zero(entry.value); }),
            nonzeros.end());
    }

    /// Sorts, and adds up entries at the same position.
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
    template <typename Distribution, typename Engine>
    static ValueType draw(Distribution& distribution, Engine& engine)
    {
        const auto drawn = distribution(engine);
        if constexpr (is_complex<ValueType>() && !is_complex<std::decay_t<decltype(drawn)>>()) {
            using real = remove_complex<ValueType>;
            return ValueType{static_cast<real>(drawn), static_cast<real>(distribution(engine))};
        } else {
            return static_cast<ValueType>(drawn);
        }
    }

    void append(size_type row, size_type column, ValueType value)
    {
        if (is_nonzero(value)) {
            nonzeros.emplace_back(static_cast<IndexType>(row), static_cast<IndexType>(column), value);
        }
    }

    void append_block(size_type first_row, size_type first_column, const matrix_data& block)
    {
        for (const auto& entry : block.nonzeros) {
            nonzeros.emplace_back(static_cast<IndexType>(first_row + entry.row),
                                  static_cast<IndexType>(first_column + entry.column), entry.value);
        }
    }

    template <typename Generator>
    void fill_dense(Generator&& next_value)
    {
        for (size_type row = 0; row < size[0]; ++row) {
            for (size_type column = 0; column < size[1]; ++column) {
                this->append(row, column, next_value());
            }
        }
    }

    /// Computes x_j -= 2 v (v^H x_j) / (v^H v) for every vector x_j of a. Element i of x_j is
    /// a[i * element_stride + j * vector_stride].
    static void reflect(const std::vector<ValueType>& v, std::vector<ValueType>& a, size_type vector_stride,
                        size_type element_stride)
    {
        remove_complex<ValueType> squared{};
        for (const auto& value : v) {
            squared += squared_norm(value);
        }
        if (is_zero(squared)) {
            return;  // a zero vector defines no reflection
        }
        for (size_type j = 0; j < v.size(); ++j) {
            ValueType dot{};
            for (size_type i = 0; i < v.size(); ++i) {
                dot += spruce::conj(v[i]) * a[i * element_stride + j * vector_stride];
            }
            dot *= 2 / squared;
            for (size_type i = 0; i < v.size(); ++i) {
                a[i * element_stride + j * vector_stride] -= v[i] * dot;
            }
        }
    }
};

}  // namespace spruce
