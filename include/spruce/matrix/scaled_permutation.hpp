// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/array.hpp>
#include <spruce/base/lin_op.hpp>
#include <spruce/base/math.hpp>
#include <spruce/matrix/formats.hpp>

namespace spruce {
namespace matrix {

/// Represents a scaling followed by a permutation: the matrix P S, where S is the diagonal matrix
/// of the factors s.
///
/// Row i of P S b is s_(p_i) times row p_i of b. Indices are checked when create() takes them, see
/// Permutation. All operations are bitwise repeatable.
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT ScaledPermutation : public EnableLinOp<ScaledPermutation<ValueType, IndexType>>,
                                        public ConvertibleTo<ScaledPermutation<next_precision<ValueType>, IndexType>>,
                                        public WritableToMatrixData<ValueType, IndexType>,
                                        public Transposable {
    friend class EnablePolymorphicObject<ScaledPermutation, LinOp>;
    friend class ScaledPermutation<next_precision<ValueType>, IndexType>;
    using conversion = ConvertibleTo<ScaledPermutation<next_precision<ValueType>, IndexType>>;

public:
    using EnableLinOp<ScaledPermutation>::convert_to;
    using EnableLinOp<ScaledPermutation>::move_to;
    using conversion::convert_to;
    using conversion::move_to;

    using value_type = ValueType;
    using index_type = IndexType;

    /// Creates a permutation with size uninitialized factors and indices.
    static std::unique_ptr<ScaledPermutation> create(std::shared_ptr<const Executor> exec, size_type size = 0);
    /// Creates a permutation with factors of one, on the executor of the given permutation.
    static std::unique_ptr<ScaledPermutation> create(ptr_param<const Permutation<IndexType>> permutation);
    /// Creates a permutation that takes the arrays, or views them if they are views.
    /// @throws ValueMismatch  if their lengths differ, or an index occurs twice
    /// @throws OutOfBoundsError  if an index is negative or not below the number of indices
    static std::unique_ptr<ScaledPermutation> create(std::shared_ptr<const Executor> exec,
                                                     array<value_type> scaling_factors, array<index_type> permutation);
    static std::unique_ptr<const ScaledPermutation> create_const(std::shared_ptr<const Executor> exec,
                                                                 detail::const_array_view<value_type>&& scaling_factors,
                                                                 detail::const_array_view<index_type>&& permutation);

    ScaledPermutation(const ScaledPermutation& other);
    ScaledPermutation(ScaledPermutation&& other);
    ScaledPermutation& operator=(const ScaledPermutation& other);
    ScaledPermutation& operator=(ScaledPermutation&& other);
    ~ScaledPermutation() override;

    void convert_to(ScaledPermutation<next_precision<ValueType>, IndexType>* result) const override;

    /// Computes the inverse matrix. A factor of zero gives infinity or NaN, like a division by
    /// zero.
    std::unique_ptr<ScaledPermutation> compute_inverse() const;
    /// Composes first this matrix, then other: the matrix product other this.
    /// @throws DimensionMismatch  if the sizes differ
    std::unique_ptr<ScaledPermutation> compose(ptr_param<const ScaledPermutation> other) const;

    void write(matrix_data<ValueType, IndexType>& data) const override;

    std::unique_ptr<LinOp> transpose() const override;
    std::unique_ptr<LinOp> conj_transpose() const override;

    value_type* get_scaling_factors() noexcept { return scale_.get_data(); }
    const value_type* get_const_scaling_factors() const noexcept { return scale_.get_const_data(); }
    memory_extent get_memory_extent() const noexcept override { return detail::extent_of(scale_); }
    index_type* get_permutation() noexcept { return permutation_.get_data(); }
    const index_type* get_const_permutation() const noexcept { return permutation_.get_const_data(); }

protected:
    explicit ScaledPermutation(std::shared_ptr<const Executor> exec, size_type size = 0);
    ScaledPermutation(std::shared_ptr<const Executor> exec, array<value_type> scaling_factors,
                      array<index_type> permutation);

    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    array<value_type> scale_;
    array<index_type> permutation_;
};

}  // namespace matrix
}  // namespace spruce
