// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>

#include <spruce/base/types.hpp>

namespace spruce {

/// Names the reason why the iteration of a column, one right-hand side, stopped.
enum class stop_reason : uint8 {
    running,          ///< it has not stopped
    converged,        ///< a criterion on the residual was met, or the residual is exactly zero
    iteration_limit,  ///< stop::Iteration
    time_limit,       ///< stop::Time
    criterion,        ///< another criterion, which does not count as convergence
    /// An inner product that the recurrence divides by became zero, for instance (r, z) or (r~, r);
    /// or the squares of all entries of r underflow.
    breakdown_inner_product,
    /// (p, A p), or the inner product of another vector with its image under A, became zero: A is
    /// singular or not definite.
    breakdown_curvature,
    /// The factor omega that minimizes the residual in Bicgstab and Idr became zero.
    breakdown_stabilization,
    /// The projected problem is singular: the subspace cannot grow and does not contain the
    /// solution.
    breakdown_subspace,
    stagnation,  ///< the residual does not become smaller any more, or grows beyond all bounds
    not_finite   ///< infinity or NaN in the matrix, the vectors or the recurrence
};

/// Returns true if the recurrence of the method broke down.
SPRUCE_HOST_DEVICE constexpr bool is_breakdown(stop_reason reason) noexcept
{
    return reason == stop_reason::breakdown_inner_product || reason == stop_reason::breakdown_curvature ||
           reason == stop_reason::breakdown_stabilization || reason == stop_reason::breakdown_subspace;
}

/// Returns true if the iteration stopped by a breakdown, by stagnation, or by infinity or NaN.
SPRUCE_HOST_DEVICE constexpr bool is_failure(stop_reason reason) noexcept
{
    return is_breakdown(reason) || reason == stop_reason::stagnation || reason == stop_reason::not_finite;
}

/// Writes the reason in words: "converged", "iteration limit", "breakdown: inner product", ...
SPRUCE_EXPORT std::ostream& operator<<(std::ostream& stream, stop_reason reason);

/// Stores the state of one right-hand side of a solve. Bits 0 to 5: id of the criterion that
/// stopped it (0: running; from 48 on: 48 plus a stop_reason that the solver found); bit 6: the
/// result is marked as final; bit 7: it converged.
class stopping_status {
public:
    /// Criteria have ids from 1 to this number.
    static constexpr uint8 max_criterion_id = 0x2f;

    SPRUCE_HOST_DEVICE constexpr bool has_stopped() const noexcept { return this->get_id() != 0; }
    SPRUCE_HOST_DEVICE constexpr bool has_converged() const noexcept { return (data_ & converged_mask) != 0; }
    SPRUCE_HOST_DEVICE constexpr bool is_finalized() const noexcept { return (data_ & finalized_mask) != 0; }
    SPRUCE_HOST_DEVICE constexpr uint8 get_id() const noexcept { return data_ & id_mask; }

    SPRUCE_HOST_DEVICE constexpr void reset() noexcept { data_ = 0; }
    /// Stops without convergence. Does nothing if it has stopped already. Ids above
    /// max_criterion_id count as max_criterion_id.
    SPRUCE_HOST_DEVICE constexpr void stop(uint8 id, bool set_finalized = true) noexcept
    {
        this->end(criterion_id(id), set_finalized);
    }
    /// Stops as converged. Does nothing if it has stopped already. Ids above max_criterion_id count
    /// as max_criterion_id.
    SPRUCE_HOST_DEVICE constexpr void converge(uint8 id, bool set_finalized = true) noexcept
    {
        this->end(converged_mask | criterion_id(id), set_finalized);
    }
    /// Stops for a reason that the solver itself found, as converged or without convergence.
    SPRUCE_HOST_DEVICE constexpr void stop(stop_reason reason) noexcept
    {
        const auto id = static_cast<uint8>(first_reason_id + static_cast<uint8>(reason));
        this->end((reason == stop_reason::converged ? converged_mask : 0) | id, true);
    }
    /// Returns the reason as far as the status contains it. For the id of a criterion it is
    /// converged or criterion.
    SPRUCE_HOST_DEVICE constexpr stop_reason get_reason() const noexcept
    {
        if (!this->has_stopped()) {
            return stop_reason::running;
        }
        if (this->get_id() >= first_reason_id) {
            return static_cast<stop_reason>(this->get_id() - first_reason_id);
        }
        return this->has_converged() ? stop_reason::converged : stop_reason::criterion;
    }

    SPRUCE_HOST_DEVICE constexpr void finalize() noexcept
    {
        if (this->has_stopped()) {
            data_ |= finalized_mask;
        }
    }

    SPRUCE_HOST_DEVICE friend constexpr bool operator==(const stopping_status& a, const stopping_status& b) noexcept
    {
        return a.data_ == b.data_;
    }
    SPRUCE_HOST_DEVICE friend constexpr bool operator!=(const stopping_status& a, const stopping_status& b) noexcept
    {
        return !(a == b);
    }

private:
    SPRUCE_HOST_DEVICE static constexpr uint8 criterion_id(uint8 id) noexcept
    {
        return id <= max_criterion_id ? id : static_cast<uint8>(max_criterion_id);
    }
    SPRUCE_HOST_DEVICE constexpr void end(uint8 data, bool set_finalized) noexcept
    {
        if (!this->has_stopped()) {
            data_ |= data | (set_finalized ? finalized_mask : 0);
        }
    }

    static constexpr uint8 converged_mask = 0x80;
    static constexpr uint8 finalized_mask = 0x40;
    static constexpr uint8 id_mask = 0x3f;
    static constexpr uint8 first_reason_id = max_criterion_id + 1;
    uint8 data_{};
};

}  // namespace spruce
