// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <initializer_list>
#include <memory>

#include <spruce/base/array.hpp>

namespace spruce {

/// A set of indices out of 0, ..., size - 1 on an executor, kept as its runs of consecutive indices (subsets): subset i is
/// begin_i, ..., end_i - 1, the subsets are in order and do not touch. An element's place in the set is its local index, its
/// value the global index. Functions of one index copy that one from or to the host; those of arrays run on the executor.
template <typename IndexType = int32>
class SPRUCE_EXPORT index_set {
public:
    using index_type = IndexType;

    /// The empty set.
    explicit index_set(std::shared_ptr<const Executor> exec);
    /// Out of 0, ..., the largest index. @param is_sorted  says that the indices are in order, and saves sorting them
    /// @throws OverflowError  if the largest index is the largest of its type
    index_set(std::shared_ptr<const Executor> exec, std::initializer_list<IndexType> indices, bool is_sorted = false);
    /// What occurs several times counts once.
    /// @throws OutOfBoundsError  if an index is negative or not below size; ValueMismatch if is_sorted is not true
    index_set(std::shared_ptr<const Executor> exec, index_type size, const array<index_type>& indices,
              bool is_sorted = false);
    index_set(const index_set& other);
    index_set(index_set&& other);
    index_set(std::shared_ptr<const Executor> exec, const index_set& other);
    index_set(std::shared_ptr<const Executor> exec, index_set&& other);
    /// Keep the executor.
    index_set& operator=(const index_set& other);
    index_set& operator=(index_set&& other);
    ~index_set();

    std::shared_ptr<const Executor> get_executor() const { return begins_.get_executor(); }
    /// The number of indices that there are to choose from.
    index_type get_size() const { return size_; }
    /// The number of indices in the set.
    index_type get_num_elems() const { return num_elems_; }
    index_type get_num_local_indices() const { return num_elems_; }
    size_type get_num_subsets() const { return begins_.get_size(); }
    /// Whether there is at most one subset.
    bool is_contiguous() const { return this->get_num_subsets() <= 1; }

    /// @throws OutOfBoundsError  if there is no such element
    index_type get_global_index(index_type local_index) const;
    /// -1 if the index is not in the set.
    index_type get_local_index(index_type global_index) const;
    bool contains(index_type global_index) const { return this->get_local_index(global_index) >= 0; }

    /// The same for arrays on any executor; the results are on this set's. is_sorted says that they are in order.
    /// An index that is no element's gives -1.
    array<index_type> map_local_to_global(const array<index_type>& local_indices, bool is_sorted = false) const;
    array<index_type> map_global_to_local(const array<index_type>& global_indices, bool is_sorted = false) const;
    array<bool> contains(const array<index_type>& global_indices, bool is_sorted = false) const;

    /// All elements in order.
    array<index_type> to_global_indices() const;

    /// Arrays of get_num_subsets() elements on the executor: first element, and one more than the last.
    const index_type* get_subsets_begin() const { return begins_.get_const_data(); }
    const index_type* get_subsets_end() const { return ends_.get_const_data(); }
    /// Local index of each subset's first element, and the number of elements behind them.
    const index_type* get_superset_indices() const { return offsets_.get_const_data(); }

    /// Becomes the empty set.
    void clear();

private:
    index_type size_{};
    index_type num_elems_{};
    array<index_type> begins_;
    array<index_type> ends_;
    array<index_type> offsets_;
};

}  // namespace spruce
