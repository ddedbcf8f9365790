// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <initializer_list>
#include <typeinfo>

#include <spruce/base/array.hpp>
#include <spruce/base/lin_op.hpp>
#include <spruce/base/math.hpp>
#include <spruce/matrix/formats.hpp>
#include <spruce/matrix/via_csr.hpp>

namespace spruce {
namespace matrix {

/// Stores a sparse matrix in coordinate format: triples (row_idxs[k], col_idxs[k], values[k]),
/// sorted by row.
///
/// Several triples may have the same row and column: all are stored, and products and
/// extract_diagonal() add them up. The order of rows is a precondition of apply() and apply2(),
/// which do not check it: results for other orders are undefined. All other functions accept
/// triples in any order. read() and sort_by_column_index() order the rows; create() takes arrays as
/// they are.
///
/// Conversions and products with one column are bitwise repeatable on every executor, on omp for a
/// fixed number of threads. Products with several columns are bitwise repeatable on hosts only,
/// because GPUs add parts of a row atomically. GPUs do this for one column, too, if the number of
/// entries is within 10^5 of the largest IndexType or the stride of b exceeds 2^32 - 1 bytes.
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT Coo
    : public EnableLinOp<Coo<ValueType, IndexType>>,
      public ConvertibleToEach<Coo<next_precision<ValueType>, IndexType>, Csr<ValueType, IndexType>>,
      public ConvertibleToEachViaCsr<ValueType, IndexType, Dense<ValueType>, Ell<ValueType, IndexType>,
                                     Sellp<ValueType, IndexType>, Hybrid<ValueType, IndexType>,
                                     Fbcsr<ValueType, IndexType>, SparsityCsr<ValueType, IndexType>>,
      public ReadableFromMatrixData<ValueType, IndexType>,
      public WritableToMatrixData<ValueType, IndexType>,
      public DiagonalExtractable<ValueType>,
      public Transposable,
      public EnableAbsoluteComputation<remove_complex<Coo<ValueType, IndexType>>>,
      public ScalePermutableViaCsr<Coo<ValueType, IndexType>, ValueType, IndexType>,
      public SortableViaCsr<Coo<ValueType, IndexType>> {
    friend class EnablePolymorphicObject<Coo, LinOp>;
    friend class Coo<next_precision<ValueType>, IndexType>;
    friend class Csr<ValueType, IndexType>;
    friend class Dense<ValueType>;
    using conversions = ConvertibleToEach<Coo<next_precision<ValueType>, IndexType>, Csr<ValueType, IndexType>>;
    using conversions_via_csr =
        ConvertibleToEachViaCsr<ValueType, IndexType, Dense<ValueType>, Ell<ValueType, IndexType>,
                                Sellp<ValueType, IndexType>, Hybrid<ValueType, IndexType>, Fbcsr<ValueType, IndexType>,
                                SparsityCsr<ValueType, IndexType>>;

public:
    using EnableLinOp<Coo>::convert_to;
    using EnableLinOp<Coo>::move_to;
    using conversions::convert_to;
    using conversions::move_to;
    using conversions_via_csr::convert_to;
    using conversions_via_csr::move_to;
    using ReadableFromMatrixData<ValueType, IndexType>::read;

    using value_type = ValueType;
    using index_type = IndexType;
    using mat_data = matrix_data<ValueType, IndexType>;
    using transposed_type = Coo;
    using absolute_type = remove_complex<Coo>;

    /// Creates a matrix with memory for num_nonzeros entries.
    /// @throws OverflowError  if IndexType cannot count the rows or columns
    static std::unique_ptr<Coo> create(std::shared_ptr<const Executor> exec, const dim<2>& size = {},
                                       size_type num_nonzeros = 0);
    /// Creates a matrix that takes the arrays, or views them if they are views. Their contents are
    /// not checked: apply() needs rows in order.
    /// @throws ValueMismatch  if their lengths differ
    static std::unique_ptr<Coo> create(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                       array<value_type> values, array<index_type> col_idxs,
                                       array<index_type> row_idxs);
    [[deprecated("create(exec, size, array, array, array)")]] static std::unique_ptr<Coo> create(
        std::shared_ptr<const Executor> exec, const dim<2>& size, std::initializer_list<value_type> values,
        std::initializer_list<index_type> col_idxs, std::initializer_list<index_type> row_idxs)
    {
        return create(exec, size, array<value_type>{exec, values}, array<index_type>{exec, col_idxs},
                      array<index_type>{exec, row_idxs});
    }
    static std::unique_ptr<const Coo> create_const(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                                   detail::const_array_view<ValueType>&& values,
                                                   detail::const_array_view<IndexType>&& col_idxs,
                                                   detail::const_array_view<IndexType>&& row_idxs);

    Coo(const Coo& other);
    Coo(Coo&& other);
    Coo& operator=(const Coo& other);
    Coo& operator=(Coo&& other);
    ~Coo() override;

    void convert_to(Coo<next_precision<ValueType>, IndexType>* result) const override;
    /// Converts to Csr. If rows are out of order, entries are sorted by row, then column; otherwise
    /// entries keep their order within rows.
    /// @throws OverflowError  if the entries cannot be counted in IndexType, as in all conversions
    ///     except that of precision
    void convert_to(Csr<ValueType, IndexType>* result) const override;

    void read(const mat_data& data) override;
    void read(const device_matrix_data<ValueType, IndexType>& data) override;
    void read(device_matrix_data<ValueType, IndexType>&& data) override;
    void write(mat_data& data) const override;

    /// Returns the diagonal, adding up entries with the same row and column. The order of three or
    /// more summands is fixed on reference only.
    std::unique_ptr<Diagonal<ValueType>> extract_diagonal() const override;

    /// Returns the transpose with rows in order. The entries of a row keep the order that they have
    /// in this matrix, so columns are sorted if rows of this matrix are in order.
    std::unique_ptr<LinOp> transpose() const override;
    std::unique_ptr<LinOp> conj_transpose() const override;

    std::unique_ptr<absolute_type> compute_absolute() const override;
    void compute_absolute_inplace() override;

    /// Computes x = x + this b, with operands as in LinOp::apply().
    LinOp* apply2(ptr_param<const LinOp> b, ptr_param<LinOp> x);
    const LinOp* apply2(ptr_param<const LinOp> b, ptr_param<LinOp> x) const;
    /// Computes x = x + alpha this b, with operands as in LinOp::apply().
    LinOp* apply2(ptr_param<const LinOp> alpha, ptr_param<const LinOp> b, ptr_param<LinOp> x);
    const LinOp* apply2(ptr_param<const LinOp> alpha, ptr_param<const LinOp> b, ptr_param<LinOp> x) const;

    value_type* get_values() noexcept { return values_.get_data(); }
    const value_type* get_const_values() const noexcept { return values_.get_const_data(); }
    memory_extent get_memory_extent() const noexcept override { return detail::extent_of(values_); }
    index_type* get_col_idxs() noexcept { return col_idxs_.get_data(); }
    const index_type* get_const_col_idxs() const noexcept { return col_idxs_.get_const_data(); }
    index_type* get_row_idxs() noexcept { return row_idxs_.get_data(); }
    const index_type* get_const_row_idxs() const noexcept { return row_idxs_.get_const_data(); }
    size_type get_num_stored_elements() const noexcept { return values_.get_size(); }

protected:
    explicit Coo(std::shared_ptr<const Executor> exec, const dim<2>& size = {}, size_type num_nonzeros = 0);
    Coo(std::shared_ptr<const Executor> exec, const dim<2>& size, array<value_type> values, array<index_type> col_idxs,
        array<index_type> row_idxs);

    bool has_static_launches() const override { return typeid(*this) == typeid(Coo); }
    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    /// Takes the arrays of data if it is an rvalue, and copies them otherwise.
    template <typename Data>
    void read_impl(Data&& data);
    std::unique_ptr<LinOp> transpose_impl(bool conjugate) const;

    array<value_type> values_;
    array<index_type> col_idxs_;
    array<index_type> row_idxs_;
};

}  // namespace matrix
}  // namespace spruce
