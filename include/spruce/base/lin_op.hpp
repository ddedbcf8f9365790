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

/// Describes the memory of an operand's values: num_rows rows of row_bytes each, where each row begins stride_bytes after the one
/// before.
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

/// A linear operator: a matrix, a solver, a preconditioner, or one of the application's own.
///
/// Results may share memory with operands, here and in all operations of the library that write to an operand. What is read
/// may lie in exactly the memory of the result: the operation reads a copy, unless it works in place. Scalars and
/// rows of scalars (alpha, beta) may be any part of the result, and the result of a reduction may be any part of its
/// operands. An operand that shares only a part of its memory with the result is refused with NotSupported, before anything
/// is changed. Disjoint rows or columns of one Dense share nothing; views of different strides count as overlapping where
/// the ranges of their addresses do. The values of an operator, and of the operators that it applies, may share any memory
/// with the result of apply(): a copy of the result is written then, and copied back at the end. All this holds for the memory
/// of values that get_memory_extent() and shares_memory_with() know of; indices and row pointers are not compared.
class SPRUCE_EXPORT LinOp : public EnableAbstractPolymorphicObject<LinOp> {
    friend class detail::result_memory;

public:
    /// x = op(b). op is m x n, b is n x k, x is m x k; all on any executor: operands elsewhere are copied to this
    /// operator's executor and x is copied back.
    /// Matrices take vectors and scalars of either precision, each its own. Those of another precision than the matrix's are
    /// converted: copies of them, a pass over b and one or two over x besides the product, which is computed in the matrix's
    /// precision.
    /// A real matrix takes complex b and x as twice as many real columns, without copies.
    /// b may be x, see LinOp.
    /// @throws DimensionMismatch  if the sizes do not fit; NotSupported if b or x is of a type op cannot handle, or b shares only a
    /// part of x's memory
    LinOp* apply(ptr_param<const LinOp> b, ptr_param<LinOp> x);
    const LinOp* apply(ptr_param<const LinOp> b, ptr_param<LinOp> x) const;

    /// x = alpha op(b) + beta x, with alpha and beta 1 x 1. Where beta is zero x may hold anything, NaN included.
    /// An x of higher precision than the matrix's keeps it: only the product is computed in the matrix's precision, into memory
    /// of its own, and scaled and added in that of x, in three passes over x more.
    LinOp* apply(ptr_param<const LinOp> alpha, ptr_param<const LinOp> b, ptr_param<const LinOp> beta,
                 ptr_param<LinOp> x);
    const LinOp* apply(ptr_param<const LinOp> alpha, ptr_param<const LinOp> b, ptr_param<const LinOp> beta,
                       ptr_param<LinOp> x) const;

    const dim<2>& get_size() const noexcept { return size_; }

    /// Whether the result depends on what x holds before.
    virtual bool apply_uses_initial_guess() const { return false; }

    /// Returns the memory of this operator's values, by which operations detect operands that overlap. The default, an extent
    /// without rows, means that it is unknown: such an operand is assumed not to overlap others.
    virtual memory_extent get_memory_extent() const noexcept { return {}; }

    /// Returns true if apply() to the same operands launches the same kernels with the same arguments each time and does nothing else. Solvers
    /// on GPUs capture such launches and replay them without a call of apply(). False while a logger needs the operator's events.
    bool launches_are_static() const { return this->get_loggers().empty() && this->has_static_launches(); }

    /// Returns true if values that apply() reads, besides its operands, lie in this memory. The default compares it with
    /// get_memory_extent(). Operators that have values in several places, or apply other operators, override it.
    virtual bool shares_memory_with(const memory_extent& memory) const noexcept;

protected:
    /// Determines launches_are_static() of an operator without loggers. An operator that does anything but launch kernels keeps the
    /// default.
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

    /// Returns true if apply() into x gives the right result even if b lies in x's memory. If it returns false, apply() uses a copy
    /// of such a b.
    virtual bool applies_in_place(const LinOp*) const { return false; }

    virtual void apply_impl(const LinOp* b, LinOp* x) const = 0;
    virtual void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const = 0;

private:
    dim<2> size_;
};

namespace detail {

/// Checks the operands of an apply of op. @throws DimensionMismatch  if sizes do not fit; NotSupported  for null pointers
SPRUCE_EXPORT void require_fitting_operands(const LinOp& op, const LinOp* b, const LinOp* x);
SPRUCE_EXPORT void require_fitting_operands(const LinOp& op, const LinOp* alpha, const LinOp* b, const LinOp* beta,
                                            const LinOp* x);

/// Returns true if op is a matrix::Identity of any value type.
SPRUCE_EXPORT bool is_identity(const LinOp* op);

}  // namespace detail

/// Makes an operator of Concrete: re-types apply(), and gives cloning, copying and conversion.
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

/// Makes operators from an operator: a solver from a system matrix, say.
class SPRUCE_EXPORT LinOpFactory : public AbstractFactory<LinOp, std::shared_ptr<const LinOp>> {
public:
    using AbstractFactory<LinOp, std::shared_ptr<const LinOp>>::AbstractFactory;

    /// input on another device is copied to the factory's executor first. Loggers of the factory pass to the product.
    /// @throws NotSupported  for a null pointer
    std::unique_ptr<LinOp> generate(std::shared_ptr<const LinOp> input) const;
};

/// What operators may offer beside apply(), one ability each.

class SPRUCE_EXPORT Transposable {
public:
    virtual ~Transposable();
    virtual std::unique_ptr<LinOp> transpose() const = 0;
    virtual std::unique_ptr<LinOp> conj_transpose() const = 0;
};

/// Rows and columns can be reordered by a permutation p of 0, ..., n - 1 on any executor. A is this matrix, B the result.
/// Implementations override the four functions for rows and for columns; permute() and inverse_permute() have defaults that call them.
/// @throws DimensionMismatch  if p has another length than what it reorders  @throws OutOfBoundsError  if an element is negative or
/// not below that length  @throws ValueMismatch  if one occurs twice
template <typename IndexType>
class Permutable {
public:
    virtual ~Permutable() = default;
    /// B(i, j) = A(p_i, p_j). @throws DimensionMismatch  if A is not square
    virtual std::unique_ptr<LinOp> permute(const array<IndexType>* permutation) const
    {
        return as<Permutable>(this->row_permute(permutation))->column_permute(permutation);
    }
    /// B(p_i, p_j) = A(i, j)
    virtual std::unique_ptr<LinOp> inverse_permute(const array<IndexType>* permutation) const
    {
        return as<Permutable>(this->inverse_row_permute(permutation))->inverse_column_permute(permutation);
    }
    /// B(i, j) = A(p_i, j)
    virtual std::unique_ptr<LinOp> row_permute(const array<IndexType>* permutation) const = 0;
    /// B(i, j) = A(i, p_j)
    virtual std::unique_ptr<LinOp> column_permute(const array<IndexType>* permutation) const = 0;
    /// B(p_i, j) = A(i, j)
    virtual std::unique_ptr<LinOp> inverse_row_permute(const array<IndexType>* permutation) const = 0;
    /// B(i, p_j) = A(i, j)
    virtual std::unique_ptr<LinOp> inverse_column_permute(const array<IndexType>* permutation) const = 0;
};

/// Its diagonal can be had, whatever its value type.
class SPRUCE_EXPORT DiagonalLinOpExtractable {
public:
    virtual ~DiagonalLinOpExtractable();
    virtual std::unique_ptr<LinOp> extract_diagonal_linop() const = 0;
};

/// Its diagonal can be had as a matrix.
template <typename ValueType>
class DiagonalExtractable : public DiagonalLinOpExtractable {
public:
    using value_type = ValueType;
    /// The entries (i, i), min(rows, columns) of them: zero where there is none, the sum where
    /// there are several.
    virtual std::unique_ptr<matrix::Diagonal<ValueType>> extract_diagonal() const = 0;
    std::unique_ptr<LinOp> extract_diagonal_linop() const override;  // in <spruce/matrix/diagonal.hpp>
};

/// A product can come with the inner products that conjugate gradients need next, which spares a pass over both vectors.
template <typename ValueType>
class DotApplicable {
public:
    virtual ~DotApplicable() = default;
    /// Computes x = A b and dot(0, j) = b_j^H x_j. A is n x n, b and x are n x k, dot is 1 x k, all on
    /// A's executor. reduction adds up the rows of all parts if A is distributed, and scales dot (see
    /// Reduction::set_scale()). For loggers it is an apply(). b may be x; dot may be any part of b or x,
    /// and is written last.
    /// @throws DimensionMismatch  if the sizes do not fit
    virtual void apply_with_dot(const matrix::Dense<ValueType>* b, matrix::Dense<ValueType>* x,
                                matrix::Dense<ValueType>* dot, const Reduction& reduction) const = 0;
};

/// Its entries can be replaced by their absolute values, in a copy or in place.
class SPRUCE_EXPORT AbsoluteComputable {
public:
    virtual ~AbsoluteComputable();
    /// A real matrix of the entries' absolute values.
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

/// A multiple of the identity can be added to it in place.
class SPRUCE_EXPORT ScaledIdentityAddable {
public:
    virtual ~ScaledIdentityAddable();
    /// this = a I + b this, with 1 x 1 a and b on any executor. @throws DimensionMismatch  for others
    void add_scaled_identity(ptr_param<const LinOp> a, ptr_param<const LinOp> b);

private:
    /// a and b are on this operator's executor.
    virtual void add_scaled_identity_impl(const LinOp* a, const LinOp* b) = 0;
};

/// Can be built from triples, which may come in any order. No entry is lost, and zeros are kept. If
/// rows are out of order, entries are sorted by row, then column; otherwise the entries of a row
/// keep their order. Formats that can store several entries at one place keep all of them; Dense,
/// Fbcsr and Diagonal store their sum.
template <typename ValueType, typename IndexType>
class ReadableFromMatrixData {
public:
    using value_type = ValueType;
    using index_type = IndexType;
    virtual ~ReadableFromMatrixData() = default;
    /// If read() throws, nothing changes. @throws OverflowError  if a sparse matrix has more rows or columns than IndexType can count
    /// @throws OutOfBoundsError  if an entry lies outside the matrix
    virtual void read(const matrix_data<ValueType, IndexType>& data) = 0;
    /// Reads data on any executor. This default copies them to the host and calls the function above.
    virtual void read(const device_matrix_data<ValueType, IndexType>& data) { this->read(data.copy_to_host()); }
    /// Reads data and may take over its arrays; this default copies them.
    virtual void read(device_matrix_data<ValueType, IndexType>&& data)
    {
        this->read(static_cast<const device_matrix_data<ValueType, IndexType>&>(data));
    }
    void read(const matrix_assembly_data<ValueType, IndexType>& data) { this->read(data.get_ordered_data()); }
};

/// Can be written as triples, in row-major order.
template <typename ValueType, typename IndexType>
class WritableToMatrixData {
public:
    using value_type = ValueType;
    using index_type = IndexType;
    virtual ~WritableToMatrixData() = default;
    virtual void write(matrix_data<ValueType, IndexType>& data) const = 0;
};

/// Holds a preconditioner: the operator that its residuals are multiplied by.
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
