// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include <spruce/base/lin_op.hpp>
#include <spruce/base/workspace.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/solver/solver_base.hpp>

namespace spruce {
namespace solver {

/// How a triangular solver works. Both names of the interface mean the same here: by levels, see EnableTriangularSolver.
enum class trisolve_algorithm { sparselib, syncfree };

template <typename ValueType, typename IndexType>
class LowerTrs;
template <typename ValueType, typename IndexType>
class UpperTrs;

/// Implements LowerTrs and UpperTrs. get_system_matrix() returns the matrix that solves use: the given one if it is a Csr of this type,
/// otherwise what it was converted to. generate() puts the rows into levels: a row comes one level after the last of those
/// that it depends on, so that the rows of a level are independent; apply() goes through the levels. apply(alpha, b, beta, x) keeps a
/// vector for the next one: one thread at a time can call it.
/// Source: Anderson and Saad 1989, Solving Sparse Triangular Linear Systems on Parallel Computers.
template <typename Concrete, typename ValueType, typename IndexType>
class SPRUCE_EXPORT EnableTriangularSolver : public EnableLinOp<Concrete>,
                                             public SolverBase<matrix::Csr<ValueType, IndexType>>,
                                             public Transposable {
public:
    /// The solver of the transposed system: of the other triangle.
    std::unique_ptr<LinOp> transpose() const override;
    std::unique_ptr<LinOp> conj_transpose() const override;

    bool shares_memory_with(const memory_extent& memory) const noexcept override
    {
        const auto system_matrix = this->get_system_matrix();
        return system_matrix && system_matrix->shares_memory_with(memory);
    }

    /// How many steps an apply takes, one after the other.
    size_type get_num_levels() const noexcept { return level_ptrs_.empty() ? 0 : level_ptrs_.size() - 1; }

protected:
    explicit EnableTriangularSolver(std::shared_ptr<const Executor> exec) : EnableLinOp<Concrete>(exec), order_{exec} {}
    EnableTriangularSolver(std::shared_ptr<const Executor> exec, std::shared_ptr<const LinOp> system_matrix,
                           bool unit_diagonal);
    EnableTriangularSolver(const EnableTriangularSolver& other);
    EnableTriangularSolver(EnableTriangularSolver&& other);
    EnableTriangularSolver& operator=(const EnableTriangularSolver& other);
    EnableTriangularSolver& operator=(EnableTriangularSolver&& other);

    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    void solve(const matrix::Dense<ValueType>* b, matrix::Dense<ValueType>* x) const;

    array<IndexType> order_;             ///< the rows, level by level
    std::vector<size_type> level_ptrs_;  ///< where each level begins
    bool unit_diagonal_{};
    mutable spruce::detail::Workspace workspace_;
};

/// Solves L x = b by substitution, where L is the lower triangle of the matrix, diagonal included; entries above it are not looked at:
/// x_i = (b_i - sum_{j < i} l_ij x_j) / l_ii.
/// The matrix, if it is no Csr, is converted. apply(b, x): n x k, for any number k of right-hand sides; what x holds at first
/// does not matter. Each apply reads the matrix once for all right-hand sides; bitwise repeatable. There are no stop reasons: where a
/// tiny l_ii lets an entry overflow, infinity or NaN in x is all that tells of it.
/// @throws DimensionMismatch  at generate if the matrix is not square; at apply if the sizes do not fit
/// @throws InvalidStateError  at generate if an entry of the diagonal is zero or missing, with its row, but for unit_diagonal
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
        /// How many right-hand sides are expected; any other number works, too.
        size_type SPRUCE_FACTORY_PARAMETER_SCALAR(num_rhs, 1u);
        /// Takes the diagonal for ones, whatever is stored.
        bool SPRUCE_FACTORY_PARAMETER_SCALAR(unit_diagonal, false);
        trisolve_algorithm SPRUCE_FACTORY_PARAMETER_SCALAR(algorithm, trisolve_algorithm::sparselib);
    };
    SPRUCE_ENABLE_LIN_OP_FACTORY(LowerTrs, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

protected:
    explicit LowerTrs(std::shared_ptr<const Executor> exec) : Base(std::move(exec)) {}
    LowerTrs(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
        : Base(factory->get_executor(), std::move(system_matrix), factory->get_parameters().unit_diagonal),
          parameters_{factory->get_parameters()}
    {}
};

/// Solves U x = b, where U is the upper triangle of the matrix, diagonal included: x_i = (b_i - sum_{j > i} u_ij x_j) / u_ii; otherwise
/// as LowerTrs.
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
        /// How many right-hand sides are expected; any other number works, too.
        size_type SPRUCE_FACTORY_PARAMETER_SCALAR(num_rhs, 1u);
        /// Takes the diagonal for ones, whatever is stored.
        bool SPRUCE_FACTORY_PARAMETER_SCALAR(unit_diagonal, false);
        trisolve_algorithm SPRUCE_FACTORY_PARAMETER_SCALAR(algorithm, trisolve_algorithm::sparselib);
    };
    SPRUCE_ENABLE_LIN_OP_FACTORY(UpperTrs, parameters, Factory);
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
