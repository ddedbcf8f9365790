// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <type_traits>

#include <spruce/base/types.hpp>

namespace spruce {

/// Sizes in Dimensionality directions: rows and columns for a matrix.
template <size_type Dimensionality, typename DimensionType = size_type>
class dim {
public:
    using dimension_type = DimensionType;
    static constexpr size_type dimensionality = Dimensionality;

    constexpr dim() : sizes_{} {}

    /// The same size in every direction.
    constexpr explicit dim(const dimension_type& size) : sizes_{}
    {
        for (size_type i = 0; i < Dimensionality; ++i) {
            sizes_[i] = size;
        }
    }

    /// One size for each direction; each is converted to DimensionType.
    template <typename First, typename Second, typename... Rest,
              std::enable_if_t<sizeof...(Rest) + 2 == Dimensionality>* = nullptr>
    constexpr dim(const First& first, const Second& second, const Rest&... rest)
        : sizes_{{static_cast<dimension_type>(first), static_cast<dimension_type>(second),
                  static_cast<dimension_type>(rest)...}}
    {}

    constexpr const dimension_type& operator[](size_type direction) const noexcept { return sizes_[direction]; }
    constexpr dimension_type& operator[](size_type direction) noexcept { return sizes_[direction]; }

    /// Whether no size is zero.
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

    /// Size by size.
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

/// The size of the transpose.
template <typename DimensionType>
constexpr dim<2, DimensionType> transpose(const dim<2, DimensionType>& size) noexcept
{
    return {size[1], size[0]};
}

/// A half-open range [begin, end) of rows or columns.
struct span {
    constexpr span(size_type point) noexcept : span{point, point + 1} {}
    constexpr span(size_type begin, size_type end) noexcept : begin{begin}, end{end} {}

    constexpr bool is_valid() const { return begin <= end; }
    constexpr size_type length() const { return end - begin; }

    size_type begin;
    size_type end;
};

/// A range of the rows or columns that are stored locally.
struct local_span : span {
    using span::span;
};

/// Ranges are ordered when one lies entirely before the other.
constexpr bool operator<(const span& a, const span& b) { return a.end < b.begin; }
constexpr bool operator<=(const span& a, const span& b) { return a.end <= b.begin; }
constexpr bool operator>(const span& a, const span& b) { return b < a; }
constexpr bool operator>=(const span& a, const span& b) { return b <= a; }
constexpr bool operator==(const span& a, const span& b) { return a.begin == b.begin && a.end == b.end; }
constexpr bool operator!=(const span& a, const span& b) { return !(a == b); }

}  // namespace spruce
