// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/lin_op.hpp>
#include <spruce/base/temporary_clone.hpp>

/// Handles operands that share memory with results. The rule is documented at LinOp.
namespace spruce::detail {

enum class overlap { none, partial, same };

/// Returns the kind of overlap of two memory regions in one address space. The result is exact if
/// the strides are equal or one of the regions has a single row. Otherwise intersecting ranges of
/// addresses count as a partial overlap.
SPRUCE_EXPORT overlap find_overlap(const memory_extent& a, const memory_extent& b) noexcept;

/// Returns true if values of an operator are in the memory of a result.
inline bool share_memory(const LinOp& op, const LinOp& result) noexcept
{
    return op.shares_memory_with(result.get_memory_extent());
}

/// Describes the memory that an operation is about to write. The operation compares its other
/// operands with it before it changes anything.
class result_memory {
public:
    /// @param function  name of the operation, for messages
    /// @param op  operator that is applied, or null. Messages contain its class, and its
    ///   applies_in_place() decides on copies.
    result_memory(const char* function, const LinOp& result, const char* name, const LinOp* op = nullptr)
        : result_{result}, extent_{result.get_memory_extent()}, function_{function}, name_{name}, op_{op}
    {}

    /// Returns true if the operation has to read a copy of the operand: operand and result are in
    /// the same memory, and op does not work in place.
    /// @throws NotSupported  if the operand shares only a part of this memory
    bool must_copy(const LinOp& operand, const char* name) const
    {
        return this->is_memory_of(operand, name) && !(op_ && op_->applies_in_place(&result_));
    }

    /// Checks an operand of an operation that works in place.
    /// @throws NotSupported  if the operand shares only a part of this memory
    void require_no_partial_overlap(const LinOp& operand, const char* name) const { this->is_memory_of(operand, name); }

    /// Returns the operand, or a copy of it, which exec can read while the result is written.
    /// @throws NotSupported  if the operand shares only a part of this memory
    template <typename T>
    temporary_clone<const T> separate(std::shared_ptr<const Executor> exec, const T* operand, const char* name) const
    {
        return {std::move(exec), operand, this->must_copy(*operand, name) ? cloning::always : cloning::if_elsewhere};
    }

    /// Returns a scalar, or a row of scalars, which exec can read while the result is written. It
    /// is a copy if it overlaps this memory.
    template <typename T>
    temporary_clone<const T> separate_factor(std::shared_ptr<const Executor> exec, const T* factor) const
    {
        const auto is_inside = find_overlap(factor->get_memory_extent(), extent_) != overlap::none;
        return {std::move(exec), factor, is_inside ? cloning::always : cloning::if_elsewhere};
    }

private:
    /// Returns true if the operand is in exactly this memory.
    /// @throws NotSupported  if it shares only a part of it
    bool is_memory_of(const LinOp& operand, const char* name) const
    {
        const auto found = find_overlap(operand.get_memory_extent(), extent_);
        if (found == overlap::partial) {
            this->throw_partial_overlap(name);
        }
        return found == overlap::same;
    }
    [[noreturn]] void throw_partial_overlap(const char* name) const;

    const LinOp& result_;
    memory_extent extent_;
    const char* function_;
    const char* name_;
    const LinOp* op_;
};

/// Returns an operand that exec can read while the entire result is written. It is a copy if they
/// share memory.
template <typename T>
temporary_clone<const T> separate_operand(std::shared_ptr<const Executor> exec, const T* operand, const LinOp& result)
{
    return {std::move(exec), operand, share_memory(*operand, result) ? cloning::always : cloning::if_elsewhere};
}

/// Returns a result that exec can write while the operands are read. If they share memory, it is a
/// copy that is copied back at the end.
template <typename T, typename... Operands>
temporary_clone<T> separate_result(std::shared_ptr<const Executor> exec, T* result, const Operands&... operands)
{
    const auto is_inside = (share_memory(operands, *result) || ...);
    return {std::move(exec), result, is_inside ? cloning::always : cloning::if_elsewhere};
}

}  // namespace spruce::detail
