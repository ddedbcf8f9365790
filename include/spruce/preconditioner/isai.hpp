// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <type_traits>

#include <spruce/base/composition.hpp>
#include <spruce/base/lin_op.hpp>
#include <spruce/base/math.hpp>
#include <spruce/base/refreshable.hpp>
#include <spruce/matrix/csr.hpp>

namespace spruce {
namespace preconditioner {

/// Selects what Isai approximates.
enum class isai_type {
    lower,    ///< the inverse of the lower triangle of A
    upper,    ///< the inverse of the upper triangle of A
    general,  ///< the inverse of A
    spd       ///< the inverse of a Hermitian positive definite A by that of its Cholesky factor
};

namespace detail {
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT SparseInverse;
}

/// Multiplies by a sparse approximate inverse M of a matrix T, which is A or a triangle of A with
/// its diagonal. M has the pattern of T^p, where p is the parameter sparsity_power, and (M T)_ij =
/// delta_ij for each entry (i, j) of this pattern. If S is the set of columns of row i of M, this
/// row is the solution m of the small system m T(S, S) = e_i(S)^T, where e_i(S) contains the
/// entries of the unit vector e_i in S. Rows are independent of each other.
///
/// Type spd computes a lower triangular matrix G with the pattern of tril(A)^p instead, for which
/// (G A)_ij = 0 for each entry (i, j) of this pattern left of the diagonal, and (G A G^H)_ii = 1.
/// Then M = G^H G is Hermitian positive definite. Entries of A above the diagonal are ignored.
///
/// Systems of up to 128 unknowns are solved directly: for type general by elimination with partial
/// pivoting, for type spd by a Cholesky factorization. Triangular systems of up to 1024 unknowns
/// are solved by substitution. These results are bitwise repeatable. The systems of longer rows are
/// the diagonal blocks of a large sparse system, the excess system, which excess_solver_factory
/// solves. It is scaled: for type general, the largest absolute values of its rows and columns are
/// about 1, otherwise those of its diagonal.
///
/// For type general, the direct solution of more than 32 unknowns is checked: rows and columns are
/// scaled likewise, and the largest entry of the residual has to be at most 0.01, including its
/// rounding errors. In excess systems, the residual norm of each block has to be reduced by
/// excess_solver_reduction, unless substitution solves the system.
///
/// A is converted if it is not a Csr. Rows that are not sorted are sorted in a copy. For type spd,
/// apply() keeps a vector for the next call, so that only one thread at a time can call it.
/// Sources: Anzt, Huckle, Braeckle and Dongarra 2018, Incomplete Sparse Approximate Inverses for
/// Parallel Preconditioning; for type spd Kolotilina and Yeremin 1993, Factorized Sparse
/// Approximate Inverse Preconditionings I: Theory; for the scaling Ruiz 2001, A Scaling Algorithm
/// to Equilibrate Both Rows and Columns Norms in Matrices.
/// @throws DimensionMismatch  by generate() if A is not square
/// @throws OutOfBoundsError  by generate() if sparsity_power is less than 1, or
///         excess_solver_reduction is not between 0 and 1
/// @throws UnsupportedMatrixProperty  by generate(), with the row, if A stores an entry twice, or
///         is not sorted although skip_sorting is set
/// @throws InvalidStateError  by generate(), with the row, if a diagonal entry is not in the
///         pattern of M; by generate() and refresh(), with the row, if a pivot of the system of
///         this row is zero (for type spd: not positive), if its system or M has an entry that is
///         not finite, or if the residual of its system is too large
template <isai_type IsaiType, typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT Isai : public EnableLinOp<Isai<IsaiType, ValueType, IndexType>>,
                           public Transposable,
                           public Refreshable {
    friend class EnablePolymorphicObject<Isai, LinOp>;
    template <isai_type, typename, typename>
    friend class Isai;
    static constexpr auto type_of_transpose = IsaiType == isai_type::lower   ? isai_type::upper
                                              : IsaiType == isai_type::upper ? isai_type::lower
                                                                             : IsaiType;

public:
    static constexpr isai_type type = IsaiType;
    using value_type = ValueType;
    using index_type = IndexType;
    using transposed_type = Isai<type_of_transpose, ValueType, IndexType>;
    using Comp = Composition<ValueType>;
    using Csr = matrix::Csr<ValueType, IndexType>;
    /// Represents M: the product of G^H and G for type spd.
    using inverse_type = std::conditional_t<IsaiType == isai_type::spd, Comp, Csr>;

    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory)
    {
        /// Skips the sorting of rows: the columns of each row of A increase.
        bool SPRUCE_FACTORY_PARAMETER_SCALAR(skip_sorting, false);
        /// Sets the power of T whose pattern M has, at least 1.
        int SPRUCE_FACTORY_PARAMETER_SCALAR(sparsity_power, 1);
        /// Sets the largest number of unknowns of an excess system; 0: no limit. The long rows are
        /// distributed to several systems so that each of them has at most this number of unknowns
        /// and at most 2^24 entries, or is the system of a single row.
        size_type SPRUCE_FACTORY_PARAMETER_SCALAR(excess_limit, 0u);
        /// Makes the solver of excess systems, whose matrices are block diagonal: the block of a
        /// row is the transpose of T(S, S), with rows and columns scaled. Default: substitution for
        /// triangles, and otherwise at most 1000 iterations of solver::Gmres.
        std::shared_ptr<const LinOpFactory> SPRUCE_DEFERRED_FACTORY_PARAMETER(excess_solver_factory);
        /// Sets the factor by which the residual norm of each block of an excess system has to be
        /// reduced. If there is an excess_solver_factory, the factor is multiplied by the square
        /// root of the number of blocks: then it suffices that the solver reduces the residual norm
        /// of the whole system by excess_solver_reduction. If rounding errors do not permit that, a
        /// residual of their size suffices, if it is at most 0.01.
        remove_complex<value_type> SPRUCE_FACTORY_PARAMETER_SCALAR(excess_solver_reduction,
                                                                   static_cast<remove_complex<value_type>>(1e-6));
    };
    SPRUCE_DECLARE_LIN_OP_FACTORY(Isai, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    /// Returns M; null if this is empty.
    std::shared_ptr<const inverse_type> get_approximate_inverse() const { return approximate_inverse_; }

    /// Returns the preconditioner of the transposed system, which applies M^T. The transpose of an
    /// Isai from generate() can be refreshed, except for type spd, with a matrix that has exactly
    /// the pattern of T^T, and whose rows are sorted.
    std::unique_ptr<LinOp> transpose() const override;
    /// Returns the preconditioner of the conjugate transposed system, which applies M^H. It can be
    /// refreshed like transpose().
    std::unique_ptr<LinOp> conj_transpose() const override;

    /// Recomputes M in place for a matrix with the pattern of A. It allocates nothing if the matrix
    /// is a Csr of these types on this executor and no row belongs to an excess system. After an
    /// exception, M is unchanged.
    /// @throws UnsupportedMatrixProperty  with the row, if the pattern differs
    /// @throws NotSupported  with the reason, if this is empty, a copy from another executor, or a
    ///         transpose that cannot be refreshed
    void refresh(std::shared_ptr<const LinOp> matrix) override;
    bool can_be_refreshed() const override;

    bool shares_memory_with(const memory_extent& memory) const noexcept override;

    /// Copies share M if they are on the same executor: refresh() of one changes all.
    Isai(const Isai& other);
    Isai(Isai&& other);
    Isai& operator=(const Isai& other);
    Isai& operator=(Isai&& other);
    ~Isai() override;

protected:
    explicit Isai(std::shared_ptr<const Executor> exec);
    Isai(const Factory* factory, std::shared_ptr<const LinOp> system_matrix);

    bool has_static_launches() const override;
    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    std::unique_ptr<LinOp> transpose_inverse(bool conjugate) const;

    std::shared_ptr<detail::SparseInverse<ValueType, IndexType>> data_;  ///< used by refresh(), or null
    const char* why_not_refreshed_{};  ///< describes an object without data_, unless it is empty
    std::shared_ptr<const inverse_type> approximate_inverse_;
};

template <typename ValueType = default_precision, typename IndexType = int32>
using LowerIsai = Isai<isai_type::lower, ValueType, IndexType>;
template <typename ValueType = default_precision, typename IndexType = int32>
using UpperIsai = Isai<isai_type::upper, ValueType, IndexType>;
template <typename ValueType = default_precision, typename IndexType = int32>
using GeneralIsai = Isai<isai_type::general, ValueType, IndexType>;
template <typename ValueType = default_precision, typename IndexType = int32>
using SpdIsai = Isai<isai_type::spd, ValueType, IndexType>;

}  // namespace preconditioner
}  // namespace spruce
