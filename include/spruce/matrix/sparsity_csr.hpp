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

/// Stores a sparse matrix whose entries all have the same value: the pattern of a Csr and one
/// number.
///
/// Reading keeps the pattern and sets the value to one. Permuted matrices and submatrices keep the
/// value. Several entries may have the same row and column: all are stored, and products,
/// extract_diagonal() and the conversion to Dense count the value once for each. All operations are
/// bitwise repeatable, on omp for a fixed number of threads.
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT SparsityCsr
    : public EnableLinOp<SparsityCsr<ValueType, IndexType>>,
      public ConvertibleToEach<SparsityCsr<next_precision<ValueType>, IndexType>, Csr<ValueType, IndexType>>,
      public ConvertibleToEachViaCsr<ValueType, IndexType, Dense<ValueType>, Coo<ValueType, IndexType>,
                                     Ell<ValueType, IndexType>, Sellp<ValueType, IndexType>,
                                     Hybrid<ValueType, IndexType>, Fbcsr<ValueType, IndexType>>,
      public DataViaCsr<ValueType, IndexType>,
      public DiagonalExtractable<ValueType>,
      public EnableAbsoluteComputation<remove_complex<SparsityCsr<ValueType, IndexType>>>,
      public Transposable,
      public PermutableViaCsr<SparsityCsr<ValueType, IndexType>, ValueType, IndexType> {
    friend class EnablePolymorphicObject<SparsityCsr, LinOp>;
    friend class SparsityCsr<next_precision<ValueType>, IndexType>;
    friend class SparsityCsr<to_complex<ValueType>, IndexType>;
    friend class Csr<ValueType, IndexType>;
    using conversions = ConvertibleToEach<SparsityCsr<next_precision<ValueType>, IndexType>, Csr<ValueType, IndexType>>;
    using conversions_via_csr =
        ConvertibleToEachViaCsr<ValueType, IndexType, Dense<ValueType>, Coo<ValueType, IndexType>,
                                Ell<ValueType, IndexType>, Sellp<ValueType, IndexType>, Hybrid<ValueType, IndexType>,
                                Fbcsr<ValueType, IndexType>>;

public:
    using EnableLinOp<SparsityCsr>::convert_to;
    using EnableLinOp<SparsityCsr>::move_to;
    using conversions::convert_to;
    using conversions::move_to;
    using conversions_via_csr::convert_to;
    using conversions_via_csr::move_to;

    using value_type = ValueType;
    using index_type = IndexType;
    using transposed_type = SparsityCsr;
    using absolute_type = remove_complex<SparsityCsr>;
    using mat_data = matrix_data<ValueType, IndexType>;

    /// Creates a matrix with memory for num_nonzeros entries of value one.
    /// @throws OverflowError  if IndexType cannot count the rows or columns
    static std::unique_ptr<SparsityCsr> create(std::shared_ptr<const Executor> exec, const dim<2>& size = {},
                                               size_type num_nonzeros = 0);
    /// Creates a matrix that takes the arrays, or views them if they are views. Their contents are
    /// not checked.
    /// @throws ValueMismatch  if row_ptrs does not hold rows + 1 elements
    static std::unique_ptr<SparsityCsr> create(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                               array<index_type> col_idxs, array<index_type> row_ptrs,
                                               value_type value = one<ValueType>());
    static std::unique_ptr<const SparsityCsr> create_const(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                                           detail::const_array_view<index_type>&& col_idxs,
                                                           detail::const_array_view<index_type>&& row_ptrs,
                                                           value_type value = one<ValueType>());
    /// Creates the pattern of a matrix.
    /// @throws NotSupported  if the matrix does not convert to this type
    static std::unique_ptr<SparsityCsr> create(std::shared_ptr<const Executor> exec,
                                               std::shared_ptr<const LinOp> matrix);

    SparsityCsr(const SparsityCsr& other);
    SparsityCsr(SparsityCsr&& other);
    SparsityCsr& operator=(const SparsityCsr& other);
    SparsityCsr& operator=(SparsityCsr&& other);
    ~SparsityCsr() override;

    void convert_to(SparsityCsr<next_precision<ValueType>, IndexType>* result) const override;
    void convert_to(Csr<ValueType, IndexType>* result) const override;

    /// Returns the transpose. Columns within its rows are sorted.
    std::unique_ptr<LinOp> transpose() const override;
    std::unique_ptr<LinOp> conj_transpose() const override;

    std::unique_ptr<Diagonal<ValueType>> extract_diagonal() const override;

    std::unique_ptr<absolute_type> compute_absolute() const override;
    void compute_absolute_inplace() override;

    /// Returns the pattern without its diagonal, with value one.
    /// @throws DimensionMismatch  if the matrix is not square
    std::unique_ptr<SparsityCsr> to_adjacency_matrix() const;

    /// Sorts the entries of each row by column.
    void sort_by_column_index();
    bool is_sorted_by_column_index() const;

    index_type* get_col_idxs() noexcept { return col_idxs_.get_data(); }
    const index_type* get_const_col_idxs() const noexcept { return col_idxs_.get_const_data(); }
    index_type* get_row_ptrs() noexcept { return row_ptrs_.get_data(); }
    const index_type* get_const_row_ptrs() const noexcept { return row_ptrs_.get_const_data(); }
    /// Returns the value of all entries: one element on the executor of the matrix.
    value_type* get_value() noexcept { return value_.get_data(); }
    const value_type* get_const_value() const noexcept { return value_.get_const_data(); }
    memory_extent get_memory_extent() const noexcept override { return detail::extent_of(value_); }
    size_type get_num_nonzeros() const noexcept { return col_idxs_.get_size(); }
    /// Returns the number of entries of the longest row of the arrays, or more, or the largest
    /// number if it is not known. It was determined when the matrix got its arrays. On GPUs it
    /// decides how products are computed, which are correct in any case.
    size_type get_max_row_length() const noexcept { return max_row_length_; }

protected:
    explicit SparsityCsr(std::shared_ptr<const Executor> exec, const dim<2>& size = {}, size_type num_nonzeros = 0);
    SparsityCsr(std::shared_ptr<const Executor> exec, const dim<2>& size, array<index_type> col_idxs,
                array<index_type> row_ptrs, value_type value);

    bool has_static_launches() const override { return typeid(*this) == typeid(SparsityCsr); }
    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    static constexpr auto unknown_length = ~size_type{};

    std::unique_ptr<SparsityCsr> transposed_pattern() const;

    array<index_type> col_idxs_;
    array<index_type> row_ptrs_;
    array<value_type> value_;
    size_type max_row_length_{unknown_length};
};

}  // namespace matrix
}  // namespace spruce
