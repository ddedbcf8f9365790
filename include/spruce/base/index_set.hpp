// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <initializer_list>
#include <memory>

#include <spruce/base/array.hpp>

namespace spruce {

/// Holds a set of indices out of 0, ..., size - 1 on an executor. The set is stored as its runs of
/// consecutive indices, the subsets: subset i contains begin_i, ..., end_i - 1. The subsets are in
/// ascending order with gaps between them. The position of an element in the set is its local
/// index, and its value is the global index. A function of one index copies that index from or to
/// the host. Functions of arrays run on the executor.
template <typename IndexType = int32>
class SPRUCE_EXPORT index_set {
public:
    using index_type = IndexType;

    /// Creates the empty set.
    explicit index_set(std::shared_ptr<const Executor> exec);
    /// Creates a set out of 0, ..., max(indices).
    /// @param is_sorted  true if the indices are in ascending order
    /// @throws OverflowError  if the largest index is the largest number of its type
    index_set(std::shared_ptr<const Executor> exec, std::initializer_list<IndexType> indices, bool is_sorted = false);
    /// Creates a set out of 0, ..., size - 1. An index that occurs several times counts once.
    /// @throws OutOfBoundsError  if an index is negative or not below size
    /// @throws ValueMismatch  if is_sorted is true but the indices are not in ascending order
    index_set(std::shared_ptr<const Executor> exec, index_type size, const array<index_type>& indices,
              bool is_sorted = false);
    index_set(const index_set& other);
    index_set(index_set&& other);
    index_set(std::shared_ptr<const Executor> exec, const index_set& other);
    index_set(std::shared_ptr<const Executor> exec, index_set&& other);
    /// Copies or moves the elements. The executor of the target does not change.
    index_set& operator=(const index_set& other);
    index_set& operator=(index_set&& other);
    ~index_set();

    std::shared_ptr<const Executor> get_executor() const { return begins_.get_executor(); }
    /// Returns the upper bound of the indices: all are below this size.
    index_type get_size() const { return size_; }
    /// Returns the number of indices in the set.
    index_type get_num_elems() const { return num_elems_; }
    index_type get_num_local_indices() const { return num_elems_; }
    size_type get_num_subsets() const { return begins_.get_size(); }
    /// Returns true if there is at most one subset.
    bool is_contiguous() const { return this->get_num_subsets() <= 1; }

    /// Returns the element at a position of the set.
    /// @throws OutOfBoundsError  if there is no such element
    index_type get_global_index(index_type local_index) const;
    /// Returns the position of an element; -1 if the index is not in the set.
    index_type get_local_index(index_type global_index) const;
    bool contains(index_type global_index) const { return this->get_local_index(global_index) >= 0; }

    /// Translates an array of indices on any executor. The result is on the executor of this set.
    /// An index without a counterpart gives -1, and false from contains(). is_sorted states that
    /// the indices are in ascending order.
    array<index_type> map_local_to_global(const array<index_type>& local_indices, bool is_sorted = false) const;
    array<index_type> map_global_to_local(const array<index_type>& global_indices, bool is_sorted = false) const;
    array<bool> contains(const array<index_type>& global_indices, bool is_sorted = false) const;

    /// Returns all elements in ascending order.
    array<index_type> to_global_indices() const;

    /// Returns an array of get_num_subsets() indices on the executor. get_subsets_begin() gives the
    /// first element of each subset, and get_subsets_end() gives the last element plus one.
    const index_type* get_subsets_begin() const { return begins_.get_const_data(); }
    const index_type* get_subsets_end() const { return ends_.get_const_data(); }
    /// Returns the local index of the first element of each subset, followed by the number of
    /// elements.
    const index_type* get_superset_indices() const { return offsets_.get_const_data(); }

    /// Makes this the empty set.
    void clear();

private:
    index_type size_{};
    index_type num_elems_{};
    array<index_type> begins_;
    array<index_type> ends_;
    array<index_type> offsets_;
};

}  // namespace spruce
