// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include <spruce/base/executor.hpp>
#include <spruce/base/types.hpp>

namespace spruce {

template <typename ValueType>
class array;

namespace detail {

template <typename T, typename Source = T>
class array_assignment;

// These functions are defined in core/base/array.cpp for value, index and character types.
template <typename ValueType>
SPRUCE_EXPORT void fill_array(const Executor& exec, ValueType* data, size_type size, ValueType value);
template <typename ValueType>
SPRUCE_EXPORT void reduce_add_array(const array<ValueType>& values, array<ValueType>& result);
template <typename From, typename To>
SPRUCE_EXPORT void convert_array(const Executor& exec, const From* from, To* to, size_type size);

/// Refers to memory that it does not own and does not change.
template <typename ValueType>
class const_array_view {
public:
    const_array_view(std::shared_ptr<const Executor> exec, size_type size, const ValueType* data)
        : exec_{std::move(exec)}, size_{size}, data_{data}
    {
        if (size_ > 0) {
            require_pointers("array::const_view", exec_, data_);
        }
    }
    const_array_view(const const_array_view&) = delete;
    const_array_view& operator=(const const_array_view&) = delete;
    const_array_view(const_array_view&& other) noexcept
        : exec_{other.exec_}, size_{std::exchange(other.size_, 0)}, data_{std::exchange(other.data_, nullptr)}
    {}
    const_array_view& operator=(const_array_view&& other) noexcept
    {
        exec_ = other.exec_;
        size_ = std::exchange(other.size_, 0);
        data_ = std::exchange(other.data_, nullptr);
        return *this;
    }

    size_type get_size() const noexcept { return size_; }
    const ValueType* get_const_data() const noexcept { return data_; }
    std::shared_ptr<const Executor> get_executor() const noexcept { return exec_; }
    bool is_owning() const noexcept { return false; }
    array<ValueType> copy_to_array() const;

private:
    std::shared_ptr<const Executor> exec_;
    size_type size_;
    const ValueType* data_;
};

/// Owns the elements of an array. Moving it and releasing memory do not allocate.
template <typename ValueType>
class array_memory {
public:
    array_memory() noexcept = default;

    /// Allocates size elements.
    /// @throws AllocationError  if the memory cannot be allocated
    array_memory(std::shared_ptr<const Executor> exec, size_type size)
        : data_{exec->template alloc<ValueType>(size)}, exec_{std::move(exec)}
    {}

    /// Takes over data. The deleter releases data, even if this constructor throws.
    template <typename Deleter>
    array_memory(ValueType* data, Deleter deleter)
    {
        try {
            deleter_ = deleter;
        } catch (...) {
            deleter(data);
            throw;
        }
        data_ = data;
    }

    array_memory(array_memory&& other) noexcept { this->swap(other); }
    array_memory& operator=(array_memory&& other) noexcept
    {
        array_memory(std::move(other)).swap(*this);
        return *this;
    }

    ~array_memory()
    {
        if (deleter_) {
            deleter_(data_);
        } else if (data_) {
            exec_->free(data_);
        }
    }

    ValueType* get() const noexcept { return data_; }

private:
    void swap(array_memory& other) noexcept
    {
        std::swap(data_, other.data_);
        exec_.swap(other.exec_);
        deleter_.swap(other.deleter_);
    }

    ValueType* data_{};
    std::shared_ptr<const Executor> exec_;
    std::function<void(ValueType[])> deleter_;  ///< empty: the executor frees the memory
};

}  // namespace detail

/// Holds a buffer on an executor, or refers to memory that it does not own. Assignments copy
/// between executors.
///
/// If an assignment fails, the target does not change. So old and new memory exist at the same time
/// if the sizes differ. Empty arrays, views, and moves on one executor do not allocate memory.
template <typename ValueType>
class array {
public:
    using value_type = ValueType;
    using default_deleter = executor_deleter<value_type[]>;
    using view_deleter = null_deleter<value_type[]>;

    /// Creates an empty array without an executor. The first assignment gives it the executor of
    /// the source.
    array() noexcept = default;

    explicit array(std::shared_ptr<const Executor> exec) noexcept : exec_{std::move(exec)} {}

    /// Creates size uninitialised elements.
    /// @throws NotSupported  for elements without an executor; the constructors below throw it, too
    array(std::shared_ptr<const Executor> exec, size_type size) : array(std::move(exec))
    {
        if (size > 0) {
            this->require_executor();
            memory_ = memory_type{exec_, size};
            size_ = size;
        }
    }

    /// Takes over data, which the deleter releases. The array is a view with null_deleter, and owns
    /// its memory with the default deleter.
    /// @throws NotSupported  for elements at a null pointer or without an executor; data is not
    ///     taken over then
    template <typename Deleter>
    array(std::shared_ptr<const Executor> exec, size_type size, value_type* data, Deleter deleter)
        : exec_{std::move(exec)}, is_owning_{std::is_same_v<Deleter, default_deleter>}
    {
        if (size > 0) {
            detail::require_pointers("array (the data and its executor)", data, exec_);
        }
        memory_ = memory_type{data, std::move(deleter)};
        size_ = size;
    }
    array(std::shared_ptr<const Executor> exec, size_type size, value_type* data)
        : array(exec, size, data, default_deleter{exec})
    {}

    template <typename RandomAccessIterator,
              typename = typename std::iterator_traits<RandomAccessIterator>::iterator_category>
    array(std::shared_ptr<const Executor> exec, RandomAccessIterator begin, RandomAccessIterator end) : array(exec)
    {
        this->require_executor();
        array host(exec->get_master(), std::distance(begin, end));
        std::copy(begin, end, host.get_data());
        *this = std::move(host);
    }

    template <typename T>
    array(std::shared_ptr<const Executor> exec, std::initializer_list<T> values)
        : array(std::move(exec), values.begin(), values.end())
    {}

    array(std::shared_ptr<const Executor> exec, const array& other) : array(std::move(exec)) { *this = other; }
    array(std::shared_ptr<const Executor> exec, array&& other) : array(std::move(exec)) { *this = std::move(other); }
    array(const array& other) : array(other.exec_, other) {}
    array(array&& other) noexcept
        : size_{std::exchange(other.size_, 0)},
          memory_{std::move(other.memory_)},
          exec_{other.exec_},
          is_owning_{std::exchange(other.is_owning_, true)}
    {}
    array(const detail::const_array_view<ValueType>& other) : array(other.get_executor()) { *this = other; }

    static array view(std::shared_ptr<const Executor> exec, size_type size, value_type* data)
    {
        return array{std::move(exec), size, data, view_deleter{}};
    }
    static detail::const_array_view<ValueType> const_view(std::shared_ptr<const Executor> exec, size_type size,
                                                          const value_type* data)
    {
        return {std::move(exec), size, data};
    }
    array as_view() { return view(exec_, size_, this->get_data()); }
    detail::const_array_view<ValueType> as_const_view() const { return {exec_, size_, this->get_const_data()}; }

    /// Copies the elements. The executor of the target does not change. A target that is a view has
    /// to be large enough, and keeps its size.
    /// @throws OutOfBoundsError  if the target is a view and too small; nothing is changed then
    array& operator=(const array& other)
    {
        if (&other != this) {
            this->assign(other.exec_, other.size_, other.get_const_data());
        }
        return *this;
    }
    array& operator=(const detail::const_array_view<ValueType>& other)
    {
        this->assign(other.get_executor(), other.get_size(), other.get_const_data());
        return *this;
    }

    /// Moves the memory if the executors are the same. Otherwise copies the elements and empties
    /// the source.
    array& operator=(array&& other)
    {
        if (&other == this) {
            return *this;
        }
        if (!exec_) {
            exec_ = other.exec_;
        }
        if (exec_ == other.exec_) {
            if (other.is_view_of(*this)) {
                other = array{static_cast<const array&>(other)};
            }
            memory_ = std::move(other.memory_);
            size_ = std::exchange(other.size_, 0);
            is_owning_ = std::exchange(other.is_owning_, true);
        } else {
            *this = other;
            other.clear();
        }
        return *this;
    }

    /// Copies the elements and converts their type.
    template <typename OtherValueType, std::enable_if_t<!std::is_same_v<ValueType, OtherValueType>>* = nullptr>
    array& operator=(const array<OtherValueType>& other)
    {
        const auto source = other.get_executor();
        if (!source) {
            this->clear();
        } else if (exec_ && !exec_->memory_accessible(source)) {
            *this = array<OtherValueType>{exec_, other};
        } else {
            this->overwrite(source, other.get_size(), [&](const Executor& exec, value_type* data) {
                detail::convert_array(exec, other.get_const_data(), data, other.get_size());
            });
        }
        return *this;
    }

    void clear() noexcept
    {
        size_ = 0;
        memory_ = {};
        is_owning_ = true;
    }

    /// Resizes the array to size elements. Their values are lost unless the size does not change.
    /// @throws NotSupported  for a view or without an executor
    void resize_and_reset(size_type size)
    {
        if (size == size_) {
            return;
        }
        if (!exec_ || !is_owning_) {
            throw NotSupported(__FILE__, __LINE__, "array::resize_and_reset",
                               exec_ ? "a view" : "an array without an executor");
        }
        *this = array{exec_, size};
    }

    std::vector<std::remove_const_t<ValueType>> copy_to_host() const
    {
        if constexpr (std::is_same_v<std::remove_const_t<ValueType>, bool>) {
            // The elements of a vector of bool are bits, which cannot be the target of a copy.
            const array host{exec_ ? exec_->get_master() : nullptr, *this};
            return std::vector<bool>(host.get_const_data(), host.get_const_data() + size_);
        } else {
            std::vector<value_type> result(size_);
            if (size_ > 0) {
                exec_->get_master()->copy_from(exec_, size_, this->get_const_data(), result.data());
            }
            return result;
        }
    }

    void fill(const value_type value)
    {
        if (size_ > 0) {
            detail::fill_array(*exec_, this->get_data(), size_, value);
        }
    }

    size_type get_size() const noexcept { return size_; }
    size_type get_num_elems() const noexcept { return size_; }
    value_type* get_data() noexcept { return memory_.get(); }
    const value_type* get_const_data() const noexcept { return memory_.get(); }
    std::shared_ptr<const Executor> get_executor() const noexcept { return exec_; }
    bool is_owning() const noexcept { return is_owning_; }

    /// Moves the elements to another executor.
    /// @throws NotSupported  for a null pointer
    void set_executor(std::shared_ptr<const Executor> exec)
    {
        if (exec != exec_) {
            detail::require_pointers("array::set_executor", exec);
            array moved(std::move(exec));
            moved = *this;
            exec_ = moved.exec_;
            *this = std::move(moved);
        }
    }

private:
    template <typename, typename>
    friend class detail::array_assignment;

    using memory_type = detail::array_memory<value_type>;

    /// Returns true if this array is a view of memory that other owns.
    bool is_view_of(const array& other) const
    {
        const std::less<const value_type*> is_before;
        const auto begin = other.get_const_data();
        return !is_owning_ && other.is_owning_ && size_ > 0 && other.size_ > 0 &&
               !is_before(this->get_const_data(), begin) && is_before(this->get_const_data(), begin + other.size_);
    }

    void require_executor() const
    {
        if (!exec_) {
            detail::throw_null_pointer("array (the executor)");
        }
    }

    void assign(const std::shared_ptr<const Executor>& source, size_type size, const value_type* data)
    {
        if (!source) {
            this->clear();
            return;
        }
        this->overwrite(source, size,
                        [&](const Executor& exec, value_type* target) { exec.copy_from(source, size, data, target); });
    }

    /// Calls fill(executor, data) for size elements. The present memory is used if it fits. If
    /// this array has no executor, it takes that of the source.
    template <typename Fill>
    void overwrite(const std::shared_ptr<const Executor>& source, size_type size, Fill fill)
    {
        if (!is_owning_ && size > size_) {
            throw OutOfBoundsError(__FILE__, __LINE__, size, size_);
        }
        const auto& exec = exec_ ? exec_ : source;
        if (!is_owning_ || (exec_ && size == size_)) {
            if (size > 0) {
                fill(*exec, this->get_data());
            }
            return;
        }
        array replacement{exec, size};
        if (size > 0) {
            fill(*exec, replacement.get_data());
        }
        *this = std::move(replacement);
    }

    size_type size_{};
    memory_type memory_;
    std::shared_ptr<const Executor> exec_;
    bool is_owning_{true};
};

template <typename ValueType>
using Array SPRUCE_DEPRECATED("use array") = array<ValueType>;

namespace detail {
template <typename ValueType>
array<ValueType> const_array_view<ValueType>::copy_to_array() const
{
    array<ValueType> result(exec_);
    result = *this;
    return result;
}

/// Turns a read-only view into a view that can be written.
template <typename ValueType>
array<ValueType> array_const_cast(const_array_view<ValueType> view)
{
    return array<ValueType>::view(view.get_executor(), view.get_size(), const_cast<ValueType*>(view.get_const_data()));
}
}  // namespace detail

/// Creates a view of elements that it does not own; see array::view().
template <typename ValueType>
array<ValueType> make_array_view(std::shared_ptr<const Executor> exec, size_type size, ValueType* data)
{
    return array<ValueType>::view(std::move(exec), size, data);
}
/// Creates a read-only view of elements that it does not own; see array::const_view().
template <typename ValueType>
detail::const_array_view<ValueType> make_const_array_view(std::shared_ptr<const Executor> exec, size_type size,
                                                          const ValueType* data)
{
    return array<ValueType>::const_view(std::move(exec), size, data);
}

/// Returns init plus the sum of the elements. The result is bitwise repeatable on every executor;
/// on omp this requires a fixed number of threads.
/// @throws NotSupported  for an array without an executor
template <typename ValueType>
ValueType reduce_add(const array<ValueType>& values, ValueType init = ValueType{})
{
    array<ValueType> result{values.get_executor(), {init}};
    detail::reduce_add_array(values, result);
    return values.get_executor()->copy_val_to_host(result.get_const_data());
}
/// Adds the sum of the elements to the one element of result.
/// @throws NotSupported  for an array without an executor
template <typename ValueType>
void reduce_add(const array<ValueType>& values, array<ValueType>& result)
{
    if (!values.get_executor()) {
        detail::throw_null_pointer("reduce_add (the array's executor)");
    }
    if (result.get_size() != 1) {
        throw ValueMismatch(__FILE__, __LINE__, "reduce_add", result.get_size(), 1, "the result holds one element");
    }
    detail::reduce_add_array(values, result);
}

}  // namespace spruce
