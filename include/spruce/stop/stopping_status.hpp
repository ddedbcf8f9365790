// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/types.hpp>

namespace spruce {

/// How one right-hand side of a solve stands. Bits 0 to 5: the criterion that stopped it (0: running);
/// bit 6: its result is final; bit 7: it converged.
class stopping_status {
public:
    SPRUCE_ATTRIBUTES constexpr bool has_stopped() const noexcept { return this->get_id() != 0; }
    SPRUCE_ATTRIBUTES constexpr bool has_converged() const noexcept { return (data_ & converged_mask) != 0; }
    SPRUCE_ATTRIBUTES constexpr bool is_finalized() const noexcept { return (data_ & finalized_mask) != 0; }
    SPRUCE_ATTRIBUTES constexpr uint8 get_id() const noexcept { return data_ & id_mask; }

    SPRUCE_ATTRIBUTES constexpr void reset() noexcept { data_ = 0; }
    /// Stops without convergence; does nothing if stopped already.
    SPRUCE_ATTRIBUTES constexpr void stop(uint8 id, bool set_finalized = true) noexcept
    {
        if (!this->has_stopped()) {
            data_ |= (id & id_mask) | (set_finalized ? finalized_mask : 0);
        }
    }
    /// Stops as converged; does nothing if stopped already.
    SPRUCE_ATTRIBUTES constexpr void converge(uint8 id, bool set_finalized = true) noexcept
    {
        if (!this->has_stopped()) {
            data_ |= converged_mask | (id & id_mask) | (set_finalized ? finalized_mask : 0);
        }
    }
    SPRUCE_ATTRIBUTES constexpr void finalize() noexcept
    {
        if (this->has_stopped()) {
            data_ |= finalized_mask;
        }
    }

    SPRUCE_ATTRIBUTES friend constexpr bool operator==(const stopping_status& a, const stopping_status& b) noexcept
    {
        return a.data_ == b.data_;
    }
    SPRUCE_ATTRIBUTES friend constexpr bool operator!=(const stopping_status& a, const stopping_status& b) noexcept
    {
        return !(a == b);
    }

private:
    static constexpr uint8 converged_mask = 0x80;
    static constexpr uint8 finalized_mask = 0x40;
    static constexpr uint8 id_mask = 0x3f;
    uint8 data_{};
};

}  // namespace spruce
