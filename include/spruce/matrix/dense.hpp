// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <initializer_list>

#include <spruce/base/array.hpp>
#include <spruce/base/lin_op.hpp>
#include <spruce/base/math.hpp>
#include <spruce/matrix/formats.hpp>
#include <spruce/matrix/permutation.hpp>

namespace spruce {
namespace matrix {

/// Implements reorderings of rows and columns of Dense by index arrays of one type.
///
/// Permutable describes the functions; here they also write to an output of matching size. The
/// arrays may be on any executor. Every call checks the indices, which reads them once or twice and
/// synchronizes the host with the device. Permutation and RowGatherer check their indices only
/// once, when they are created: apply those if the same indices are used often. The output may be
/// this matrix itself, see LinOp.
/// @throws OutOfBoundsError  if an index is negative or not below the number of rows or columns
///     that it refers to
/// @throws ValueMismatch  if an index of a permutation occurs twice
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT ReorderableDense : public Permutable<IndexType> {
public:
    std::unique_ptr<LinOp> permute(const array<IndexType>* permutation) const override;
    std::unique_ptr<LinOp> inverse_permute(const array<IndexType>* permutation) const override;
    std::unique_ptr<LinOp> row_permute(const array<IndexType>* permutation) const override;
    std::unique_ptr<LinOp> column_permute(const array<IndexType>* permutation) const override;
    std::unique_ptr<LinOp> inverse_row_permute(const array<IndexType>* permutation) const override;
    std::unique_ptr<LinOp> inverse_column_permute(const array<IndexType>* permutation) const override;
    void permute(const array<IndexType>* permutation, ptr_param<Dense<ValueType>> output) const;
    void inverse_permute(const array<IndexType>* permutation, ptr_param<Dense<ValueType>> output) const;
    void row_permute(const array<IndexType>* permutation, ptr_param<Dense<ValueType>> output) const;
    void column_permute(const array<IndexType>* permutation, ptr_param<Dense<ValueType>> output) const;
    void inverse_row_permute(const array<IndexType>* permutation, ptr_param<Dense<ValueType>> output) const;
    void inverse_column_permute(const array<IndexType>* permutation, ptr_param<Dense<ValueType>> output) const;

    /// Permutes rows, columns or both according to mode. The result is a new matrix or an output of
    /// this size. Permutations may be on any executor.
    /// @throws DimensionMismatch  if the length of a permutation is not the number of rows or
    ///     columns that it permutes
    std::unique_ptr<Dense<ValueType>> permute(ptr_param<const Permutation<IndexType>> permutation,
                                              permute_mode mode = permute_mode::symmetric) const;
    void permute(ptr_param<const Permutation<IndexType>> permutation, ptr_param<Dense<ValueType>> output,
                 permute_mode mode = permute_mode::symmetric) const;
    /// Permutes rows by p and columns by q: B(i, j) = A(p_i, q_j), inverse B(p_i, q_j) = A(i, j).
    std::unique_ptr<Dense<ValueType>> permute(ptr_param<const Permutation<IndexType>> row_permutation,
                                              ptr_param<const Permutation<IndexType>> column_permutation,
                                              bool invert = false) const;
    void permute(ptr_param<const Permutation<IndexType>> row_permutation,
                 ptr_param<const Permutation<IndexType>> column_permutation, ptr_param<Dense<ValueType>> output,
                 bool invert = false) const;
    /// Takes a plain pointer, which would otherwise be converted to bool.
    void permute(ptr_param<const Permutation<IndexType>> row_permutation,
                 ptr_param<const Permutation<IndexType>> column_permutation, Dense<ValueType>* output,
                 bool invert = false) const
    {
        this->permute(row_permutation, column_permutation, ptr_param<Dense<ValueType>>{output}, invert);
    }
    /// Permutes and scales with the factors s of the rows and t of the columns: B(i, j) = s_(p_i)
    /// t_(q_j) A(p_i, q_j), inverse B(p_i, q_j) = A(i, j) / (s_(p_i) t_(q_j)).
    std::unique_ptr<Dense<ValueType>> scale_permute(
        ptr_param<const ScaledPermutation<ValueType, IndexType>> permutation,
        permute_mode mode = permute_mode::symmetric) const;
    void scale_permute(ptr_param<const ScaledPermutation<ValueType, IndexType>> permutation,
                       ptr_param<Dense<ValueType>> output, permute_mode mode = permute_mode::symmetric) const;
    std::unique_ptr<Dense<ValueType>> scale_permute(
        ptr_param<const ScaledPermutation<ValueType, IndexType>> row_permutation,
        ptr_param<const ScaledPermutation<ValueType, IndexType>> column_permutation, bool invert = false) const;
    void scale_permute(ptr_param<const ScaledPermutation<ValueType, IndexType>> row_permutation,
                       ptr_param<const ScaledPermutation<ValueType, IndexType>> column_permutation,
                       ptr_param<Dense<ValueType>> output, bool invert = false) const;
    /// Takes a plain pointer, which would otherwise be converted to bool.
    void scale_permute(ptr_param<const ScaledPermutation<ValueType, IndexType>> row_permutation,
                       ptr_param<const ScaledPermutation<ValueType, IndexType>> column_permutation,
                       Dense<ValueType>* output, bool invert = false) const
    {
        this->scale_permute(row_permutation, column_permutation, ptr_param<Dense<ValueType>>{output}, invert);
    }

    /// Returns the matrix whose row i is row rows_i of this matrix. Rows may be repeated or
    /// omitted.
    std::unique_ptr<Dense<ValueType>> row_gather(const array<IndexType>* rows) const;
    /// Copies row rows_i of this matrix to row i of a Dense of either precision.
    /// @throws DimensionMismatch  if output does not have one row per index and as many columns as
    ///     this matrix
    void row_gather(const array<IndexType>* rows, ptr_param<LinOp> output) const;
    /// Computes output = alpha (gathered rows) + beta output, with 1 x 1 alpha and beta.
    void row_gather(ptr_param<const LinOp> alpha, const array<IndexType>* rows, ptr_param<const LinOp> beta,
                    ptr_param<LinOp> output) const;
    /// Copies row i of this matrix to row rows_i of output. Other rows of output do not change.
    /// @throws DimensionMismatch  if output has another number of columns, or rows does not have
    ///     one index per row
    /// @throws ValueMismatch  if an index occurs twice
    void row_scatter(const array<IndexType>* rows, ptr_param<Dense<ValueType>> output) const;

private:
    enum parts { rows = 1, columns = 2, both = 3 };
    void reorder(const char* function, const array<IndexType>* permutation, parts which, bool invert,
                 Dense<ValueType>* output) const;
    std::unique_ptr<Dense<ValueType>> reorder(const char* function, const array<IndexType>* permutation, parts which,
                                              bool invert) const;
    template <typename Gather>
    void gather_into(const array<IndexType>* rows, LinOp* output, Gather gather) const;
};

/// Stores a dense matrix in row-major order, with a stride of at least its number of columns.
///
/// Dense is also the type of vectors (n x 1) and of several vectors side by side (n x k). Entry (i,
/// j) is values[i * stride + j]. Every operation is bitwise repeatable on every executor, on omp
/// for a fixed number of threads. On GPUs, large products with many columns use the vendor's
/// library and are as repeatable as that library is. blas::gemm() describes how to avoid it.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Dense
    : public EnableLinOp<Dense<ValueType>>,
      public ConvertibleToEach<Dense<next_precision<ValueType>>, Coo<ValueType, int32>, Coo<ValueType, int64>,
                               Csr<ValueType, int32>, Csr<ValueType, int64>, Hybrid<ValueType, int32>,
                               Hybrid<ValueType, int64>, Sellp<ValueType, int32>, Sellp<ValueType, int64>,
                               Ell<ValueType, int32>, Ell<ValueType, int64>, Fbcsr<ValueType, int32>,
                               Fbcsr<ValueType, int64>, SparsityCsr<ValueType, int32>, SparsityCsr<ValueType, int64>>,
      public ReadableFromMatrixData<ValueType, int32>,
      public ReadableFromMatrixData<ValueType, int64>,
      public WritableToMatrixData<ValueType, int32>,
      public WritableToMatrixData<ValueType, int64>,
      public DiagonalExtractable<ValueType>,
      public Transposable,
      public EnableAbsoluteComputation<remove_complex<Dense<ValueType>>>,
      public ReorderableDense<ValueType, int32>,
      public ReorderableDense<ValueType, int64>,
      public ScaledIdentityAddable {
    friend class EnablePolymorphicObject<Dense, LinOp>;
    friend class Dense<next_precision<ValueType>>;
    friend class Csr<ValueType, int32>;
    friend class Csr<ValueType, int64>;
    friend class Dense<to_complex<ValueType>>;
    using conversions =
        ConvertibleToEach<Dense<next_precision<ValueType>>, Coo<ValueType, int32>, Coo<ValueType, int64>,
                          Csr<ValueType, int32>, Csr<ValueType, int64>, Hybrid<ValueType, int32>,
                          Hybrid<ValueType, int64>, Sellp<ValueType, int32>, Sellp<ValueType, int64>,
                          Ell<ValueType, int32>, Ell<ValueType, int64>, Fbcsr<ValueType, int32>,
                          Fbcsr<ValueType, int64>, SparsityCsr<ValueType, int32>, SparsityCsr<ValueType, int64>>;

public:
    using EnableLinOp<Dense>::convert_to;
    using EnableLinOp<Dense>::move_to;
    using conversions::convert_to;
    using conversions::move_to;
    using ReadableFromMatrixData<ValueType, int32>::read;
    using ReadableFromMatrixData<ValueType, int64>::read;
    using ReorderableDense<ValueType, int32>::permute;
    using ReorderableDense<ValueType, int64>::permute;
    using ReorderableDense<ValueType, int32>::inverse_permute;
    using ReorderableDense<ValueType, int64>::inverse_permute;
    using ReorderableDense<ValueType, int32>::row_permute;
    using ReorderableDense<ValueType, int64>::row_permute;
    using ReorderableDense<ValueType, int32>::column_permute;
    using ReorderableDense<ValueType, int64>::column_permute;
    using ReorderableDense<ValueType, int32>::inverse_row_permute;
    using ReorderableDense<ValueType, int64>::inverse_row_permute;
    using ReorderableDense<ValueType, int32>::inverse_column_permute;
    using ReorderableDense<ValueType, int64>::inverse_column_permute;
    using ReorderableDense<ValueType, int32>::scale_permute;
    using ReorderableDense<ValueType, int64>::scale_permute;
    using ReorderableDense<ValueType, int32>::row_gather;
    using ReorderableDense<ValueType, int64>::row_gather;
    using ReorderableDense<ValueType, int32>::row_scatter;
    using ReorderableDense<ValueType, int64>::row_scatter;

    using value_type = ValueType;
    using index_type = int64;
    using transposed_type = Dense;
    using absolute_type = remove_complex<Dense>;
    using real_type = absolute_type;
    using complex_type = to_complex<Dense>;
    using mat_data = matrix_data<ValueType, int64>;
    using mat_data32 = matrix_data<ValueType, int32>;
    /// Determines the layout in which write() stores a dense matrix in a file by default.
    static constexpr auto default_layout = layout_type::array;

    /// Creates an uninitialized matrix.
    /// @param stride  number of elements from one row to the next; 0: the number of columns
    static std::unique_ptr<Dense> create(std::shared_ptr<const Executor> exec, const dim<2>& size = {},
                                         size_type stride = 0);
    /// Creates a matrix that takes the values, or views them if the array is a view.
    /// @throws OutOfBoundsError  if the array is shorter than (rows - 1) * stride + columns
    /// @throws OverflowError  if (rows - 1) * stride + columns overflows
    static std::unique_ptr<Dense> create(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                         array<value_type> values, size_type stride);
    [[deprecated("create(exec, size, array, stride)")]] static std::unique_ptr<Dense> create(
        std::shared_ptr<const Executor> exec, const dim<2>& size, std::initializer_list<value_type> values,
        size_type stride)
    {
        return create(exec, size, array<value_type>{exec, values}, stride);
    }
    static std::unique_ptr<const Dense> create_const(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                                     detail::const_array_view<ValueType>&& values, size_type stride);
    /// Creates an uninitialized matrix with the type, executor, size and stride of other.
    static std::unique_ptr<Dense> create_with_config_of(ptr_param<const Dense> other)
    {
        return other->create_with_same_config();
    }
    /// Creates a matrix with the type of other on another executor and of another size.
    static std::unique_ptr<Dense> create_with_type_of(ptr_param<const Dense> other,
                                                      std::shared_ptr<const Executor> exec, const dim<2>& size = {})
    {
        return other->create_with_type_of_impl(std::move(exec), size, size[1]);
    }
    static std::unique_ptr<Dense> create_with_type_of(ptr_param<const Dense> other,
                                                      std::shared_ptr<const Executor> exec, const dim<2>& size,
                                                      size_type stride)
    {
        return other->create_with_type_of_impl(std::move(exec), size, stride);
    }
    static std::unique_ptr<Dense> create_with_type_of(ptr_param<const Dense> other,
                                                      std::shared_ptr<const Executor> exec, const dim<2>& size,
                                                      const dim<2>&, size_type stride)
    {
        return other->create_with_type_of_impl(std::move(exec), size, stride);
    }
    static std::unique_ptr<Dense> create_view_of(ptr_param<Dense> other) { return other->create_view_of_impl(); }
    static std::unique_ptr<const Dense> create_const_view_of(ptr_param<const Dense> other)
    {
        return other->create_const_view_of_impl();
    }

    Dense(const Dense& other);
    Dense(Dense&& other);
    /// Copies the values of other. The memory and stride of this matrix are kept if the sizes are
    /// equal. Otherwise memory is reallocated with stride = columns.
    /// @throws NotSupported  if this matrix is a view of another size, or shares a part of its
    ///     memory with other; nothing is changed then
    /// @throws AllocationError  if memory for the new size cannot be allocated beside the old one;
    ///     nothing is changed then
    Dense& operator=(const Dense& other);
    /// Takes the memory and the stride of other, or copies the values if other is a view of this
    /// matrix's memory.
    /// @throws NotSupported  if other is a view of a part of that memory
    Dense& operator=(Dense&& other);
    ~Dense() override;

    void convert_to(Dense<next_precision<ValueType>>* result) const override;
    void convert_to(Coo<ValueType, int32>* result) const override;
    void convert_to(Coo<ValueType, int64>* result) const override;
    void convert_to(Csr<ValueType, int32>* result) const override;
    void convert_to(Csr<ValueType, int64>* result) const override;
    void convert_to(Hybrid<ValueType, int32>* result) const override;
    void convert_to(Hybrid<ValueType, int64>* result) const override;
    void convert_to(Sellp<ValueType, int32>* result) const override;
    void convert_to(Sellp<ValueType, int64>* result) const override;
    void convert_to(Ell<ValueType, int32>* result) const override;
    void convert_to(Ell<ValueType, int64>* result) const override;
    /// Converts to blocks of the size that result has.
    /// @throws BlockSizeError  if the block size does not divide the size of this matrix
    void convert_to(Fbcsr<ValueType, int32>* result) const override;
    void convert_to(Fbcsr<ValueType, int64>* result) const override;
    /// Converts to the pattern of the nonzeros, with value one.
    void convert_to(SparsityCsr<ValueType, int32>* result) const override;
    void convert_to(SparsityCsr<ValueType, int64>* result) const override;

    void read(const matrix_data<ValueType, int32>& data) override;
    void read(const matrix_data<ValueType, int64>& data) override;
    void read(const device_matrix_data<ValueType, int32>& data) override;
    void read(const device_matrix_data<ValueType, int64>& data) override;
    void read(device_matrix_data<ValueType, int32>&& data) override;
    void read(device_matrix_data<ValueType, int64>&& data) override;
    void write(matrix_data<ValueType, int32>& data) const override;
    void write(matrix_data<ValueType, int64>& data) const override;

    std::unique_ptr<LinOp> transpose() const override;
    std::unique_ptr<LinOp> conj_transpose() const override;
    void transpose(ptr_param<Dense> output) const;
    void conj_transpose(ptr_param<Dense> output) const;

    std::unique_ptr<Diagonal<ValueType>> extract_diagonal() const override;
    /// Writes the diagonal to output.
    /// @throws DimensionMismatch  if output does not have min(rows, columns) entries
    void extract_diagonal(ptr_param<Diagonal<ValueType>> output) const;

    value_type* get_values() noexcept { return values_.get_data(); }
    const value_type* get_const_values() const noexcept { return values_.get_const_data(); }
    size_type get_stride() const noexcept { return stride_; }
    memory_extent get_memory_extent() const noexcept override
    {
        constexpr auto bytes = sizeof(value_type);
        return {this->get_const_values(), this->get_size()[1] * bytes, stride_ * bytes, this->get_size()[0]};
    }
    /// Returns the number of elements of the buffer, padding included.
    size_type get_num_stored_elements() const noexcept { return values_.get_size(); }

    /// Returns entry (row, col). The memory must be accessible on the host.
    value_type& at(size_type row, size_type col) noexcept { return values_.get_data()[row * stride_ + col]; }
    value_type at(size_type row, size_type col) const noexcept { return values_.get_const_data()[row * stride_ + col]; }
    /// Returns entry number index, counted row by row without padding. The memory must be
    /// accessible on the host.
    value_type& at(size_type index) noexcept
    {
        return this->at(index / this->get_size()[1], index % this->get_size()[1]);
    }
    value_type at(size_type index) const noexcept
    {
        return this->at(index / this->get_size()[1], index % this->get_size()[1]);
    }

    void fill(const ValueType value);

    /// Computes this = alpha this. alpha is 1 x 1, or 1 x columns with a factor per column. It is
    /// real or of this type.
    void scale(ptr_param<const LinOp> alpha) { this->scale_impl(alpha.get()); }
    /// Computes this = this / alpha. alpha is 1 x 1, or 1 x columns with a divisor per column. It
    /// is real or of this type.
    void inv_scale(ptr_param<const LinOp> alpha) { this->inv_scale_impl(alpha.get()); }
    /// Computes this = this + alpha b. b is Dense, or Diagonal with 1 x 1 alpha. If alpha is zero,
    /// b has no effect, even if it contains NaN.
    void add_scaled(ptr_param<const LinOp> alpha, ptr_param<const LinOp> b)
    {
        this->add_scaled_impl(alpha.get(), b.get());
    }
    /// Computes this = this - alpha b. b is Dense, or Diagonal with 1 x 1 alpha. If alpha is zero,
    /// b has no effect, even if it contains NaN.
    void sub_scaled(ptr_param<const LinOp> alpha, ptr_param<const LinOp> b)
    {
        this->sub_scaled_impl(alpha.get(), b.get());
    }

    /// Computes the inner product of each column without conjugation: result_j = sum_i this_ij
    /// b_ij.
    ///
    /// For all reductions, the result is 1 x columns, on any executor, and real for norms. tmp
    /// keeps workspace between calls. With the result on this executor, a second call of this size
    /// allocates nothing and does not synchronize the host.
    /// @throws DimensionMismatch  if b or the result has another size
    void compute_dot(ptr_param<const LinOp> b, ptr_param<LinOp> result) const;
    void compute_dot(ptr_param<const LinOp> b, ptr_param<LinOp> result, array<char>& tmp) const
    {
        this->compute_dot_impl(b.get(), result.get(), tmp);
    }
    /// Computes the inner product of each column, result_j = sum_i conj(this_ij) b_ij.
    void compute_conj_dot(ptr_param<const LinOp> b, ptr_param<LinOp> result) const;
    void compute_conj_dot(ptr_param<const LinOp> b, ptr_param<LinOp> result, array<char>& tmp) const
    {
        this->compute_conj_dot_impl(b.get(), result.get(), tmp);
    }
    /// Computes result_j = sqrt(sum_i |this_ij|^2). Squares of entries may overflow or underflow.
    void compute_norm2(ptr_param<LinOp> result) const;
    void compute_norm2(ptr_param<LinOp> result, array<char>& tmp) const { this->compute_norm2_impl(result.get(), tmp); }
    /// Computes result_j = sum_i |this_ij|.
    void compute_norm1(ptr_param<LinOp> result) const;
    void compute_norm1(ptr_param<LinOp> result, array<char>& tmp) const { this->compute_norm1_impl(result.get(), tmp); }
    /// Computes result_j = sum_i |this_ij|^2.
    void compute_squared_norm2(ptr_param<LinOp> result) const;
    void compute_squared_norm2(ptr_param<LinOp> result, array<char>& tmp) const
    {
        this->compute_squared_norm2_impl(result.get(), tmp);
    }
    /// Computes result_j = (sum_i this_ij) / rows; NaN if there are no rows.
    void compute_mean(ptr_param<LinOp> result) const;
    void compute_mean(ptr_param<LinOp> result, array<char>& tmp) const { this->compute_mean_impl(result.get(), tmp); }

    /// Computes |this_ij|: as a new matrix, into an output of this size, or in place.
    std::unique_ptr<absolute_type> compute_absolute() const override;
    void compute_absolute(ptr_param<absolute_type> output) const;
    void compute_absolute_inplace() override;

    /// Converts the entries to complex numbers. If this matrix is real, imaginary parts are zero.
    std::unique_ptr<complex_type> make_complex() const;
    void make_complex(ptr_param<complex_type> output) const;
    /// Extracts the real parts.
    std::unique_ptr<real_type> get_real() const;
    void get_real(ptr_param<real_type> output) const;
    /// Extracts the imaginary parts, which are zero if this matrix is real.
    std::unique_ptr<real_type> get_imag() const;
    void get_imag(ptr_param<real_type> output) const;

    /// Creates a view of some rows and columns.
    /// @param stride  stride of the view; by default that of this matrix
    /// @throws OutOfBoundsError  if a span ends before it begins or beyond the matrix, or if the
    ///     view does
    /// @throws OverflowError  if the number of elements of the view overflows
    std::unique_ptr<Dense> create_submatrix(const span& rows, const span& columns, const size_type stride)
    {
        return this->create_submatrix_impl(rows, columns, stride);
    }
    std::unique_ptr<Dense> create_submatrix(const span& rows, const span& columns)
    {
        return this->create_submatrix_impl(rows, columns, stride_);
    }
    std::unique_ptr<const Dense> create_submatrix(const span& rows, const span& columns, size_type stride) const
    {
        return const_cast<Dense*>(this)->create_submatrix_impl(rows, columns, stride);
    }
    std::unique_ptr<const Dense> create_submatrix(const span& rows, const span& columns) const
    {
        return const_cast<Dense*>(this)->create_submatrix_impl(rows, columns, stride_);
    }
    /// Creates a view of some rows and columns in code that also handles distributed vectors. The
    /// third argument is their global size, which is not used here.
    std::unique_ptr<Dense> create_submatrix(const local_span& rows, const local_span& columns, const dim<2>&)
    {
        return this->create_submatrix_impl(rows, columns, stride_);
    }

    /// Creates a view of the memory as real numbers: n x 2k, with real and imaginary parts side by
    /// side. For a real matrix it is a plain view.
    std::unique_ptr<real_type> create_real_view();
    std::unique_ptr<const real_type> create_real_view() const;

protected:
    explicit Dense(std::shared_ptr<const Executor> exec, const dim<2>& size = {}, size_type stride = 0);
    Dense(std::shared_ptr<const Executor> exec, const dim<2>& size, array<value_type> values, size_type stride);

    /// Creates vectors for solvers. Override it to create vectors of a derived type.
    virtual std::unique_ptr<Dense> create_with_same_config() const;
    virtual std::unique_ptr<Dense> create_with_type_of_impl(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                                            size_type stride) const;
    virtual std::unique_ptr<Dense> create_view_of_impl();
    virtual std::unique_ptr<const Dense> create_const_view_of_impl() const;
    virtual std::unique_ptr<Dense> create_submatrix_impl(const span& rows, const span& columns, size_type stride);

    /// Implements the public operation of this name, like the functions that follow. Operands are
    /// passed as they were given, on any executor. Override these functions to compute with a
    /// derived type. Solvers call the public operations, except if a kernel of theirs combines
    /// several steps.
    virtual void scale_impl(const LinOp* alpha);
    virtual void inv_scale_impl(const LinOp* alpha);
    virtual void add_scaled_impl(const LinOp* alpha, const LinOp* b);
    virtual void sub_scaled_impl(const LinOp* alpha, const LinOp* b);
    virtual void compute_dot_impl(const LinOp* b, LinOp* result, array<char>& tmp) const;
    virtual void compute_conj_dot_impl(const LinOp* b, LinOp* result, array<char>& tmp) const;
    virtual void compute_norm2_impl(LinOp* result, array<char>& tmp) const;
    virtual void compute_norm1_impl(LinOp* result, array<char>& tmp) const;
    virtual void compute_squared_norm2_impl(LinOp* result, array<char>& tmp) const;
    virtual void compute_mean_impl(LinOp* result, array<char>& tmp) const;

    void apply_impl(const LinOp* b, LinOp* x) const override;
    /// Computes x = alpha this b + beta x. If the vendor's library multiplies, the host waits for
    /// alpha: see blas::gemm().
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    /// Replaces this matrix by one of this size that fill(dense) writes on exec. The memory is
    /// reused if the size is unchanged and exec can access it. If memory cannot be allocated,
    /// nothing changes.
    template <typename Fill>
    void overwrite(std::shared_ptr<const Executor> exec, const dim<2>& size, Fill fill)
    {
        if (this->can_be_overwritten(*exec, size)) {
            fill(*this);
        } else if (exec == this->get_executor()) {
            auto previous = this->exchange_memory(this->allocate(size), size, size[1]);
            try {
                fill(*this);
            } catch (...) {
                this->exchange_memory(std::move(previous.values), previous.size, previous.stride);
                throw;
            }
        } else {
            const auto local = create(std::move(exec), size);
            fill(*local);
            *this = std::move(*local);
        }
    }
    struct memory {
        array<value_type> values;
        dim<2> size;
        size_type stride;
    };
    /// Replaces values, size and stride, and returns the previous ones.
    memory exchange_memory(array<value_type>&& values, const dim<2>& size, size_type stride);
    /// Returns memory for a matrix of this size without padding.
    /// @throws OverflowError  if the number of elements overflows
    array<value_type> allocate(const dim<2>& size) const;
    /// Returns true if the present memory can hold a matrix of this size that is written on exec.
    /// @throws NotSupported  if this matrix is a view of another size
    bool can_be_overwritten(const Executor& exec, const dim<2>& size) const;
    template <typename IndexType>
    void convert_to_csr(Csr<ValueType, IndexType>* result) const;
    /// Converts to a sparse format to which Csr converts.
    template <typename Result>
    void convert_via_csr(Result* result) const;
    template <typename IndexType>
    void read_impl(const device_matrix_data<ValueType, IndexType>& data);
    template <typename IndexType>
    void write_impl(matrix_data<ValueType, IndexType>& data) const;
    void compute_product(const char* function, ptr_param<const LinOp> b, ptr_param<LinOp> result, array<char>& tmp,
                         bool conjugate) const;
    template <typename Operation>
    void add_with(const char* function, const Operation& run, ptr_param<const LinOp> alpha, ptr_param<const LinOp> b);
    template <typename Result, typename Operation>
    void reduce(const char* function, const Operation& run, ptr_param<LinOp> result, array<char>& tmp) const;
    void add_scaled_identity_impl(const LinOp* a, const LinOp* b) override;

    array<value_type> values_;
    size_type stride_{};
};

}  // namespace matrix

/// Creates a view of a dense matrix, which must outlive the view.
template <typename Ptr>
std::unique_ptr<matrix::Dense<typename detail::pointee<Ptr>::value_type>> make_dense_view(Ptr&& matrix)
{
    return matrix::Dense<typename detail::pointee<Ptr>::value_type>::create_view_of(matrix);
}
/// Creates a read-only view of a dense matrix, which must outlive the view.
template <typename Ptr>
std::unique_ptr<const matrix::Dense<typename detail::pointee<Ptr>::value_type>> make_const_dense_view(Ptr&& matrix)
{
    return matrix::Dense<typename detail::pointee<Ptr>::value_type>::create_const_view_of(matrix);
}

/// Creates a matrix on exec from its entries, which are a column vector or a list of rows. Exact
/// zeros are dropped for sparse types.
template <typename Matrix, typename... Args>
std::unique_ptr<Matrix> initialize(size_type stride, std::initializer_list<typename Matrix::value_type> values,
                                   std::shared_ptr<const Executor> exec, Args&&... create_args)
{
    using dense = matrix::Dense<typename Matrix::value_type>;
    detail::require_pointers("initialize (the executor)", exec);
    auto host = dense::create(exec->get_master(), dim<2>{values.size(), 1}, stride);
    size_type row = 0;
    for (const auto& value : values) {
        host->at(row++, 0) = value;
    }
    auto result = Matrix::create(std::move(exec), std::forward<Args>(create_args)...);
    host->move_to(result.get());
    return result;
}
template <typename Matrix, typename... Args>
std::unique_ptr<Matrix> initialize(std::initializer_list<typename Matrix::value_type> values,
                                   std::shared_ptr<const Executor> exec, Args&&... create_args)
{
    return initialize<Matrix>(1, values, std::move(exec), std::forward<Args>(create_args)...);
}
template <typename Matrix, typename... Args>
std::unique_ptr<Matrix> initialize(size_type stride,
                                   std::initializer_list<std::initializer_list<typename Matrix::value_type>> rows,
                                   std::shared_ptr<const Executor> exec, Args&&... create_args)
{
    using value_type = typename Matrix::value_type;
    using dense = matrix::Dense<value_type>;
    detail::require_pointers("initialize (the executor)", exec);
    const auto num_cols = rows.size() == 0 ? size_type{} : rows.begin()->size();
    auto host = dense::create(exec->get_master(), dim<2>{rows.size(), num_cols}, stride);
    size_type row = 0;
    for (const auto& values : rows) {
        if (values.size() != num_cols) {
            throw ValueMismatch(__FILE__, __LINE__, "initialize", num_cols, values.size(), "rows differ in length");
        }
        size_type col = 0;
        for (const auto& value : values) {
            host->at(row, col++) = value;
        }
        ++row;
    }
    auto result = Matrix::create(std::move(exec), std::forward<Args>(create_args)...);
    host->move_to(result.get());
    return result;
}
template <typename Matrix, typename... Args>
std::unique_ptr<Matrix> initialize(std::initializer_list<std::initializer_list<typename Matrix::value_type>> rows,
                                   std::shared_ptr<const Executor> exec, Args&&... create_args)
{
    return initialize<Matrix>(rows.size() == 0 ? 0 : rows.begin()->size(), rows, std::move(exec),
                              std::forward<Args>(create_args)...);
}

}  // namespace spruce
