// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/lin_op.hpp>
#include <spruce/base/temporary_clone.hpp>

/// Treatment of operands that share memory with results; the rule is documented at LinOp.
namespace spruce::detail {

enum class overlap { none, partial, same };

/// Returns how two pieces of memory in one address space overlap. The result is exact if the strides are equal or one of them
/// has a single row; otherwise ranges of addresses that intersect count as a partial overlap.
SPRUCE_EXPORT overlap find_overlap(const memory_extent& a, const memory_extent& b) noexcept;

/// Returns whether values of an operator lie in the memory of a result.
inline bool share_memory(const LinOp& op, const LinOp& result) noexcept
{
    return op.shares_memory_with(result.get_memory_extent());
}

/// Describes the memory that an operation is about to write. The operation compares its other operands with it before it changes
/// anything.
class result_memory {
public:
    /// @param function  name of the operation, for messages
    /// @param op  operator that is applied, or null; messages name its class too, and its applies_in_place() decides on copies
    result_memory(const char* function, const LinOp& result, const char* name, const LinOp* op = nullptr)
        : result_{result}, extent_{result.get_memory_extent()}, function_{function}, name_{name}, op_{op}
    {}

    /// Returns whether a copy of the operand has to be read: operand and result lie in the same memory, and op does not work in place.
    /// @throws NotSupported  if the operand shares a part of this memory
    bool must_copy(const LinOp& operand, const char* name) const
    {
        return this->is_memory_of(operand, name) && !(op_ && op_->applies_in_place(&result_));
    }

    /// Checks an operand of an operation that works in place. @throws NotSupported  if the operand shares only a part of this memory
    void require_same_or_apart(const LinOp& operand, const char* name) const { this->is_memory_of(operand, name); }

    /// Returns the operand, or a copy that exec can read while the result is written.
    /// @throws NotSupported  if the operand shares a part of this memory
    template <typename T>
    temporary_clone<const T> separate(std::shared_ptr<const Executor> exec, const T* operand, const char* name) const
    {
        return {std::move(exec), operand, this->must_copy(*operand, name) ? cloning::always : cloning::if_elsewhere};
    }

    /// Returns a scalar, or a row of scalars, that exec can read while the result is written: a copy if it lies in this memory.
    template <typename T>
    temporary_clone<const T> separate_factor(std::shared_ptr<const Executor> exec, const T* factor) const
    {
        const auto is_inside = find_overlap(factor->get_memory_extent(), extent_) != overlap::none;
        return {std::move(exec), factor, is_inside ? cloning::always : cloning::if_elsewhere};
    }

private:
    /// Returns whether the operand lies in exactly this memory. @throws NotSupported  if it shares only a part of it
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

/// Returns an operand that exec can read while all of the result is written: a copy if they share memory.
template <typename T>
temporary_clone<const T> separate_operand(std::shared_ptr<const Executor> exec, const T* operand, const LinOp& result)
{
    return {std::move(exec), operand, share_memory(*operand, result) ? cloning::always : cloning::if_elsewhere};
}

/// Returns a result that exec can write while the operands are read: if they share memory, a copy, which is copied back at the end.
template <typename T, typename... Operands>
temporary_clone<T> separate_result(std::shared_ptr<const Executor> exec, T* result, const Operands&... operands)
{
    const auto is_inside = (share_memory(operands, *result) || ...);
    return {std::move(exec), result, is_inside ? cloning::always : cloning::if_elsewhere};
}

}  // namespace spruce::detail
