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

/// Stores a sparse matrix of dense blocks of bs x bs entries, compressed by rows of blocks.
///
/// Block row i has the blocks row_ptrs[i] to row_ptrs[i + 1] - 1, of block columns col_idxs. Entry
/// (i, j) of block k is values[k bs^2 + j bs + i]: blocks are stored column by column. Numbers of
/// rows and columns are multiples of bs. All entries of a block are stored, zeros included. Reading
/// and conversions to this format add up entries with the same row and column. No block row may
/// have a block column twice. All operations are bitwise repeatable, on omp for a fixed number of
/// threads.
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT Fbcsr
    : public EnableLinOp<Fbcsr<ValueType, IndexType>>,
      public ConvertibleToEach<Fbcsr<next_precision<ValueType>, IndexType>, Csr<ValueType, IndexType>>,
      public ConvertibleToEachViaCsr<ValueType, IndexType, Dense<ValueType>, Coo<ValueType, IndexType>,
                                     Ell<ValueType, IndexType>, Sellp<ValueType, IndexType>,
                                     Hybrid<ValueType, IndexType>, SparsityCsr<ValueType, IndexType>>,
      public DataViaCsr<ValueType, IndexType>,
      public DiagonalExtractable<ValueType>,
      public EnableAbsoluteComputation<remove_complex<Fbcsr<ValueType, IndexType>>>,
      public Transposable,
      public ScalePermutableViaCsr<Fbcsr<ValueType, IndexType>, ValueType, IndexType> {
    friend class EnablePolymorphicObject<Fbcsr, LinOp>;
    friend class Fbcsr<next_precision<ValueType>, IndexType>;
    friend class Csr<ValueType, IndexType>;
    using conversions = ConvertibleToEach<Fbcsr<next_precision<ValueType>, IndexType>, Csr<ValueType, IndexType>>;
    using conversions_via_csr =
        ConvertibleToEachViaCsr<ValueType, IndexType, Dense<ValueType>, Coo<ValueType, IndexType>,
                                Ell<ValueType, IndexType>, Sellp<ValueType, IndexType>, Hybrid<ValueType, IndexType>,
                                SparsityCsr<ValueType, IndexType>>;

public:
    using EnableLinOp<Fbcsr>::convert_to;
    using EnableLinOp<Fbcsr>::move_to;
    using conversions::convert_to;
    using conversions::move_to;
    using conversions_via_csr::convert_to;
    using conversions_via_csr::move_to;

    using value_type = ValueType;
    using index_type = IndexType;
    using transposed_type = Fbcsr;
    using absolute_type = remove_complex<Fbcsr>;
    using mat_data = matrix_data<ValueType, IndexType>;

    /// Creates an empty matrix. Matrices that are converted to it get blocks of this size.
    static std::unique_ptr<Fbcsr> create(std::shared_ptr<const Executor> exec, int block_size = 1);
    /// Creates a matrix without entries.
    /// @param num_nonzeros  number of entries for which memory is allocated: a multiple of
    ///     block_size squared
    /// @throws BlockSizeError  if block_size does not divide the sizes, or is not positive
    /// @throws OverflowError  if IndexType cannot count the rows or columns
    static std::unique_ptr<Fbcsr> create(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                         size_type num_nonzeros, int block_size);
    /// Creates a matrix that takes the arrays, or views them if they are views. Their contents are
    /// not checked.
    /// @throws BlockSizeError  if block_size does not divide the sizes, or is not positive
    /// @throws ValueMismatch  if the lengths of the arrays do not match
    static std::unique_ptr<Fbcsr> create(std::shared_ptr<const Executor> exec, const dim<2>& size, int block_size,
                                         array<value_type> values, array<index_type> col_idxs,
                                         array<index_type> row_ptrs);
    static std::unique_ptr<const Fbcsr> create_const(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                                     int block_size, detail::const_array_view<value_type>&& values,
                                                     detail::const_array_view<index_type>&& col_idxs,
                                                     detail::const_array_view<index_type>&& row_ptrs);

    Fbcsr(const Fbcsr& other);
    Fbcsr(Fbcsr&& other);
    Fbcsr& operator=(const Fbcsr& other);
    Fbcsr& operator=(Fbcsr&& other);
    ~Fbcsr() override;

    void convert_to(Fbcsr<next_precision<ValueType>, IndexType>* result) const override;
    /// Converts to Csr.
    /// @throws OverflowError  if the entries cannot be counted in IndexType, as in all conversions
    ///     except that of precision
    void convert_to(Csr<ValueType, IndexType>* result) const override;

    /// Returns the transpose. Block columns within its block rows are sorted.
    std::unique_ptr<LinOp> transpose() const override;
    std::unique_ptr<LinOp> conj_transpose() const override;

    std::unique_ptr<Diagonal<ValueType>> extract_diagonal() const override;
    std::unique_ptr<absolute_type> compute_absolute() const override;
    void compute_absolute_inplace() override;

    /// Sorts the blocks of each block row by column.
    void sort_by_column_index();
    bool is_sorted_by_column_index() const;

    value_type* get_values() noexcept { return values_.get_data(); }
    const value_type* get_const_values() const noexcept { return values_.get_const_data(); }
    memory_extent get_memory_extent() const noexcept override { return detail::extent_of(values_); }
    index_type* get_col_idxs() noexcept { return col_idxs_.get_data(); }
    const index_type* get_const_col_idxs() const noexcept { return col_idxs_.get_const_data(); }
    index_type* get_row_ptrs() noexcept { return row_ptrs_.get_data(); }
    const index_type* get_const_row_ptrs() const noexcept { return row_ptrs_.get_const_data(); }
    size_type get_num_stored_elements() const noexcept { return values_.get_size(); }
    size_type get_num_stored_blocks() const noexcept { return col_idxs_.get_size(); }
    int get_block_size() const noexcept { return block_size_; }
    /// Returns the number of blocks of the longest block row of the arrays, or the largest number
    /// if it is not known. It was determined when the matrix got its arrays. On GPUs it decides how
    /// products are computed, which are correct in any case.
    size_type get_max_block_row_length() const noexcept { return max_block_row_length_; }
    index_type get_num_block_rows() const noexcept
    {
        return static_cast<index_type>(this->get_size()[0] / block_size_);
    }
    index_type get_num_block_cols() const noexcept
    {
        return static_cast<index_type>(this->get_size()[1] / block_size_);
    }

protected:
    explicit Fbcsr(std::shared_ptr<const Executor> exec, int block_size = 1);
    Fbcsr(std::shared_ptr<const Executor> exec, const dim<2>& size, size_type num_nonzeros, int block_size);
    Fbcsr(std::shared_ptr<const Executor> exec, const dim<2>& size, int block_size, array<value_type> values,
          array<index_type> col_idxs, array<index_type> row_ptrs);

    bool has_static_launches() const override { return typeid(*this) == typeid(Fbcsr); }
    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    static constexpr auto unknown_length = ~size_type{};

    /// Replaces this matrix by the blocks of a Csr on any executor.
    void take_entries(const Csr<ValueType, IndexType>& source);
    std::unique_ptr<LinOp> transpose_impl(bool conjugate) const;

    int block_size_;
    array<value_type> values_;
    array<index_type> col_idxs_;
    array<index_type> row_ptrs_;
    size_type max_block_row_length_{unknown_length};
};

}  // namespace matrix
}  // namespace spruce
