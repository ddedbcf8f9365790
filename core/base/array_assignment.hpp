// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <utility>

#include <spruce/base/array.hpp>

namespace spruce::detail {

/// Assigns to an array in two steps, for objects that change either several arrays or none. The
/// constructor makes all necessary allocations and does not change target and source. commit() does
/// not allocate. Memory of the right size is reused, and views are written to. The size of a view
/// becomes that of the source.
template <typename T, typename Source>
class array_assignment {
public:
    /// Prepares to copy the source to the target.
    /// @throws AllocationError  if memory is insufficient
    /// @throws OutOfBoundsError  if the target is a view and too small
    array_assignment(array<T>& target, const array<Source>& source) : target_{target}, source_{&source}
    {
        const auto exec = target.get_executor();
        if constexpr (!std::is_same_v<T, Source>) {
            if (!exec->memory_accessible(source.get_executor())) {
                local_source_ = array<Source>{exec, source};
                source_ = &local_source_;
            }
        }
        this->prepare();
    }

    /// Moves the memory of the source to the target in commit() if both are on the same executor.
    /// The source is empty after commit().
    array_assignment(array<T>& target, array<T>&& source) : target_{target}, source_{&source}, moved_source_{&source}
    {
        if (!this->can_take_over()) {
            this->prepare();
        }
    }

    array_assignment(const array_assignment&) = delete;

    /// Returns the contents that the target will have.
    const array<Source>& get_source() const { return *source_; }

    void commit()
    {
        if constexpr (std::is_same_v<T, Source>) {
            if (moved_source_ && this->can_take_over()) {
                target_ = std::move(*moved_source_);
                return;
            }
        }
        if (copy_.get_executor()) {
            target_ = std::move(copy_);
        } else {
            target_ = *source_;
            target_.size_ = source_->get_size();
        }
        if (moved_source_) {
            moved_source_->clear();
        }
    }

private:
    bool can_take_over() const { return target_.is_owning() && target_.get_executor() == source_->get_executor(); }

    /// Returns true if loggers are notified of copies. They may throw, which would leave copies in
    /// commit() incomplete.
    bool copies_may_throw() const
    {
        const auto from = source_->get_executor();
        return !target_.get_executor()->get_loggers().empty() || (from && !from->get_loggers().empty());
    }

    /// Copies the source to new memory unless commit() can copy it to the memory of the target.
    void prepare()
    {
        const auto size = source_->get_size();
        if (!target_.is_owning() && size > target_.get_size()) {
            throw OutOfBoundsError(__FILE__, __LINE__, size, target_.get_size());
        }
        if (target_.is_owning() && (size != target_.get_size() || this->copies_may_throw())) {
            array<T> copy{target_.get_executor()};
            copy = *source_;
            copy_ = std::move(copy);
        }
    }

    array<T>& target_;
    const array<Source>* source_;
    array<Source>* moved_source_{};  ///< source_ if its memory may be moved
    array<Source> local_source_;
    array<T> copy_;
};

template <typename T, typename Source>
array_assignment(array<T>&, const array<Source>&) -> array_assignment<T, Source>;
template <typename T>
array_assignment(array<T>&, array<T>&&) -> array_assignment<T, T>;

template <typename... Assignments>
void commit_all(Assignments&... assignments)
{
    (assignments.commit(), ...);
}

}  // namespace spruce::detail
