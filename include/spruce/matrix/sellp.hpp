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

constexpr int default_slice_size = 64;
constexpr int default_stride_factor = 1;
/// Bounds slice sizes and stride factors of a Sellp. The limit is beyond useful values, and sums of
/// padded rows cannot overflow.
constexpr int max_slice_extent = 1 << 20;

/// Stores a sparse matrix in slices of slice_size rows, each of them like an Ell (Kreutzer et al.
/// 2014; Anzt, Tomov, Dongarra 2014).
///
/// Each slice has space for its longest row, rounded up to a multiple of stride_factor. Slice s has
/// slice_lengths[s] columns: the columns slice_sets[s] to slice_sets[s + 1] - 1 of all. Entry i of
/// row r is at (slice_sets[s] + i) * slice_size + r % slice_size with s = r / slice_size. If a row
/// has fewer entries, the column is -1 and the value has no effect. Several entries may have the
/// same row and column: all are stored, and products and extract_diagonal() add them up.
///
/// The format suits matrices whose neighbouring rows are about equally long. Every operation is
/// bitwise repeatable on every executor.
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT Sellp
    : public EnableLinOp<Sellp<ValueType, IndexType>>,
      public ConvertibleToEach<Sellp<next_precision<ValueType>, IndexType>, Csr<ValueType, IndexType>>,
      public ConvertibleToEachViaCsr<ValueType, IndexType, Dense<ValueType>, Coo<ValueType, IndexType>,
                                     Ell<ValueType, IndexType>, Hybrid<ValueType, IndexType>,
                                     Fbcsr<ValueType, IndexType>, SparsityCsr<ValueType, IndexType>>,
      public DataViaCsr<ValueType, IndexType>,
      public DiagonalExtractable<ValueType>,
      public DotApplicable<ValueType>,
      public EnableAbsoluteComputation<remove_complex<Sellp<ValueType, IndexType>>>,
      public TransposableViaCsr<Sellp<ValueType, IndexType>>,
      public ScalePermutableViaCsr<Sellp<ValueType, IndexType>, ValueType, IndexType>,
      public SortableViaCsr<Sellp<ValueType, IndexType>> {
    friend class EnablePolymorphicObject<Sellp, LinOp>;
    friend class Sellp<next_precision<ValueType>, IndexType>;
    friend class Sellp<to_complex<ValueType>, IndexType>;
    friend class Csr<ValueType, IndexType>;
    using conversions = ConvertibleToEach<Sellp<next_precision<ValueType>, IndexType>, Csr<ValueType, IndexType>>;
    using conversions_via_csr =
        ConvertibleToEachViaCsr<ValueType, IndexType, Dense<ValueType>, Coo<ValueType, IndexType>,
                                Ell<ValueType, IndexType>, Hybrid<ValueType, IndexType>, Fbcsr<ValueType, IndexType>,
                                SparsityCsr<ValueType, IndexType>>;

public:
    using EnableLinOp<Sellp>::convert_to;
    using EnableLinOp<Sellp>::move_to;
    using conversions::convert_to;
    using conversions::move_to;
    using conversions_via_csr::convert_to;
    using conversions_via_csr::move_to;

    using value_type = ValueType;
    using index_type = IndexType;
    using mat_data = matrix_data<ValueType, IndexType>;
    using transposed_type = Sellp;
    using absolute_type = remove_complex<Sellp>;

    /// Creates a matrix without entries, with arrays for total_cols columns. slice_sets,
    /// slice_lengths and columns are not initialized.
    static std::unique_ptr<Sellp> create(std::shared_ptr<const Executor> exec, const dim<2>& size = {},
                                         size_type total_cols = 0);
    /// Creates a matrix without entries, with this slice size and stride factor.
    /// @throws BadDimension  if slice_size or stride_factor is zero or larger than max_slice_extent
    /// @throws OverflowError  if IndexType cannot count the rows or columns, or the number of
    ///     elements overflows
    static std::unique_ptr<Sellp> create(std::shared_ptr<const Executor> exec, const dim<2>& size, size_type slice_size,
                                         size_type stride_factor, size_type total_cols);

    Sellp(const Sellp& other);
    Sellp(Sellp&& other);
    Sellp& operator=(const Sellp& other);
    Sellp& operator=(Sellp&& other);
    ~Sellp() override;

    void convert_to(Sellp<next_precision<ValueType>, IndexType>* result) const override;
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
    size_type* get_slice_lengths() noexcept { return slice_lengths_.get_data(); }
    const size_type* get_const_slice_lengths() const noexcept { return slice_lengths_.get_const_data(); }
    size_type* get_slice_sets() noexcept { return slice_sets_.get_data(); }
    const size_type* get_const_slice_sets() const noexcept { return slice_sets_.get_const_data(); }
    size_type get_slice_size() const noexcept { return slice_size_; }
    size_type get_stride_factor() const noexcept { return stride_factor_; }
    /// Returns the number of columns of all slices.
    size_type get_total_cols() const noexcept { return values_.get_size() / slice_size_; }
    /// Returns the number of elements of the arrays, padding included.
    size_type get_num_stored_elements() const noexcept { return values_.get_size(); }

    /// Returns the value or column of entry idx of a row. The row is counted within the slice that
    /// begins at column slice_set. The memory must be accessible on the host.
    value_type& val_at(size_type row, size_type slice_set, size_type idx) noexcept
    {
        return this->get_values()[this->linearize_index(row, slice_set, idx)];
    }
    value_type val_at(size_type row, size_type slice_set, size_type idx) const noexcept
    {
        return this->get_const_values()[this->linearize_index(row, slice_set, idx)];
    }
    index_type& col_at(size_type row, size_type slice_set, size_type idx) noexcept
    {
        return this->get_col_idxs()[this->linearize_index(row, slice_set, idx)];
    }
    index_type col_at(size_type row, size_type slice_set, size_type idx) const noexcept
    {
        return this->get_const_col_idxs()[this->linearize_index(row, slice_set, idx)];
    }

protected:
    bool has_static_launches() const override { return typeid(*this) == typeid(Sellp); }

    explicit Sellp(std::shared_ptr<const Executor> exec, const dim<2>& size = {}, size_type total_cols = 0);
    Sellp(std::shared_ptr<const Executor> exec, const dim<2>& size, size_type slice_size, size_type stride_factor,
          size_type total_cols);

    /// Computes x = this b. b and x are Dense of any value type, in either precision: see
    /// LinOp::apply().
    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    size_type linearize_index(size_type row, size_type slice_set, size_type idx) const noexcept
    {
        return (slice_set + idx) * slice_size_ + row;
    }
    void allocate(size_type total_cols);
    /// Replaces this matrix by a, with the present slice size and stride factor.
    void take_entries(const Csr<ValueType, IndexType>& a);

    array<value_type> values_;
    array<index_type> col_idxs_;
    array<size_type> slice_lengths_;
    array<size_type> slice_sets_;
    size_type slice_size_{default_slice_size};
    size_type stride_factor_{default_stride_factor};
};

}  // namespace matrix
}  // namespace spruce
