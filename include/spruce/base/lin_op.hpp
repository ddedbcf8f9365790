// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/base/abstract_factory.hpp>
#include <spruce/base/array.hpp>
#include <spruce/base/device_matrix_data.hpp>
#include <spruce/base/dim.hpp>
#include <spruce/base/matrix_data.hpp>
#include <spruce/base/polymorphic_object.hpp>
#include <spruce/base/reduction.hpp>
#include <spruce/base/temporary_clone.hpp>
#include <spruce/matrix/formats.hpp>

namespace spruce {

template <typename ValueType, typename IndexType>
class matrix_assembly_data;

namespace detail {
class result_memory;
}

/// Describes the memory of the values of an operand: num_rows rows of row_bytes bytes. Each row
/// begins stride_bytes after the one before.
struct memory_extent {
    const void* begin{};
    size_type row_bytes{};
    size_type stride_bytes{};
    size_type num_rows{};
};

namespace detail {

/// Returns the memory of all elements of an array.
template <typename ValueType>
memory_extent extent_of(const array<ValueType>& elements) noexcept
{
    const auto num_bytes = elements.get_size() * sizeof(ValueType);
    return {elements.get_const_data(), num_bytes, num_bytes, 1};
}

}  // namespace detail

/// Represents a linear operator: a matrix, a solver, a preconditioner, or an operator of an
/// application.
///
/// In all operations of the library that write to an operand, operands may share memory with the
/// result as follows.
/// - An operand that is read may occupy exactly the memory of the result. The operation reads a
///   copy of it, unless it works in place.
/// - Scalars and rows of scalars (alpha, beta) may be any part of the result.
/// - The result of a reduction may be any part of its operands.
/// - An operand that shares only a part of its memory with the result causes NotSupported. Then
///   nothing is changed.
/// - Disjoint rows or columns of one Dense share no memory. Views of different strides count as
///   overlapping if the ranges of their addresses overlap.
/// - The values of an operator, and of the operators that it applies, may share any memory with the
///   result of apply(). Then a copy of the result is written, and it is copied back at the end.
///
/// These rules apply to the memory of values, which get_memory_extent() and shares_memory_with()
/// describe. Indices and row pointers are not compared.
class SPRUCE_EXPORT LinOp : public EnableAbstractPolymorphicObject<LinOp> {
    friend class detail::result_memory;

public:
    /// Computes x = op(b). op is m x n, b is n x k, and x is m x k. The operands may be on any
    /// executor. Operands on another executor are copied to the executor of this operator, and x is
    /// copied back.
    /// Matrices take vectors and scalars of either precision in any combination. Operands whose
    /// precision differs from that of the matrix are converted to copies. Besides the product, this
    /// costs one pass over b and one or two passes over x. The product is computed in the precision
    /// of the matrix.
    /// A real matrix takes complex b and x as real matrices with twice as many columns, without
    /// copies. b may be x, see LinOp.
    /// @throws DimensionMismatch  if the sizes do not match
    /// @throws NotSupported  if op cannot handle the type of b or x, or if b shares only a part of
    ///     the memory of x
    LinOp* apply(ptr_param<const LinOp> b, ptr_param<LinOp> x);
    const LinOp* apply(ptr_param<const LinOp> b, ptr_param<LinOp> x) const;

    /// Computes x = alpha op(b) + beta x, where alpha and beta are 1 x 1. If beta is zero, x may
    /// contain anything on entry, NaN included. If the precision of x is higher than that of the
    /// matrix, x keeps its precision. Only the product is computed in the precision of the matrix,
    /// into separate memory. It is scaled and added in the precision of x, which costs three more
    /// passes over x.
    LinOp* apply(ptr_param<const LinOp> alpha, ptr_param<const LinOp> b, ptr_param<const LinOp> beta,
                 ptr_param<LinOp> x);
    const LinOp* apply(ptr_param<const LinOp> alpha, ptr_param<const LinOp> b, ptr_param<const LinOp> beta,
                       ptr_param<LinOp> x) const;

    const dim<2>& get_size() const noexcept { return size_; }

    /// Returns true if the result of apply() depends on the values of x on entry.
    virtual bool apply_uses_initial_guess() const { return false; }

    /// Returns the memory of the values of this operator. Operations use it to detect operands that
    /// overlap. The default, an extent without rows, means that the memory is unknown. Then the
    /// operator is assumed not to overlap others.
    virtual memory_extent get_memory_extent() const noexcept { return {}; }

    /// Returns true if every apply() to the same operands launches the same kernels with the same
    /// arguments, and does nothing else. Solvers on GPUs capture such launches and replay them
    /// without calling apply(). Returns false if loggers are attached, because they need the events
    /// of the operator.
    bool launches_are_static() const { return this->get_loggers().empty() && this->has_static_launches(); }

    /// Returns true if values that apply() reads, besides its operands, lie in this memory. The
    /// default compares the memory with get_memory_extent(). Operators that have values in several
    /// places, or that apply other operators, override this function.
    virtual bool shares_memory_with(const memory_extent& memory) const noexcept;

protected:
    /// Returns launches_are_static() for an operator without loggers. An operator that does more
    /// than launch kernels keeps the default.
    virtual bool has_static_launches() const { return false; }

    explicit LinOp(std::shared_ptr<const Executor> exec, const dim<2>& size = dim<2>{})
        : EnableAbstractPolymorphicObject<LinOp>(std::move(exec)), size_{size}
    {}
    LinOp(const LinOp&) = default;
    LinOp& operator=(const LinOp&) = default;
    LinOp(LinOp&& other) : EnableAbstractPolymorphicObject<LinOp>(other), size_{std::exchange(other.size_, dim<2>{})} {}
    LinOp& operator=(LinOp&& other)
    {
        if (this != &other) {
            size_ = std::exchange(other.size_, dim<2>{});
        }
        return *this;
    }

    void set_size(const dim<2>& size) noexcept { size_ = size; }

    void validate_application_parameters(const LinOp* b, const LinOp* x) const;
    void validate_application_parameters(const LinOp* alpha, const LinOp* b, const LinOp* beta, const LinOp* x) const;

    /// Returns true if apply() into x is correct even if b lies in the memory of x. Otherwise
    /// apply() uses a copy of such a b.
    virtual bool applies_in_place(const LinOp*) const { return false; }

    virtual void apply_impl(const LinOp* b, LinOp* x) const = 0;
    virtual void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const = 0;

private:
    dim<2> size_;
};

namespace detail {

/// Checks the operands of an apply() of op.
/// @throws DimensionMismatch  if the sizes do not match
/// @throws NotSupported  for null pointers
SPRUCE_EXPORT void require_fitting_operands(const LinOp& op, const LinOp* b, const LinOp* x);
SPRUCE_EXPORT void require_fitting_operands(const LinOp& op, const LinOp* alpha, const LinOp* b, const LinOp* beta,
                                            const LinOp* x);

/// Returns true if op is a matrix::Identity of any value type.
SPRUCE_EXPORT bool is_identity(const LinOp* op);

}  // namespace detail

/// Implements an operator Concrete: apply() returns this type, and objects can be cloned, copied
/// and converted.
template <typename Concrete, typename Base = LinOp>
class EnableLinOp : public EnablePolymorphicObject<Concrete, Base>, public EnablePolymorphicAssignment<Concrete> {
public:
    using EnablePolymorphicObject<Concrete, Base>::EnablePolymorphicObject;
    using EnablePolymorphicAssignment<Concrete>::convert_to;
    using EnablePolymorphicAssignment<Concrete>::move_to;

    const Concrete* apply(ptr_param<const LinOp> b, ptr_param<LinOp> x) const
    {
        Base::apply(b, x);
        return static_cast<const Concrete*>(this);
    }
    Concrete* apply(ptr_param<const LinOp> b, ptr_param<LinOp> x)
    {
        Base::apply(b, x);
        return static_cast<Concrete*>(this);
    }
    const Concrete* apply(ptr_param<const LinOp> alpha, ptr_param<const LinOp> b, ptr_param<const LinOp> beta,
                          ptr_param<LinOp> x) const
    {
        Base::apply(alpha, b, beta, x);
        return static_cast<const Concrete*>(this);
    }
    Concrete* apply(ptr_param<const LinOp> alpha, ptr_param<const LinOp> b, ptr_param<const LinOp> beta,
                    ptr_param<LinOp> x)
    {
        Base::apply(alpha, b, beta, x);
        return static_cast<Concrete*>(this);
    }
};

/// Creates operators from an operator, for instance a solver from a system matrix.
class SPRUCE_EXPORT LinOpFactory : public AbstractFactory<LinOp, std::shared_ptr<const LinOp>> {
public:
    using AbstractFactory<LinOp, std::shared_ptr<const LinOp>>::AbstractFactory;

    /// Creates an operator from input. If the executor of input is not equivalent to that of the
    /// factory, input is copied to the executor of the factory first. Loggers of the factory are
    /// added to the product.
    /// @throws NotSupported  for a null pointer
    std::unique_ptr<LinOp> generate(std::shared_ptr<const LinOp> input) const;
};

/// The following classes describe what operators may provide besides apply().

class SPRUCE_EXPORT Transposable {
public:
    virtual ~Transposable();
    virtual std::unique_ptr<LinOp> transpose() const = 0;
    virtual std::unique_ptr<LinOp> conj_transpose() const = 0;
};

/// Permutes rows and columns by a permutation p of 0, ..., n - 1 on any executor. A is this matrix,
/// and B is the result. Implementations override the four functions for rows and for columns.
/// permute() and inverse_permute() have defaults that call them.
/// @throws DimensionMismatch  if the length of p is not the number of permuted rows or columns
/// @throws OutOfBoundsError  if an element of p is negative or not below that length
/// @throws ValueMismatch  if an element of p occurs twice
template <typename IndexType>
class Permutable {
public:
    virtual ~Permutable() = default;
    /// Computes B(i, j) = A(p_i, p_j).
    /// @throws DimensionMismatch  if A is not square
    virtual std::unique_ptr<LinOp> permute(const array<IndexType>* permutation) const
    {
        return as<Permutable>(this->row_permute(permutation))->column_permute(permutation);
    }
    /// Computes B(p_i, p_j) = A(i, j).
    virtual std::unique_ptr<LinOp> inverse_permute(const array<IndexType>* permutation) const
    {
        return as<Permutable>(this->inverse_row_permute(permutation))->inverse_column_permute(permutation);
    }
    /// Computes B(i, j) = A(p_i, j).
    virtual std::unique_ptr<LinOp> row_permute(const array<IndexType>* permutation) const = 0;
    /// Computes B(i, j) = A(i, p_j).
    virtual std::unique_ptr<LinOp> column_permute(const array<IndexType>* permutation) const = 0;
    /// Computes B(p_i, j) = A(i, j).
    virtual std::unique_ptr<LinOp> inverse_row_permute(const array<IndexType>* permutation) const = 0;
    /// Computes B(i, p_j) = A(i, j).
    virtual std::unique_ptr<LinOp> inverse_column_permute(const array<IndexType>* permutation) const = 0;
};

/// Provides the diagonal as an operator, independently of the value type.
class SPRUCE_EXPORT DiagonalLinOpExtractable {
public:
    virtual ~DiagonalLinOpExtractable();
    virtual std::unique_ptr<LinOp> extract_diagonal_linop() const = 0;
};

/// Provides the diagonal as a matrix.
template <typename ValueType>
class DiagonalExtractable : public DiagonalLinOpExtractable {
public:
    using value_type = ValueType;
    /// Returns the diagonal, which has min(rows, columns) values. A value is zero if there is no
    /// entry (i, i), and the sum if there are several.
    virtual std::unique_ptr<matrix::Diagonal<ValueType>> extract_diagonal() const = 0;
    std::unique_ptr<LinOp> extract_diagonal_linop() const override;  // defined in <spruce/matrix/diagonal.hpp>
};

/// Computes a product together with the inner products that the conjugate gradient method needs
/// next. This saves a pass over both vectors.
template <typename ValueType>
class DotApplicable {
public:
    virtual ~DotApplicable() = default;
    /// Computes x = A b and dot(0, j) = b_j^H x_j. A is n x n, b and x are n x k, and dot is 1 x k,
    /// all on the executor of A. reduction sums over the rows of all parts if A is distributed, and
    /// scales dot (see Reduction::set_scale()). Loggers receive the events of an apply(). x may
    /// be b. dot may be any part of b or x, and is written last.
    /// @throws DimensionMismatch  if the sizes do not match
    virtual void apply_with_dot(const matrix::Dense<ValueType>* b, matrix::Dense<ValueType>* x,
                                matrix::Dense<ValueType>* dot, const Reduction& reduction) const = 0;
};

/// Replaces entries by their absolute values, in a copy or in place.
class SPRUCE_EXPORT AbsoluteComputable {
public:
    virtual ~AbsoluteComputable();
    /// Returns a real matrix of the absolute values of the entries.
    virtual std::unique_ptr<LinOp> compute_absolute_linop() const = 0;
    virtual void compute_absolute_inplace() = 0;
};

/// Implements AbsoluteComputable for a class that knows the type of the result.
template <typename AbsoluteLinOp>
class EnableAbsoluteComputation : public AbsoluteComputable {
public:
    using absolute_type = AbsoluteLinOp;
    std::unique_ptr<LinOp> compute_absolute_linop() const override { return this->compute_absolute(); }
    virtual std::unique_ptr<absolute_type> compute_absolute() const = 0;
};

/// Adds a multiple of the identity to an operator in place.
class SPRUCE_EXPORT ScaledIdentityAddable {
public:
    virtual ~ScaledIdentityAddable();
    /// Computes this = a I + b this, where a and b are 1 x 1 on any executor.
    /// @throws DimensionMismatch  if a or b is not 1 x 1
    void add_scaled_identity(ptr_param<const LinOp> a, ptr_param<const LinOp> b);

private:
    /// Computes this = a I + b this, where a and b are on the executor of this operator.
    virtual void add_scaled_identity_impl(const LinOp* a, const LinOp* b) = 0;
};

/// Builds a matrix from triples, which may be in any order. No entry is lost, and zeros are kept.
/// If rows are out of order, entries are sorted by row, then column. Otherwise the entries of a row
/// keep their order. Formats that can store several entries at one position keep all of them;
/// Dense, Fbcsr and Diagonal store their sum.
template <typename ValueType, typename IndexType>
class ReadableFromMatrixData {
public:
    using value_type = ValueType;
    using index_type = IndexType;
    virtual ~ReadableFromMatrixData() = default;
    /// Reads data. If read() throws, nothing is changed.
    /// @throws OverflowError  if a sparse matrix has more rows or columns than IndexType can count
    /// @throws OutOfBoundsError  if an entry lies outside the matrix
    virtual void read(const matrix_data<ValueType, IndexType>& data) = 0;
    /// Reads data on any executor. This default copies them to the host.
    virtual void read(const device_matrix_data<ValueType, IndexType>& data) { this->read(data.copy_to_host()); }
    /// Reads data and may move their arrays into the matrix. This default copies them.
    virtual void read(device_matrix_data<ValueType, IndexType>&& data)
    {
        this->read(static_cast<const device_matrix_data<ValueType, IndexType>&>(data));
    }
    void read(const matrix_assembly_data<ValueType, IndexType>& data) { this->read(data.get_ordered_data()); }
};

/// Writes a matrix as triples in row-major order.
template <typename ValueType, typename IndexType>
class WritableToMatrixData {
public:
    using value_type = ValueType;
    using index_type = IndexType;
    virtual ~WritableToMatrixData() = default;
    virtual void write(matrix_data<ValueType, IndexType>& data) const = 0;
};

/// Holds a preconditioner M^-1, an operator that is applied to residuals: z = M^-1 r.
class SPRUCE_EXPORT Preconditionable {
public:
    virtual ~Preconditionable();
    virtual std::shared_ptr<const LinOp> get_preconditioner() const { return preconditioner_; }
    virtual void set_preconditioner(std::shared_ptr<const LinOp> preconditioner)
    {
        is_identity_ = detail::is_identity(preconditioner.get());
        preconditioner_ = std::move(preconditioner);
    }

protected:
    /// Returns the preconditioner; null if it is the identity.
    const LinOp* get_preconditioner_unless_identity() const { return is_identity_ ? nullptr : preconditioner_.get(); }

    Preconditionable() = default;
    Preconditionable(const Preconditionable&) = default;
    Preconditionable(Preconditionable&&) = default;
    Preconditionable& operator=(const Preconditionable&) = default;
    Preconditionable& operator=(Preconditionable&&) = default;

private:
    std::shared_ptr<const LinOp> preconditioner_;
    bool is_identity_{};
};

}  // namespace spruce
