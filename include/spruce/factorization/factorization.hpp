// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/base/composition.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/diagonal.hpp>

namespace spruce {
namespace experimental {
namespace factorization {

/// Lists how a Factorization stores its factors.
enum class storage_type {
    empty,        ///< no factors
    composition,  ///< a Composition of L and U, or of L, D and U
    combined_lu,  ///< one matrix: U, and below its diagonal L, whose diagonal of ones is not stored
    /// One matrix: D on the diagonal, and beside it L and U, whose diagonals of ones are not
    /// stored.
    combined_ldu,
    symm_composition,        ///< a Composition of L and L^H, or of L, D and L^H
    symm_combined_cholesky,  ///< one matrix: L, and above its diagonal L^H
    /// One matrix: D on the diagonal, and beside it L and L^H, whose diagonals of ones are not
    /// stored.
    symm_combined_ldl
};

/// Holds the triangular factors of a matrix: L U, L D U, L L^H or L D L^H. They are separate
/// operators or parts of one matrix. apply() multiplies by the product of separate factors.
/// @throws NotSupported  by apply() if the factors are not separate; unpack() separates them
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT Factorization : public EnableLinOp<Factorization<ValueType, IndexType>> {
    friend class EnablePolymorphicObject<Factorization, LinOp>;

public:
    using value_type = ValueType;
    using index_type = IndexType;
    using matrix_type = matrix::Csr<ValueType, IndexType>;
    using diag_type = matrix::Diagonal<ValueType>;
    using composition_type = Composition<ValueType>;

    /// Returns a factorization with separate factors. Symmetric ones are made from the lower
    /// triangle of the stored matrix. Separate factors are shared.
    /// @throws UnsupportedMatrixProperty  with the row, if the stored matrix lacks a diagonal entry
    ///         or stores an entry twice
    std::unique_ptr<Factorization> unpack() const;

    storage_type get_storage_type() const noexcept { return storage_type_; }
    /// Returns L; null if the factors are not separate.
    std::shared_ptr<const matrix_type> get_lower_factor() const;
    /// Returns D; null if there is none or if the factors are not separate.
    std::shared_ptr<const diag_type> get_diagonal() const;
    /// Returns U or L^H; null if the factors are not separate.
    std::shared_ptr<const matrix_type> get_upper_factor() const;
    /// Returns the matrix that contains all factors; null if they are separate.
    std::shared_ptr<const matrix_type> get_combined() const;

    // The following functions take factors.
    // @throws NotSupported  for a null pointer, or if a Composition does not consist of two Csr, or
    //     of a Csr, a Diagonal and a Csr
    // @throws DimensionMismatch  if a matrix is not square

    static std::unique_ptr<Factorization> create_from_composition(std::unique_ptr<composition_type> composition);
    static std::unique_ptr<Factorization> create_from_symm_composition(std::unique_ptr<composition_type> composition);
    static std::unique_ptr<Factorization> create_from_combined_lu(std::unique_ptr<matrix_type> matrix);
    static std::unique_ptr<Factorization> create_from_combined_ldu(std::unique_ptr<matrix_type> matrix);
    static std::unique_ptr<Factorization> create_from_combined_cholesky(std::unique_ptr<matrix_type> matrix);
    static std::unique_ptr<Factorization> create_from_combined_ldl(std::unique_ptr<matrix_type> matrix);

    /// Copies share the factors if they are on the same executor.
    Factorization(const Factorization& other);
    Factorization(Factorization&& other);
    Factorization& operator=(const Factorization& other);
    Factorization& operator=(Factorization&& other);
    ~Factorization() override;

    bool shares_memory_with(const memory_extent& memory) const noexcept override;

protected:
    explicit Factorization(std::shared_ptr<const Executor> exec);
    bool has_static_launches() const override;
    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    static std::unique_ptr<Factorization> create(std::unique_ptr<composition_type> factors, storage_type type);
    static std::unique_ptr<Factorization> create_from_product(const char* method,
                                                              std::unique_ptr<composition_type> product,
                                                              storage_type type);
    static std::unique_ptr<Factorization> create_from_matrix(const char* method, std::unique_ptr<matrix_type> matrix,
                                                             storage_type type);
    /// Returns the product of separate factors.
    const composition_type& get_product() const;
    template <typename Operator>
    std::shared_ptr<const Operator> get_operator(bool is_available, size_type index) const;

    storage_type storage_type_{storage_type::empty};
    std::shared_ptr<const composition_type> factors_;  ///< the product, or the one matrix
};

}  // namespace factorization
}  // namespace experimental
}  // namespace spruce
