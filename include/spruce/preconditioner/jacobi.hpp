// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <typeinfo>

#include <spruce/base/array.hpp>
#include <spruce/base/lin_op.hpp>
#include <spruce/base/math.hpp>
#include <spruce/base/precision_reduction.hpp>
#include <spruce/base/refreshable.hpp>
#include <spruce/base/workspace.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

namespace spruce {
namespace preconditioner {

namespace detail {
template <typename ValueType, typename IndexType>
struct block_diagonal;
}

/// Describes where the entries of a block-diagonal matrix are stored. Rows are divided into slices
/// of 32 rows. Column j of the blocks of a slice is a contiguous segment, in the order of the rows.
/// The width of a slice is the size of the largest block to which one of its rows belongs.
struct block_storage_scheme {
    static constexpr size_type slice_size = 32;

    /// Returns the distance between adjacent columns of a block.
    constexpr size_type get_stride() const noexcept { return slice_size; }
    /// Returns the offset of the entry in this row of the matrix and in column j of its block, if
    /// the block is stored in full precision and not halved.
    constexpr size_type get_offset(size_type row, size_type j) const noexcept
    {
        return slice_ptrs ? static_cast<size_type>(slice_ptrs[row / slice_size]) + slice_size * j + row % slice_size
                          : row;
    }

    const int64* slice_ptrs;  ///< offsets of the slices, in the memory of the executor; null if all blocks are 1 x 1
};

/// Selects the formats in which Jacobi stores its blocks.
struct storage_optimization {
    storage_optimization(precision_reduction format = {}) : of_all_blocks{format} {}
    storage_optimization(array<precision_reduction> formats) : is_block_wise{true}, block_wise{std::move(formats)} {}

    bool is_block_wise{};                   ///< whether each block has a format of its own
    precision_reduction of_all_blocks;      ///< format of all blocks if they do not have their own
    array<precision_reduction> block_wise;  ///< format of each block
};

/// Applies M^-1, where M is the block diagonal of a matrix A. Blocks are square, have at most 32
/// rows, and are inverted by generate(). One apply() reads each stored entry once for up to four
/// right-hand sides, and is bitwise repeatable.
///
/// Without block_pointers, blocks are found in the pattern: consecutive rows with equal columns
/// form a supervariable, and consecutive supervariables are merged into blocks of at most
/// max_block_size rows. A supervariable with more rows is split. If max_block_size is 1, M is the
/// diagonal of A. Then a diagonal entry that is zero or missing is taken for 1, and loggers are
/// notified by the event zero_diagonal_replaced.
///
/// Matrices that are not a Csr are converted. storage_optimization stores inverted blocks in fewer
/// bits, of which apply() reads less. Products are computed in ValueType. Without it, Hermitian
/// blocks of n > 2 rows are stored by floor(n / 2) + 1 entries of each row; the other entries are
/// the conjugates of these.
/// @throws NotSupported  by generate() if max_block_size or max_block_stride cannot be used
/// @throws OutOfBoundsError  by generate() if accuracy is not between 0 and 1, if the first block
///         pointer is not 0, if another one does not increase, or if a block has more than
///         max_block_size rows
/// @throws ValueMismatch  by generate() if the blocks do not cover the matrix, or if their number
///         is not that of the given formats
/// @throws DimensionMismatch  if the matrix is not square, or if operands do not match
/// @throws UnsupportedMatrixProperty  by generate() and refresh(), with the block and its first
///         row, if a block is singular or not finite
///
/// Sources: Anzt, Dongarra, Flegar and Quintana-Orti 2019, Variable-Size Batched Gauss-Jordan
/// Elimination for Block-Jacobi Preconditioning on Graphics Processors; for supervariables Chow and
/// Scott 2016; for formats Anzt, Dongarra, Flegar, Higham and Quintana-Orti 2019, Adaptive
/// Precision in Block-Jacobi Preconditioning for Iterative Sparse Linear System Solvers; for
/// aggregate_l1 Baker, Falgout, Kolev and Yang 2011, Multigrid Smoothers for Ultraparallel
/// Computing.
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT Jacobi : public EnableLinOp<Jacobi<ValueType, IndexType>>,
                             public ConvertibleTo<matrix::Dense<ValueType>>,
                             public WritableToMatrixData<ValueType, IndexType>,
                             public Transposable,
                             public Refreshable {
    friend class EnablePolymorphicObject<Jacobi, LinOp>;

public:
    using EnableLinOp<Jacobi>::convert_to;
    using EnableLinOp<Jacobi>::move_to;
    using ConvertibleTo<matrix::Dense<ValueType>>::convert_to;
    using ConvertibleTo<matrix::Dense<ValueType>>::move_to;

    using value_type = ValueType;
    using index_type = IndexType;
    using mat_data = matrix_data<ValueType, IndexType>;
    using transposed_type = Jacobi;

    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory)
    {
        /// Sets the largest number of rows of a block, from 1 to 32.
        uint32 SPRUCE_FACTORY_PARAMETER_SCALAR(max_block_size, 32u);
        /// Sets 0 or a number of at least max_block_size. The distance between columns of blocks is
        /// 32 whatever it is.
        uint32 SPRUCE_FACTORY_PARAMETER_SCALAR(max_block_stride, 0u);
        /// Skips the check whether columns within rows are sorted. If true, they must be sorted.
        bool SPRUCE_FACTORY_PARAMETER_SCALAR(skip_sorting, false);
        /// Sets the first row of each block, followed by the number of rows of the matrix, on any
        /// executor. If it is empty, blocks are found in the pattern. The parameters of a Jacobi
        /// contain the blocks that were found.
        array<index_type> SPRUCE_FACTORY_PARAMETER_VECTOR(block_pointers);
        /// Sets the format of the inverted blocks, one for all or one for each. All blocks in a
        /// slice of 32 rows have one format, so that a block may get a wider one. The largest entry
        /// of a block always fits: a format whose range does not contain it is replaced by a wider
        /// one, and a format that the value type does not have by one that it has.
        /// precision_reduction::autodetect() chooses the shortest format that accuracy
        /// permits. The parameters of a Jacobi contain the formats in which its blocks are stored.
        /// Has no effect if max_block_size is 1.
        preconditioner::storage_optimization SPRUCE_FACTORY_PARAMETER_VECTOR(storage_optimization,
                                                                             precision_reduction{});
        /// Sets the largest norm of I - B R, between 0 and 1, where R is the stored
        /// inverse of a block B. The condition number of B times the rounding error of the
        /// format bounds it. Only autodetect() uses it.
        remove_complex<value_type> SPRUCE_FACTORY_PARAMETER_SCALAR(accuracy,
                                                                   static_cast<remove_complex<value_type>>(0.1));
        /// Adds to each diagonal entry of M the sum of the absolute values of the entries of A in
        /// this row outside the block. This makes M a convergent smoother for symmetric positive
        /// definite A.
        bool SPRUCE_FACTORY_PARAMETER_SCALAR(aggregate_l1, false);
    };
    SPRUCE_DECLARE_LIN_OP_FACTORY(Jacobi, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    Jacobi(const Jacobi& other);
    Jacobi(Jacobi&& other);
    Jacobi& operator=(const Jacobi& other);
    /// Moves other, or copies it if it is on another executor. other is empty afterwards.
    Jacobi& operator=(Jacobi&& other);
    ~Jacobi() override;

    /// Replaces the matrix by one with the same stored pattern, whose values may differ. Patterns
    /// are compared by a 64-bit hash of each row. Blocks stay the same, and only their values are
    /// computed. CUDA and HIP graphs that solvers captured remain valid. No memory is
    /// allocated if the matrix is a Csr of these types on this executor with sorted columns, and
    /// aggregate_l1 is false.
    /// @throws DimensionMismatch  if the matrix has another size; nothing is changed then
    /// @throws NotSupported  if this is a result of transpose() or conj_transpose()
    /// @throws UnsupportedMatrixProperty  with the first row that has other columns; nothing is
    ///         changed then
    /// @throws UnsupportedMatrixProperty  if a block is singular or not finite; then all blocks are
    ///         NaN until another refresh() succeeds
    void refresh(std::shared_ptr<const LinOp> system_matrix) override;
    bool can_be_refreshed() const override;

    /// Converts M^-1.
    void convert_to(matrix::Dense<ValueType>* result) const override;
    /// Writes all entries of the blocks of M^-1, zeros included.
    void write(mat_data& data) const override;

    std::unique_ptr<LinOp> transpose() const override;
    std::unique_ptr<LinOp> conj_transpose() const override;

    size_type get_num_blocks() const noexcept;
    block_storage_scheme get_storage_scheme() const noexcept;
    /// Returns the inverted blocks in the memory of the executor, see get_storage_scheme(). Slices
    /// in shorter formats occupy the first part of their memory. If a block of n > 2 rows is
    /// Hermitian and in full precision, column d contains the entry (i, (i + d) mod n) of row i for
    /// d = 0, ..., n / 2.
    const value_type* get_blocks() const noexcept;
    /// Returns the condition numbers of the blocks of M in the 1-norm in the memory of the
    /// executor, or null if no shorter formats were asked for.
    const remove_complex<value_type>* get_conditioning() const noexcept;
    /// Returns the number of stored values, including padding.
    size_type get_num_stored_elements() const noexcept;
    /// Returns how many bytes of this operator apply() reads for a vector, without padding. Copies
    /// a description of the blocks to the host.
    size_type get_num_read_bytes() const;
    memory_extent get_memory_extent() const noexcept override;

protected:
    explicit Jacobi(std::shared_ptr<const Executor> exec);
    Jacobi(const Factory* factory, std::shared_ptr<const LinOp> system_matrix);

    bool has_static_launches() const override { return typeid(*this) == typeid(Jacobi); }
    bool applies_in_place(const LinOp*) const override { return parameters_.max_block_size == 1; }
    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    using csr = matrix::Csr<ValueType, IndexType>;
    using block_diagonal = detail::block_diagonal<ValueType, IndexType>;

    /// Computes the values of the blocks from a matrix with sorted columns. Returns true if it took
    /// zeros on the diagonal for 1.
    bool compute_values(const csr& matrix, block_diagonal& blocks);
    std::unique_ptr<LinOp> transpose_impl(bool conjugate) const;

    std::unique_ptr<block_diagonal> blocks_;
};

}  // namespace preconditioner
}  // namespace spruce
