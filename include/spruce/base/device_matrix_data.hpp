// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/array.hpp>
#include <spruce/base/dim.hpp>
#include <spruce/base/matrix_data.hpp>
#include <spruce/matrix/formats.hpp>

namespace spruce {

/// Holds a matrix as (row, column, value) triples in three arrays on an executor. Matrix formats
/// are built from it on that executor.
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT device_matrix_data {
public:
    using value_type = ValueType;
    using index_type = IndexType;
    using host_type = matrix_data<ValueType, IndexType>;

    /// Holds the three arrays, which have the same length.
    struct arrays {
        array<index_type> row_idxs;
        array<index_type> col_idxs;
        array<value_type> values;
    };

    explicit device_matrix_data(std::shared_ptr<const Executor> exec, dim<2> size = {}, size_type num_entries = 0);
    device_matrix_data(std::shared_ptr<const Executor> exec, const device_matrix_data& data);
    device_matrix_data(const device_matrix_data&) = default;
    device_matrix_data(device_matrix_data&&) noexcept;
    /// Assigns the entries. The executor of the target does not change.
    device_matrix_data& operator=(const device_matrix_data& other);
    device_matrix_data& operator=(device_matrix_data&& other);
    ~device_matrix_data() = default;
    /// Creates a matrix with the entries in these arrays.
    /// @throws ValueMismatch  if the lengths differ
    device_matrix_data(std::shared_ptr<const Executor> exec, dim<2> size, array<index_type> row_idxs,
                       array<index_type> col_idxs, array<value_type> values);

    /// Copies a matrix from the host to exec.
    /// @throws OutOfBoundsError  if an entry lies outside the matrix
    static device_matrix_data create_from_host(std::shared_ptr<const Executor> exec, const host_type& data);
    host_type copy_to_host() const;

    void fill_zero();
    void resize_and_reset(size_type num_entries);
    void resize_and_reset(dim<2> size, size_type num_entries);

    // The following three functions run on the executor of the data. Their results are bitwise
    // repeatable on all executors. If they throw, nothing is changed, except that sum_duplicates()
    // may have sorted the entries.

    /// Sorts by row, then column. Entries at the same position keep their order. Data that are
    /// sorted already cost one pass over the indices.
    /// @throws OutOfBoundsError  if an index is not inside of get_size()
    /// @throws OverflowError  if there are more entries than the index type can count
    void sort_row_major();
    /// Sorts, then adds up the entries at each position in their order. If memory runs out, the
    /// entries are the same as before, but may be sorted. Throws like sort_row_major().
    void sum_duplicates();
    /// Removes the entries whose value is exactly zero. The other entries keep their order.
    /// @throws OverflowError  if there are more entries than the index type can count
    void remove_zeros();

    /// Moves the arrays out of this object, which is empty afterwards.
    arrays empty_out();

    std::shared_ptr<const Executor> get_executor() const { return values_.get_executor(); }
    dim<2> get_size() const { return size_; }
    size_type get_num_elems() const { return values_.get_size(); }
    size_type get_num_stored_elements() const { return values_.get_size(); }
    index_type* get_row_idxs() { return row_idxs_.get_data(); }
    const index_type* get_const_row_idxs() const { return row_idxs_.get_const_data(); }
    index_type* get_col_idxs() { return col_idxs_.get_data(); }
    const index_type* get_const_col_idxs() const { return col_idxs_.get_const_data(); }
    value_type* get_values() { return values_.get_data(); }
    const value_type* get_const_values() const { return values_.get_const_data(); }

private:
    template <typename, typename>
    friend class matrix::Coo;
    template <typename, typename>
    friend class matrix::Csr;

    dim<2> size_;
    array<index_type> row_idxs_;
    array<index_type> col_idxs_;
    array<value_type> values_;
};

}  // namespace spruce
