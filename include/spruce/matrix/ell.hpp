// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <typeinfo>

#include <spruce/base/array.hpp>
#include <spruce/base/lin_op.hpp>
#include <spruce/base/math.hpp>
#include <spruce/matrix/formats.hpp>
#include <spruce/matrix/via_csr.hpp>

namespace spruce {
namespace matrix {

/// Stores a sparse matrix with space for the same number of entries in every row.
///
/// Entry i of row r is at r + stride * i of col_idxs and values, so neighbouring rows are adjacent.
/// If a row has fewer entries, the column is -1 and the value has no effect. Several entries may
/// have the same row and column: all are stored, and products and extract_diagonal() add them up.
///
/// The format suits matrices whose rows are about equally long, because products read all stored
/// elements, padding included. Every operation is bitwise repeatable on every executor.
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT Ell
    : public EnableLinOp<Ell<ValueType, IndexType>>,
      public ConvertibleToEach<Ell<next_precision<ValueType>, IndexType>, Csr<ValueType, IndexType>>,
      public ConvertibleToEachViaCsr<ValueType, IndexType, Dense<ValueType>, Coo<ValueType, IndexType>,
                                     Sellp<ValueType, IndexType>, Hybrid<ValueType, IndexType>,
                                     Fbcsr<ValueType, IndexType>, SparsityCsr<ValueType, IndexType>>,
      public DataViaCsr<ValueType, IndexType>,
      public DiagonalExtractable<ValueType>,
      public DotApplicable<ValueType>,
      public EnableAbsoluteComputation<remove_complex<Ell<ValueType, IndexType>>>,
      public TransposableViaCsr<Ell<ValueType, IndexType>>,
      public ScalePermutableViaCsr<Ell<ValueType, IndexType>, ValueType, IndexType>,
      public SortableViaCsr<Ell<ValueType, IndexType>> {
    friend class EnablePolymorphicObject<Ell, LinOp>;
    friend class Ell<next_precision<ValueType>, IndexType>;
    friend class Ell<to_complex<ValueType>, IndexType>;
    friend class Csr<ValueType, IndexType>;
    friend class Hybrid<ValueType, IndexType>;
    using conversions = ConvertibleToEach<Ell<next_precision<ValueType>, IndexType>, Csr<ValueType, IndexType>>;
    using conversions_via_csr =
        ConvertibleToEachViaCsr<ValueType, IndexType, Dense<ValueType>, Coo<ValueType, IndexType>,
                                Sellp<ValueType, IndexType>, Hybrid<ValueType, IndexType>, Fbcsr<ValueType, IndexType>,
                                SparsityCsr<ValueType, IndexType>>;

public:
    using EnableLinOp<Ell>::convert_to;
    using EnableLinOp<Ell>::move_to;
    using conversions::convert_to;
    using conversions::move_to;
    using conversions_via_csr::convert_to;
    using conversions_via_csr::move_to;

    using value_type = ValueType;
    using index_type = IndexType;
    using mat_data = matrix_data<ValueType, IndexType>;
    using transposed_type = Ell;
    using absolute_type = remove_complex<Ell>;

    /// Creates a matrix without entries.
    /// @param num_stored_elements_per_row  number of entries for which each row has space
    /// @param stride  at least the number of rows; 0: the number of rows. A larger stride is kept
    ///     by read() and by conversions to this matrix if the number of rows stays the same or was
    ///     0; otherwise the library chooses one.
    /// @throws BadDimension  if the stride is neither 0 nor at least the number of rows
    /// @throws OverflowError  if IndexType cannot count the rows or columns, or the number of
    ///     elements overflows
    static std::unique_ptr<Ell> create(std::shared_ptr<const Executor> exec, const dim<2>& size = {},
                                       size_type num_stored_elements_per_row = 0, size_type stride = 0);
    /// Creates a matrix that takes the arrays, or views them if they are views. Their contents are
    /// not checked.
    /// @throws BadDimension  if the stride is smaller than the number of rows
    /// @throws ValueMismatch  if the arrays do not have num_stored_elements_per_row * stride
    ///     elements each
    static std::unique_ptr<Ell> create(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                       array<value_type> values, array<index_type> col_idxs,
                                       size_type num_stored_elements_per_row, size_type stride);
    static std::unique_ptr<const Ell> create_const(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                                   detail::const_array_view<ValueType>&& values,
                                                   detail::const_array_view<IndexType>&& col_idxs,
                                                   size_type num_stored_elements_per_row, size_type stride);

    Ell(const Ell& other);
    Ell(Ell&& other);
    Ell& operator=(const Ell& other);
    Ell& operator=(Ell&& other);
    ~Ell() override;

    void convert_to(Ell<next_precision<ValueType>, IndexType>* result) const override;
    /// Converts to Csr. The entries of a row keep their order, zeros included.
    /// @throws OverflowError  if IndexType cannot count the entries
    void convert_to(Csr<ValueType, IndexType>* result) const override;

    std::unique_ptr<Diagonal<ValueType>> extract_diagonal() const override;

    void apply_with_dot(const Dense<ValueType>* b, Dense<ValueType>* x, Dense<ValueType>* dot,
                        const Reduction& reduction) const override;

    std::unique_ptr<absolute_type> compute_absolute() const override;
    void compute_absolute_inplace() override;

    value_type* get_values() noexcept { return values_.get_data(); }
    const value_type* get_const_values() const noexcept { return values_.get_const_data(); }
    memory_extent get_memory_extent() const noexcept override { return detail::extent_of(values_); }
    index_type* get_col_idxs() noexcept { return col_idxs_.get_data(); }
    const index_type* get_const_col_idxs() const noexcept { return col_idxs_.get_const_data(); }
    size_type get_num_stored_elements_per_row() const noexcept { return num_stored_elements_per_row_; }
    size_type get_stride() const noexcept { return stride_; }
    /// Returns the number of elements of the arrays, padding included.
    size_type get_num_stored_elements() const noexcept { return values_.get_size(); }

    /// Returns the value or column of entry idx of a row, or of entry idx if all are counted row by
    /// row. The memory must be accessible on the host.
    value_type& val_at(size_type row, size_type idx) noexcept
    {
        return values_.get_data()[this->linearize_index(row, idx)];
    }
    value_type val_at(size_type row, size_type idx) const noexcept
    {
        return values_.get_const_data()[this->linearize_index(row, idx)];
    }
    index_type& col_at(size_type row, size_type idx) noexcept
    {
        return this->get_col_idxs()[this->linearize_index(row, idx)];
    }
    index_type col_at(size_type row, size_type idx) const noexcept
    {
        return this->get_const_col_idxs()[this->linearize_index(row, idx)];
    }
    value_type& val_at(size_type idx) noexcept { return this->get_values()[this->linearize_index(idx)]; }
    value_type val_at(size_type idx) const noexcept { return this->get_const_values()[this->linearize_index(idx)]; }
    index_type& col_at(size_type idx) noexcept { return this->get_col_idxs()[this->linearize_index(idx)]; }
    index_type col_at(size_type idx) const noexcept { return this->get_const_col_idxs()[this->linearize_index(idx)]; }

protected:
    bool has_static_launches() const override { return typeid(*this) == typeid(Ell); }

    explicit Ell(std::shared_ptr<const Executor> exec, const dim<2>& size = {},
                 size_type num_stored_elements_per_row = 0, size_type stride = 0);
    Ell(std::shared_ptr<const Executor> exec, const dim<2>& size, array<value_type> values, array<index_type> col_idxs,
        size_type num_stored_elements_per_row, size_type stride);

    /// Computes x = this b. b and x are Dense of any value type, in either precision: see
    /// LinOp::apply().
    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    size_type linearize_index(size_type row, size_type idx) const noexcept { return row + stride_ * idx; }
    size_type linearize_index(size_type idx) const noexcept
    {
        return this->linearize_index(idx / num_stored_elements_per_row_, idx % num_stored_elements_per_row_);
    }
    /// Replaces this matrix by the first entries of each row of a, at most
    /// num_stored_elements_per_row.
    void take_entries(const Csr<ValueType, IndexType>& a, size_type num_stored_elements_per_row);

    array<value_type> values_;
    array<index_type> col_idxs_;
    size_type num_stored_elements_per_row_{};
    size_type stride_{};
};

}  // namespace matrix
}  // namespace spruce
