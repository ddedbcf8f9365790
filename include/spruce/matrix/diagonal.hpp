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
namespace detail {

/// Lists the types to which a Diagonal converts by means of a Csr of one index type.
template <typename ValueType, typename IndexType>
using diagonal_conversions_via_csr =
    matrix::ConvertibleToEachViaCsr<ValueType, IndexType, matrix::Coo<ValueType, IndexType>,
                                    matrix::Ell<ValueType, IndexType>, matrix::Sellp<ValueType, IndexType>,
                                    matrix::Hybrid<ValueType, IndexType>, matrix::Fbcsr<ValueType, IndexType>,
                                    matrix::SparsityCsr<ValueType, IndexType>>;

}  // namespace detail

namespace matrix {

/// Represents a square diagonal matrix D by n values. It scales the rows or columns of Dense and
/// Csr in one pass over them. All operations are bitwise repeatable.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Diagonal : public EnableLinOp<Diagonal<ValueType>>,
                               public ConvertibleToEach<Diagonal<next_precision<ValueType>>, Dense<ValueType>,
                                                        Csr<ValueType, int32>, Csr<ValueType, int64>>,
                               public detail::diagonal_conversions_via_csr<ValueType, int32>,
                               public detail::diagonal_conversions_via_csr<ValueType, int64>,
                               public ReadableFromMatrixData<ValueType, int32>,
                               public ReadableFromMatrixData<ValueType, int64>,
                               public WritableToMatrixData<ValueType, int32>,
                               public WritableToMatrixData<ValueType, int64>,
                               public EnableAbsoluteComputation<remove_complex<Diagonal<ValueType>>>,
                               public Transposable {
    friend class EnablePolymorphicObject<Diagonal, LinOp>;
    friend class Diagonal<next_precision<ValueType>>;
    using conversions = ConvertibleToEach<Diagonal<next_precision<ValueType>>, Dense<ValueType>, Csr<ValueType, int32>,
                                          Csr<ValueType, int64>>;
    using conversions_via_csr32 = detail::diagonal_conversions_via_csr<ValueType, int32>;
    using conversions_via_csr64 = detail::diagonal_conversions_via_csr<ValueType, int64>;

public:
    using EnableLinOp<Diagonal>::convert_to;
    using EnableLinOp<Diagonal>::move_to;
    using conversions::convert_to;
    using conversions::move_to;
    using conversions_via_csr32::convert_to;
    using conversions_via_csr32::move_to;
    using conversions_via_csr64::convert_to;
    using conversions_via_csr64::move_to;
    using ReadableFromMatrixData<ValueType, int32>::read;
    using ReadableFromMatrixData<ValueType, int64>::read;

    using value_type = ValueType;
    using index_type = int64;
    using mat_data = matrix_data<ValueType, int64>;
    using mat_data32 = matrix_data<ValueType, int32>;
    using absolute_type = remove_complex<Diagonal>;

    /// Creates a matrix with size uninitialized values.
    static std::unique_ptr<Diagonal> create(std::shared_ptr<const Executor> exec, size_type size = 0);
    /// Creates a matrix that takes the values, or views them if the array is a view.
    /// @throws ValueMismatch  if the number of values is not size
    static std::unique_ptr<Diagonal> create(std::shared_ptr<const Executor> exec, size_type size,
                                            array<value_type> values);
    static std::unique_ptr<const Diagonal> create_const(std::shared_ptr<const Executor> exec, size_type size,
                                                        detail::const_array_view<ValueType>&& values);

    Diagonal(const Diagonal& other);
    Diagonal(Diagonal&& other);
    Diagonal& operator=(const Diagonal& other);
    Diagonal& operator=(Diagonal&& other);
    ~Diagonal() override;

    void convert_to(Diagonal<next_precision<ValueType>>* result) const override;
    void convert_to(Dense<ValueType>* result) const override;
    /// Converts to Csr. Every value is stored, zeros included. This also holds for formats that are
    /// converted by means of a Csr.
    /// @throws OverflowError  if the size does not fit the index type
    void convert_to(Csr<ValueType, int32>* result) const override;
    void convert_to(Csr<ValueType, int64>* result) const override;

    /// Reads the diagonal. Entries that data does not contain are zero.
    /// @throws DimensionMismatch  if data is not square
    /// @throws UnsupportedMatrixProperty  if data has entries off the diagonal
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

    std::unique_ptr<absolute_type> compute_absolute() const override;
    void compute_absolute_inplace() override;

    /// Computes x = b D, which scales columns; apply() computes x = D b for the same operands.
    ///
    /// b and x are Dense, or both are sparse with the same types. They may be the same object.
    /// Formats other than Csr are converted by means of one. Entries keep their order, except in
    /// Fbcsr.
    /// @throws DimensionMismatch  if the sizes do not match
    /// @throws NotSupported  for operands of other types
    void rapply(ptr_param<const LinOp> b, ptr_param<LinOp> x) const;
    /// Computes x = D^-1 b, which divides rows by the values. A value of zero gives infinity or
    /// NaN, like a division by zero. Operands are like those of rapply().
    void inverse_apply(ptr_param<const LinOp> b, ptr_param<LinOp> x) const;

    value_type* get_values() noexcept { return values_.get_data(); }
    const value_type* get_const_values() const noexcept { return values_.get_const_data(); }
    memory_extent get_memory_extent() const noexcept override { return detail::extent_of(values_); }

protected:
    bool has_static_launches() const override { return typeid(*this) == typeid(Diagonal); }

    explicit Diagonal(std::shared_ptr<const Executor> exec, size_type size = 0);
    Diagonal(std::shared_ptr<const Executor> exec, size_type size, array<value_type> values);

    bool applies_in_place(const LinOp*) const override { return true; }
    void apply_impl(const LinOp* b, LinOp* x) const override;
    /// Computes x = alpha D b + beta x for Dense b and x.
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    template <typename IndexType>
    void convert_to_csr(Csr<ValueType, IndexType>* result) const;
    template <typename IndexType>
    void read_impl(const device_matrix_data<ValueType, IndexType>& data);
    template <typename IndexType>
    void write_impl(matrix_data<ValueType, IndexType>& data) const;

    array<value_type> values_;
};

}  // namespace matrix

template <typename ValueType>
std::unique_ptr<LinOp> DiagonalExtractable<ValueType>::extract_diagonal_linop() const
{
    return this->extract_diagonal();
}

}  // namespace spruce
