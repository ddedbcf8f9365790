// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/types.hpp>

namespace spruce {

/// Describes a format for storing values in fewer bits. The value type is reduced preserving +
/// nonpreserving times, and each reduction halves the number of bits. A preserving reduction
/// truncates the fraction and keeps the exponent. A nonpreserving reduction converts to the next
/// lower precision: double to float, float to half.
class precision_reduction {
public:
    using storage_type = uint8;

    /// Creates the format without reductions.
    constexpr precision_reduction() noexcept = default;
    /// @param preserving  number of preserving reductions, at most 14
    /// @param nonpreserving  number of nonpreserving reductions, at most 14
    constexpr precision_reduction(storage_type preserving, storage_type nonpreserving) noexcept
        : preserving_{preserving}, nonpreserving_{nonpreserving}
    {}

    /// Returns a value that asks the library to choose the format.
    constexpr static precision_reduction autodetect() noexcept { return {automatic, automatic}; }
    /// Returns the smallest format that is at least as precise, and has at least the range, as both
    /// formats. If one of them is autodetect(), it is the other one.
    constexpr static precision_reduction common(precision_reduction a, precision_reduction b) noexcept
    {
        return {a.preserving_ < b.preserving_ ? a.preserving_ : b.preserving_,
                a.nonpreserving_ < b.nonpreserving_ ? a.nonpreserving_ : b.nonpreserving_};
    }

    constexpr storage_type get_preserving() const noexcept { return preserving_; }
    constexpr storage_type get_nonpreserving() const noexcept { return nonpreserving_; }

    friend constexpr bool operator==(precision_reduction a, precision_reduction b) noexcept
    {
        return a.preserving_ == b.preserving_ && a.nonpreserving_ == b.nonpreserving_;
    }
    friend constexpr bool operator!=(precision_reduction a, precision_reduction b) noexcept { return !(a == b); }

    /// Prints "(preserving, nonpreserving)" or "autodetect".
    template <typename Stream>
    friend auto operator<<(Stream& stream, precision_reduction format) -> decltype((stream << "(" << 1, stream))
    {
        if (format == autodetect()) {
            stream << "autodetect";
        } else {
            stream << "(" << static_cast<int>(format.preserving_) << ", " << static_cast<int>(format.nonpreserving_)
                   << ")";
        }
        return stream;
    }

private:
    static constexpr storage_type automatic = 15;

    storage_type preserving_{};
    storage_type nonpreserving_{};
};

}  // namespace spruce
