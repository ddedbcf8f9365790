// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>
#include <typeinfo>

#include <spruce/base/array.hpp>
#include <spruce/base/lin_op.hpp>
#include <spruce/matrix/formats.hpp>

namespace spruce {
namespace matrix {

/// Lists what a permutation p reorders, as flags combined with |, & and ^. A is a matrix and B the
/// result.
enum class permute_mode : unsigned {
    none = 0,                                ///< B = A
    rows = 1,                                ///< B(i, j) = A(p_i, j)
    columns = 2,                             ///< B(i, j) = A(i, p_j)
    symmetric = rows | columns,              ///< B(i, j) = A(p_i, p_j)
    inverse = 4,                             ///< with the inverse of p
    inverse_rows = inverse | rows,           ///< B(p_i, j) = A(i, j)
    inverse_columns = inverse | columns,     ///< B(i, p_j) = A(i, j)
    inverse_symmetric = inverse | symmetric  ///< B(p_i, p_j) = A(i, j)
};

constexpr permute_mode operator|(permute_mode a, permute_mode b)
{
    return static_cast<permute_mode>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr permute_mode operator&(permute_mode a, permute_mode b)
{
    return static_cast<permute_mode>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}
constexpr permute_mode operator^(permute_mode a, permute_mode b)
{
    return static_cast<permute_mode>(static_cast<unsigned>(a) ^ static_cast<unsigned>(b));
}
/// Writes the name of mode.
SPRUCE_EXPORT std::ostream& operator<<(std::ostream& stream, permute_mode mode);

/// Represents a permutation p of 0, ..., n - 1 as a matrix P with ones at (i, p_i): row i of P b is
/// row p_i of b.
///
/// Indices are checked once, when create() takes them, which synchronizes the host with the device.
/// Indices that are written later, through get_permutation() or into a viewed array, are not
/// checked. All operations are bitwise repeatable.
template <typename IndexType = int32>
class SPRUCE_EXPORT Permutation : public EnableLinOp<Permutation<IndexType>>,
                                  public WritableToMatrixData<default_precision, IndexType>,
                                  public Transposable {
    friend class EnablePolymorphicObject<Permutation, LinOp>;

public:
    using value_type = default_precision;
    using index_type = IndexType;

    /// Selects rows or columns in the forms of create() that have a mask.
    using mask_type = uint64;
    static constexpr mask_type row_permute = 1;
    static constexpr mask_type column_permute = 2;
    static constexpr mask_type inverse_permute = 4;

    /// Creates a permutation with size uninitialized indices.
    static std::unique_ptr<Permutation> create(std::shared_ptr<const Executor> exec, size_type size = 0);
    /// Creates a permutation that takes the indices, or views them if the array is a view.
    /// @throws OutOfBoundsError  if an index is negative or not below n
    /// @throws ValueMismatch  if an index occurs twice
    static std::unique_ptr<Permutation> create(std::shared_ptr<const Executor> exec, array<IndexType> permutation);
    static std::unique_ptr<const Permutation> create_const(std::shared_ptr<const Executor> exec,
                                                           detail::const_array_view<IndexType>&& permutation);

    [[deprecated("create(exec, size) with one number")]] static std::unique_ptr<Permutation> create(
        std::shared_ptr<const Executor> exec, const dim<2>& size);
    /// Creates a permutation of the given size.
    /// @param mask  row_permute; together with inverse_permute the result is the inverse of the
    ///     permutation
    /// @throws NotSupported  for other masks
    /// @throws DimensionMismatch  if size is not square or does not have one row per index
    [[deprecated("create(exec, permutation)")]] static std::unique_ptr<Permutation> create(
        std::shared_ptr<const Executor> exec, const dim<2>& size, array<IndexType> permutation,
        mask_type mask = row_permute);

    Permutation(const Permutation& other);
    Permutation(Permutation&& other);
    Permutation& operator=(const Permutation& other);
    Permutation& operator=(Permutation&& other);
    ~Permutation() override;

    /// Computes the inverse q with q_(p_i) = i.
    std::unique_ptr<Permutation> compute_inverse() const;
    /// Composes first this permutation, then other: r with r_i = this_(other_i), the matrix product
    /// other this.
    /// @throws DimensionMismatch  if the sizes differ
    std::unique_ptr<Permutation> compose(ptr_param<const Permutation> other) const;

    void write(matrix_data<value_type, IndexType>& data) const override;

    /// Returns the inverse.
    std::unique_ptr<LinOp> transpose() const override;
    std::unique_ptr<LinOp> conj_transpose() const override;

    index_type* get_permutation() noexcept { return permutation_.get_data(); }
    const index_type* get_const_permutation() const noexcept { return permutation_.get_const_data(); }
    size_type get_permutation_size() const noexcept { return permutation_.get_size(); }

protected:
    explicit Permutation(std::shared_ptr<const Executor> exec, size_type size = 0);
    Permutation(std::shared_ptr<const Executor> exec, array<IndexType> permutation);

    bool has_static_launches() const override { return typeid(*this) == typeid(Permutation); }
    /// Computes x = P b. b and x are Dense of any value type; x may have the other precision.
    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    array<IndexType> permutation_;
};

}  // namespace matrix
}  // namespace spruce
