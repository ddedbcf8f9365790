// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <type_traits>

#include <spruce/base/types.hpp>

namespace spruce {

/// Holds sizes in Dimensionality directions, for instance the numbers of rows and columns of a
/// matrix.
template <size_type Dimensionality, typename DimensionType = size_type>
class dim {
public:
    using dimension_type = DimensionType;
    static constexpr size_type dimensionality = Dimensionality;

    constexpr dim() : sizes_{} {}

    /// Sets all directions to one size.
    constexpr explicit dim(const dimension_type& size) : sizes_{}
    {
        for (size_type i = 0; i < Dimensionality; ++i) {
            sizes_[i] = size;
        }
    }

    /// Takes one size for each direction and converts it to DimensionType.
    template <typename First, typename Second, typename... Rest,
              std::enable_if_t<sizeof...(Rest) + 2 == Dimensionality>* = nullptr>
    constexpr dim(const First& first, const Second& second, const Rest&... rest)
        : sizes_{{static_cast<dimension_type>(first), static_cast<dimension_type>(second),
                  static_cast<dimension_type>(rest)...}}
    {}

    constexpr const dimension_type& operator[](size_type direction) const noexcept { return sizes_[direction]; }
    constexpr dimension_type& operator[](size_type direction) noexcept { return sizes_[direction]; }

    /// Returns true if no size is zero.
    constexpr explicit operator bool() const
    {
        for (size_type i = 0; i < Dimensionality; ++i) {
            if (sizes_[i] == dimension_type{}) {
                return false;
            }
        }
        return true;
    }

    friend constexpr bool operator==(const dim& a, const dim& b)
    {
        for (size_type i = 0; i < Dimensionality; ++i) {
            if (!(a.sizes_[i] == b.sizes_[i])) {
                return false;
            }
        }
        return true;
    }
    friend constexpr bool operator!=(const dim& a, const dim& b) { return !(a == b); }

    /// Multiplies the sizes of each direction.
    friend constexpr dim operator*(const dim& a, const dim& b)
    {
        auto product = a;
        for (size_type i = 0; i < Dimensionality; ++i) {
            product.sizes_[i] = a.sizes_[i] * b.sizes_[i];
        }
        return product;
    }

    /// Prints "(rows, columns)".
    template <typename Stream>
    friend auto operator<<(Stream& stream, const dim& size) -> decltype((stream << "(" << size[0], stream))
    {
        stream << "(";
        for (size_type i = 0; i < Dimensionality; ++i) {
            stream << (i == 0 ? "" : ", ") << size.sizes_[i];
        }
        stream << ")";
        return stream;
    }

private:
    std::array<dimension_type, Dimensionality> sizes_;
};

/// Returns the size of the transpose.
template <typename DimensionType>
constexpr dim<2, DimensionType> transpose(const dim<2, DimensionType>& size) noexcept
{
    return {size[1], size[0]};
}

/// Holds a half-open range [begin, end) of rows or columns.
struct span {
    constexpr span(size_type point) noexcept : span{point, point + 1} {}
    constexpr span(size_type begin, size_type end) noexcept : begin{begin}, end{end} {}

    constexpr bool is_valid() const { return begin <= end; }
    constexpr size_type length() const { return end - begin; }

    size_type begin;
    size_type end;
};

/// Holds a range of the rows or columns that are stored locally.
struct local_span : span {
    using span::span;
};

/// Compares ranges by their position: a < b if a.end < b.begin, and a <= b if a.end <= b.begin.
/// Ranges that overlap are not ordered.
constexpr bool operator<(const span& a, const span& b) { return a.end < b.begin; }
constexpr bool operator<=(const span& a, const span& b) { return a.end <= b.begin; }
constexpr bool operator>(const span& a, const span& b) { return b < a; }
constexpr bool operator>=(const span& a, const span& b) { return b <= a; }
constexpr bool operator==(const span& a, const span& b) { return a.begin == b.begin && a.end == b.end; }
constexpr bool operator!=(const span& a, const span& b) { return !(a == b); }

}  // namespace spruce
