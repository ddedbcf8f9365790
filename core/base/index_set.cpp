// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/index_set.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <spruce/base/exception.hpp>

#include "core/base/array_assignment.hpp"
#include "core/base/dispatch.hpp"
#include "core/base/index_checks.hpp"
#include "core/base/index_set_kernels.hpp"
#include "core/components/array_kernels.hpp"
#include "core/components/sort_kernels.hpp"

namespace spruce {

template <typename IndexType>
index_set<IndexType>::index_set(std::shared_ptr<const Executor> exec) : begins_{exec}, ends_{exec}, offsets_{exec, 1}
{
    offsets_.fill(0);
}

namespace {

/// Returns the size of the smallest set that can contain these indices.
/// @throws OverflowError  if IndexType cannot represent it
template <typename IndexType>
IndexType size_for(std::initializer_list<IndexType> indices)
{
    if (indices.size() == 0) {
        return 0;
    }
    const auto largest = std::max(indices);
    if (largest == std::numeric_limits<IndexType>::max()) {
        detail::throw_index_overflow<IndexType>("a set of one more index than " + std::to_string(largest));
    }
    return largest + 1;
}

}  // namespace

template <typename IndexType>
index_set<IndexType>::index_set(std::shared_ptr<const Executor> exec, std::initializer_list<IndexType> indices,
                                bool is_sorted)
    : index_set(exec, size_for(indices), array<IndexType>{exec, indices}, is_sorted)
{}

template <typename IndexType>
index_set<IndexType>::index_set(std::shared_ptr<const Executor> exec, index_type size,
                                const array<index_type>& all_indices, bool is_sorted)
    : index_set(exec)
{
    if (size < 0) {
        throw OutOfBoundsError(__FILE__, __LINE__, "index_set: a size of " + std::to_string(size));
    }
    array<IndexType> indices{exec, all_indices};
    const auto num = indices.get_size();
    bool has_invalid{};
    bool is_in_order{};
    kernels::index_set::inspect<IndexType>(*exec, indices.get_const_data(), num, size, has_invalid, is_in_order);
    if (has_invalid) {  // the following check reports the index
        detail::require_indices_below("index_set", indices, static_cast<size_type>(std::max<IndexType>(size, 0)));
    }
    if (is_sorted && !is_in_order) {
        throw ValueMismatch(__FILE__, __LINE__, "index_set", 1, 0, "the indices are said to be sorted, but are not");
    }
    if (!is_in_order) {
        array<IndexType> sorted{exec, num};
        array<IndexType> positions{exec, num};
        kernels::components::sort_keys<IndexType>(*exec, indices.get_const_data(), nullptr, num,
                                                  static_cast<size_type>(size), sorted.get_data(),
                                                  positions.get_data());
        indices = std::move(sorted);
    }
    array<IndexType> num_new{exec, num + 1};
    array<IndexType> num_runs{exec, num + 1};
    kernels::index_set::mark_runs<IndexType>(*exec, indices.get_const_data(), num, num_new.get_data(),
                                             num_runs.get_data());
    size_type num_elements{};
    size_type num_subsets{};
    kernels::components::prefix_sum<IndexType>(*exec, num_new.get_data(), num + 1, num_elements);
    kernels::components::prefix_sum<IndexType>(*exec, num_runs.get_data(), num + 1, num_subsets);
    begins_ = array<IndexType>{exec, num_subsets};
    ends_ = array<IndexType>{exec, num_subsets};
    offsets_ = array<IndexType>{exec, num_subsets + 1};
    kernels::index_set::collect_runs<IndexType>(*exec, indices.get_const_data(), num, num_new.get_const_data(),
                                                num_runs.get_const_data(), begins_.get_data(), ends_.get_data(),
                                                offsets_.get_data());
    num_elems_ = static_cast<IndexType>(num_elements);
    size_ = size;
}

template <typename IndexType>
index_set<IndexType>::index_set(const index_set& other) : index_set(other.get_executor(), other)
{}

template <typename IndexType>
index_set<IndexType>::index_set(index_set&& other) : index_set(other.get_executor(), std::move(other))
{}

template <typename IndexType>
index_set<IndexType>::index_set(std::shared_ptr<const Executor> exec, const index_set& other) : index_set(exec)
{
    *this = other;
}

template <typename IndexType>
index_set<IndexType>::index_set(std::shared_ptr<const Executor> exec, index_set&& other) : index_set(exec)
{
    *this = std::move(other);
}

template <typename IndexType>
index_set<IndexType>& index_set<IndexType>::operator=(const index_set& other)
{
    if (this != &other) {
        detail::array_assignment begins{begins_, other.begins_};
        detail::array_assignment ends{ends_, other.ends_};
        detail::array_assignment offsets{offsets_, other.offsets_};
        commit_all(begins, ends, offsets);
        size_ = other.size_;
        num_elems_ = other.num_elems_;
    }
    return *this;
}

template <typename IndexType>
index_set<IndexType>& index_set<IndexType>::operator=(index_set&& other)
{
    if (this != &other) {
        // The moved-from set is empty and has one offset.
        index_set empty{other.get_executor()};
        detail::array_assignment begins{begins_, std::move(other.begins_)};
        detail::array_assignment ends{ends_, std::move(other.ends_)};
        detail::array_assignment offsets{offsets_, std::move(other.offsets_)};
        commit_all(begins, ends, offsets);
        other.offsets_ = std::move(empty.offsets_);
        size_ = std::exchange(other.size_, 0);
        num_elems_ = std::exchange(other.num_elems_, 0);
    }
    return *this;
}

template <typename IndexType>
index_set<IndexType>::~index_set() = default;

template <typename IndexType>
void index_set<IndexType>::clear()
{
    *this = index_set{this->get_executor()};
}

template <typename IndexType>
IndexType index_set<IndexType>::get_global_index(index_type local_index) const
{
    if (local_index < 0 || local_index >= num_elems_) {
        throw OutOfBoundsError(__FILE__, __LINE__, static_cast<size_type>(local_index),
                               static_cast<size_type>(num_elems_));
    }
    const auto global = this->map_local_to_global(array<IndexType>{this->get_executor(), {local_index}});
    return this->get_executor()->copy_val_to_host(global.get_const_data());
}

template <typename IndexType>
IndexType index_set<IndexType>::get_local_index(index_type global_index) const
{
    const auto local = this->map_global_to_local(array<IndexType>{this->get_executor(), {global_index}});
    return this->get_executor()->copy_val_to_host(local.get_const_data());
}

template <typename IndexType>
array<IndexType> index_set<IndexType>::map_local_to_global(const array<index_type>& local_indices, bool) const
{
    const auto exec = this->get_executor();
    const array<IndexType> local{exec, local_indices};
    array<IndexType> result{exec, local.get_size()};
    kernels::index_set::to_global<IndexType>(*exec, this->get_subsets_begin(), this->get_superset_indices(),
                                             this->get_num_subsets(), local.get_const_data(), local.get_size(),
                                             result.get_data());
    return result;
}

template <typename IndexType>
array<IndexType> index_set<IndexType>::map_global_to_local(const array<index_type>& global_indices, bool) const
{
    const auto exec = this->get_executor();
    const array<IndexType> global{exec, global_indices};
    array<IndexType> result{exec, global.get_size()};
    kernels::index_set::to_local<IndexType>(*exec, this->get_subsets_begin(), this->get_subsets_end(),
                                            this->get_superset_indices(), this->get_num_subsets(),
                                            global.get_const_data(), global.get_size(), result.get_data());
    return result;
}

template <typename IndexType>
array<bool> index_set<IndexType>::contains(const array<index_type>& global_indices, bool) const
{
    const auto exec = this->get_executor();
    const array<IndexType> global{exec, global_indices};
    array<bool> result{exec, global.get_size()};
    kernels::index_set::contains<IndexType>(*exec, this->get_subsets_begin(), this->get_subsets_end(),
                                            this->get_num_subsets(), global.get_const_data(), global.get_size(),
                                            result.get_data());
    return result;
}

template <typename IndexType>
array<IndexType> index_set<IndexType>::to_global_indices() const
{
    const auto exec = this->get_executor();
    array<IndexType> local{exec, static_cast<size_type>(num_elems_)};
    kernels::components::fill_sequence<IndexType>(*exec, local.get_data(), local.get_size());
    return this->map_local_to_global(local, true);
}

#define SPRUCE_INDEX_SET(_index) class SPRUCE_EXPORT index_set<_index>
SPRUCE_INSTANTIATE_FOR_EACH_INDEX_TYPE(SPRUCE_INDEX_SET);

}  // namespace spruce
