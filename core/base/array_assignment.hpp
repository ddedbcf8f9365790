// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <utility>

#include <spruce/base/array.hpp>

namespace spruce::detail {

/// An assignment to an array in two steps, for objects that change several arrays or none. The constructor gets all the
/// memory that is needed, and leaves the target as it is; commit() allocates nothing. Memory of the right size is used
/// again, views are written to.
template <typename T, typename Source = T>
class array_assignment {
public:
    /// @throws AllocationError; OutOfBoundsError  if the target is a view and too small
    array_assignment(array<T>& target, const array<Source>& source) : target_{target}, source_{&source}
    {
        const auto exec = target.get_executor();
        if constexpr (!std::is_same_v<T, Source>) {
            if (!exec->memory_accessible(source.get_executor())) {
                local_source_ = array<Source>{exec, source};
                source_ = &local_source_;
            }
        }
        this->make_room();
    }

    /// Takes over the source's memory where it is on the target's executor.
    array_assignment(array<T>& target, array<T>&& source)
        : target_{target}, source_{&local_source_}, local_source_{std::move(source)}
    {
        if (!this->can_take_over()) {
            this->make_room();
        }
    }

    array_assignment(const array_assignment&) = delete;

    /// What the target will hold.
    const array<Source>& get_source() const { return *source_; }

    void commit()
    {
        if constexpr (std::is_same_v<T, Source>) {
            if (source_ == &local_source_ && this->can_take_over()) {
                target_ = std::move(local_source_);
                return;
            }
        }
        if (memory_.get_executor()) {
            target_ = std::move(memory_);
        }
        target_ = *source_;
    }

private:
    bool can_take_over() const { return target_.is_owning() && target_.get_executor() == local_source_.get_executor(); }

    void make_room()
    {
        const auto size = source_->get_size();
        if (!target_.is_owning() && size > target_.get_size()) {
            throw OutOfBoundsError(__FILE__, __LINE__, size, target_.get_size());
        }
        if (target_.is_owning() && size != target_.get_size()) {
            memory_ = array<T>{target_.get_executor(), size};
        }
    }

    array<T>& target_;
    const array<Source>* source_;
    array<Source> local_source_;
    array<T> memory_;
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
