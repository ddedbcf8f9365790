// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include <spruce/base/lin_op.hpp>

namespace spruce::detail {

/// Vectors that an operator keeps from one apply to the next, so that only the first one of a size allocates.
class SPRUCE_EXPORT kept_vectors {
public:
    kept_vectors() = default;
    /// A copied operator starts with none: what they hold has no meaning between applies.
    kept_vectors(const kept_vectors&) {}
    ~kept_vectors();
    kept_vectors& operator=(const kept_vectors&)
    {
        vectors_.clear();
        return *this;
    }

    /// Marks the vectors as in use for as long as it lives, which is during one apply. Detects a second apply at the same time if the
    /// library is built without NDEBUG; otherwise does nothing.
    class SPRUCE_EXPORT exclusive_use {
    public:
        /// @throws InvalidStateError  if the vectors are in use and that is checked
        exclusive_use(kept_vectors& vectors, const char* function);
        exclusive_use(const exclusive_use&) = delete;
        ~exclusive_use();

        /// Returns true if the library is built without NDEBUG.
        static bool is_checked() noexcept;

    private:
        kept_vectors& vectors_;
    };

    /// Vectors number id, of this size; made anew only if they differ in size, type or executor.
    template <typename ValueType>
    matrix::Dense<ValueType>* get(size_type id, std::shared_ptr<const Executor> exec, const dim<2>& size);
    /// A scalar, number id; the value is set only where the scalar is new.
    template <typename ValueType>
    const matrix::Dense<ValueType>* get_constant(size_type id, std::shared_ptr<const Executor> exec, ValueType value);

protected:
    std::unique_ptr<LinOp>& slot(size_type id)
    {
        if (vectors_.size() <= id) {
            vectors_.resize(id + 1);
        }
        return vectors_[id];
    }

private:
    template <typename ValueType>
    matrix::Dense<ValueType>* find(size_type id, const std::shared_ptr<const Executor>& exec, const dim<2>& size);

    std::atomic<bool> is_in_use_{};
    std::vector<std::unique_ptr<LinOp>> vectors_;
};

}  // namespace spruce::detail
