// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include <spruce/base/lin_op.hpp>
#include <spruce/base/refreshable.hpp>
#include <spruce/base/workspace.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/solver/solver_base.hpp>

namespace spruce {
namespace solver {

/// Selects the algorithm of a triangular solver. Is ignored, since there is one
/// algorithm.
enum class trisolve_algorithm { sparselib, syncfree };

namespace detail {
template <typename ValueType, typename IndexType>
struct triangular_schedule;
}

template <typename ValueType, typename IndexType>
class LowerTrs;
template <typename ValueType, typename IndexType>
class UpperTrs;

/// Implements LowerTrs and UpperTrs by level scheduling: the level of a row is one more than the
/// largest level of the rows that it depends on, so that the rows of a level are independent. The
/// threads of a CPU solve groups of adjacent rows in an order that their dependences permit; one
/// thread solves all rows if that is faster. GPUs store a copy of the triangle in the order of
/// levels, in which rows wait for the values that they need; with a small triangle, a block solves
/// in the order of the rows. The matrix must not change, except that refresh() is called if its
/// values are changed. If a diagonal entry is stored several
/// times, the first one is used. get_system_matrix() returns the given matrix if it is a Csr of
/// these types on the solver's executor, otherwise its converted copy. apply(alpha, b, beta, x)
/// keeps a vector for the next call, so that only one thread at a time can call it.
/// Sources: Anderson and Saad 1989, Solving Sparse Triangular Linear Systems on Parallel Computers;
/// Liu, Li, Hogg, Duff and Vinter 2016, A Synchronization-Free Algorithm for Parallel
/// Sparse Triangular Solves.
template <typename Concrete, typename ValueType, typename IndexType>
class SPRUCE_EXPORT EnableTriangularSolver : public EnableLinOp<Concrete>,
                                             public SolverBase<matrix::Csr<ValueType, IndexType>>,
                                             public Transposable,
                                             public Refreshable {
public:
    /// Returns the solver of the transposed system, whose matrix is the other triangle.
    std::unique_ptr<LinOp> transpose() const override;
    /// Returns the solver of the conjugate transposed system, whose matrix is the other triangle.
    std::unique_ptr<LinOp> conj_transpose() const override;

    bool shares_memory_with(const memory_extent& memory) const noexcept override
    {
        const auto system_matrix = this->get_system_matrix();
        return system_matrix && system_matrix->shares_memory_with(memory);
    }

    /// Takes the values of a matrix with the same pattern, which becomes the system matrix. It
    /// allocates nothing if the matrix is a Csr of these types on the solver's executor and no copy
    /// of this solver exists on that executor; otherwise the matrix is analysed again. If it is the
    /// present system matrix, whose values have been changed, its pattern must not have changed;
    /// only its size and number of entries are checked.
    /// @throws UnsupportedMatrixProperty  with the row, if the pattern differs; nothing is changed
    /// @throws InvalidStateError  with the row, if a diagonal entry is zero; nothing is changed
    /// @throws NotSupported  if the solver is empty
    void refresh(std::shared_ptr<const LinOp> matrix) override;
    bool can_be_refreshed() const override { return schedule_ != nullptr; }

    /// Computes the number of levels, the rows of the longest chain of dependent rows, anew.
    size_type get_num_levels() const;

protected:
    explicit EnableTriangularSolver(std::shared_ptr<const Executor> exec) : EnableLinOp<Concrete>(exec) {}
    EnableTriangularSolver(std::shared_ptr<const Executor> exec, std::shared_ptr<const LinOp> system_matrix,
                           bool unit_diagonal);
    EnableTriangularSolver(const EnableTriangularSolver& other);
    EnableTriangularSolver(EnableTriangularSolver&& other);
    EnableTriangularSolver& operator=(const EnableTriangularSolver& other);
    EnableTriangularSolver& operator=(EnableTriangularSolver&& other);

    bool has_static_launches() const override { return typeid(*this) == typeid(Concrete); }
    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    void solve(const matrix::Dense<ValueType>* b, matrix::Dense<ValueType>* x) const;
    std::shared_ptr<detail::triangular_schedule<ValueType, IndexType>> schedule_of(
        const matrix::Csr<ValueType, IndexType>* matrix, const EnableTriangularSolver& other) const;

    std::shared_ptr<detail::triangular_schedule<ValueType, IndexType>> schedule_;
    bool unit_diagonal_{};
    mutable spruce::detail::Workspace workspace_;
};

/// Solves L x = b by substitution, where L is the lower triangle of the matrix with its diagonal:
/// x_i = (b_i - sum_{j < i} l_ij x_j) / l_ii. Entries above the diagonal are ignored.
/// The matrix is converted if it is not a Csr. b and x are n x k for any number k of right-hand
/// sides; x need not be set before apply(). Several right-hand sides share loads of the matrix, and
/// each apply is bitwise repeatable. It reports no stop reasons: if a tiny l_ii causes an overflow,
/// x contains infinity or NaN.
/// @throws DimensionMismatch  by generate() if the matrix is not square, by apply() if the sizes do
///         not match
/// @throws InvalidStateError  by generate(), with the row, if a diagonal entry is zero or missing
///         and unit_diagonal is false
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT LowerTrs : public EnableTriangularSolver<LowerTrs<ValueType, IndexType>, ValueType, IndexType> {
    friend class EnablePolymorphicObject<LowerTrs, LinOp>;
    using Base = EnableTriangularSolver<LowerTrs, ValueType, IndexType>;

public:
    using value_type = ValueType;
    using index_type = IndexType;
    using transposed_type = UpperTrs<ValueType, IndexType>;

    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory)
    {
        /// Sets the expected number of right-hand sides; has no effect.
        size_type SPRUCE_FACTORY_PARAMETER_SCALAR(num_rhs, 1u);
        /// Uses a diagonal of ones, whatever is stored.
        bool SPRUCE_FACTORY_PARAMETER_SCALAR(unit_diagonal, false);
        trisolve_algorithm SPRUCE_FACTORY_PARAMETER_SCALAR(algorithm, trisolve_algorithm::sparselib);
    };
    SPRUCE_DECLARE_LIN_OP_FACTORY(LowerTrs, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

protected:
    explicit LowerTrs(std::shared_ptr<const Executor> exec) : Base(std::move(exec)) {}
    LowerTrs(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
        : Base(factory->get_executor(), std::move(system_matrix), factory->get_parameters().unit_diagonal),
          parameters_{factory->get_parameters()}
    {}
};

/// Solves U x = b by substitution, where U is the upper triangle of the matrix with its diagonal:
/// x_i = (b_i - sum_{j > i} u_ij x_j) / u_ii. Entries below the diagonal are ignored.
/// The matrix is converted if it is not a Csr. b and x are n x k for any number k of right-hand
/// sides; x need not be set before apply(). Several right-hand sides share loads of the matrix, and
/// each apply is bitwise repeatable. It reports no stop reasons: if a tiny u_ii causes an overflow,
/// x contains infinity or NaN.
/// @throws DimensionMismatch  by generate() if the matrix is not square, by apply() if the sizes do
///         not match
/// @throws InvalidStateError  by generate(), with the row, if a diagonal entry is zero or missing
///         and unit_diagonal is false
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT UpperTrs : public EnableTriangularSolver<UpperTrs<ValueType, IndexType>, ValueType, IndexType> {
    friend class EnablePolymorphicObject<UpperTrs, LinOp>;
    using Base = EnableTriangularSolver<UpperTrs, ValueType, IndexType>;

public:
    using value_type = ValueType;
    using index_type = IndexType;
    using transposed_type = LowerTrs<ValueType, IndexType>;

    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory)
    {
        /// Sets the expected number of right-hand sides; has no effect.
        size_type SPRUCE_FACTORY_PARAMETER_SCALAR(num_rhs, 1u);
        /// Uses a diagonal of ones, whatever is stored.
        bool SPRUCE_FACTORY_PARAMETER_SCALAR(unit_diagonal, false);
        trisolve_algorithm SPRUCE_FACTORY_PARAMETER_SCALAR(algorithm, trisolve_algorithm::sparselib);
    };
    SPRUCE_DECLARE_LIN_OP_FACTORY(UpperTrs, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

protected:
    explicit UpperTrs(std::shared_ptr<const Executor> exec) : Base(std::move(exec)) {}
    UpperTrs(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
        : Base(factory->get_executor(), std::move(system_matrix), factory->get_parameters().unit_diagonal),
          parameters_{factory->get_parameters()}
    {}
};

}  // namespace solver
}  // namespace spruce
