// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Tests methods of the two-sided Lanczos process (Bicg, Cgs, Bicgstab) beyond the suites for all
// Krylov solvers and for general matrices. Subjects are small residuals, unsymmetric
// preconditioners and singular systems. SPRUCE_TEST_LANCZOS_SOLVER(Bicgstab) instantiates all three
// suites.

#include <fstream>

#include "test/solver/any_solver.hpp"

namespace spruce::test {

/// Creates a matrix that is diagonally dominant by rows. It has no other structure, and no part of
/// it is Hermitian if values are complex.
inline host_matrix random_dominant(random_engine& engine, size_type size, size_type max_nnz_per_row)
{
    auto data = random_sparse(engine, size, size, nnz_per_row(0, max_nnz_per_row));
    std::vector<double> row_sums(size, 0.5);
    host_matrix result{dim<2>{size, size}};
    for (const auto& entry : data.nonzeros) {
        if (entry.row != entry.column) {
            result.nonzeros.push_back(entry);
            row_sums[entry.row] += std::abs(entry.value);
        }
    }
    for (size_type i = 0; i < size; ++i) {
        result.nonzeros.emplace_back(i, i, std::complex<double>{1.2, 0.5} * row_sums[i]);
    }
    result.sort_row_major();
    return result;
}

/// Returns an approximate inverse of D + N: D^-1, or D^-1 - D^-1 N D^-1 if with_neighbours is true.
/// The latter is as unsymmetric as the matrix. Only real parts are used if real_only is true.
inline host_matrix approximate_inverse(const host_matrix& data, bool with_neighbours, bool real_only)
{
    const auto used = [&](std::complex<double> value) { return real_only ? value.real() : value; };
    std::vector<std::complex<double>> diagonal(data.size[0], 1.0);
    for (const auto& entry : data.nonzeros) {
        if (entry.row == entry.column) {
            diagonal[entry.row] = used(entry.value);
        }
    }
    host_matrix result{data.size};
    for (const auto& entry : data.nonzeros) {
        if (entry.row == entry.column) {
            result.nonzeros.emplace_back(entry.row, entry.row, 1.0 / diagonal[entry.row]);
        } else if (with_neighbours) {
            result.nonzeros.emplace_back(entry.row, entry.column,
                                         -used(entry.value) / (diagonal[entry.row] * diagonal[entry.column]));
        }
    }
    return result;
}

template <typename Types>
class LanczosSolver : public SolverTest<Types> {
protected:
    using typename SolverTest<Types>::V;
    using typename SolverTest<Types>::I;
    using typename SolverTest<Types>::real;
    using typename SolverTest<Types>::solver;

    /// Returns 1e-10 in double and 1e-5 in float.
    static real tight() { return std::is_same_v<real, double> ? static_cast<real>(1e-10) : static_cast<real>(1e-5); }

    std::unique_ptr<solver> make_tight(std::shared_ptr<const LinOp> a, const host_matrix* preconditioner = nullptr)
    {
        auto result = solver::build()
                          .with_criteria(stop::Iteration::build().with_max_iters(3000),
                                         stop::ResidualNorm<V>::build().with_reduction_factor(tight()))
                          .on(this->exec)
                          ->generate(std::move(a));
        result->add_logger(this->log);
        if (preconditioner) {
            result->set_preconditioner(share(make_csr<V, I>(this->exec, *preconditioner)));
        }
        return result;
    }

    void expect_solves_tightly(const host_matrix& data, size_type num_rhs, const host_matrix* preconditioner = nullptr)
    {
        const auto a = share(make_csr<V, I>(this->exec, data));
        const auto b = this->random_dense(data.size[0], num_rhs);
        const auto x = this->dense_of_nan(data.size[0], num_rhs);
        x->fill(zero<V>());

        this->make_tight(a, preconditioner)->apply(b, x);

        EXPECT_TRUE(this->log->has_converged());
        EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 2 * tight());
    }
};
TYPED_TEST_SUITE_P(LanczosSolver);

TYPED_TEST_P(LanczosSolver, SolvesRandomProblemsAccurately)
{
    for (const size_type num_rhs : {1, 2, 64}) {
        SCOPED_TRACE(num_rhs);
        this->expect_solves_tightly(random_dominant(this->engine, 257, 12), num_rhs);
    }
}

TYPED_TEST_P(LanczosSolver, SolvesPreconditionedProblems)
{
    using V = typename TypeParam::value_type;
    const auto data = random_dominant(this->engine, 190, 9);
    for (const auto with_neighbours : {false, true}) {
        const auto inverse = approximate_inverse(data, with_neighbours, !is_complex<V>());
        this->expect_solves_tightly(data, 3, &inverse);
        EXPECT_LT(this->log->get_num_iterations(), 60u);
    }
}

TYPED_TEST_P(LanczosSolver, SolvesCircuitProblemAccurately)
{
    using V = typename TypeParam::value_type;
    if (is_complex<V>() || this->is_simulated()) {
        GTEST_SKIP() << "a real problem, large for the simulated device, which solves the random problems";
    }
    std::ifstream file{matrix_file("add20")};
    const auto data = read_generic_raw<std::complex<double>, spruce::int64>(file);
    const auto inverse = approximate_inverse(data, false, true);
    this->expect_solves_tightly(data, 1, &inverse);
}

TYPED_TEST_P(LanczosSolver, TransposedSolverTakesTransposedPreconditioner)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto data = random_dominant(this->engine, 120, 8);
    const auto inverse = approximate_inverse(data, true, !is_complex<V>());
    const auto a = share(make_csr<V, I>(this->exec, data));
    const auto b = this->random_dense(120, 2);
    for (const auto conjugate : {false, true}) {
        const auto solver = this->make_tight(a, &inverse);
        const auto transposed = conjugate ? solver->conj_transpose() : solver->transpose();
        const auto a_transposed = conjugate ? a->conj_transpose() : a->transpose();
        const auto x = this->dense_of_nan(120, 2);
        x->fill(zero<V>());

        transposed->apply(b, x);

        EXPECT_LE(this->relative_residual(a_transposed.get(), b.get(), x.get()), 2 * this->tight());
    }
}

TYPED_TEST_P(LanczosSolver, KeepsSolutionOfSingularSystemsFinite)
{
    // Small matrices of low rank. Most have a right-hand side outside the range.
    const auto expect_finite = [&](auto a, auto b) {
        const auto x = this->dense_of_nan(b->get_size()[0], 1);
        x->fill(0);
        const auto solver = this->make_solver(std::move(a), 300);
        solver->apply(b, x);
        EXPECT_TRUE(this->is_finite(x.get()));
        EXPECT_NE(solver->get_stop_reasons().at(0), stop_reason::running);
    };
    expect_finite(share(this->csr({{0, 0}, {0, 0}})), this->dense({{0}, {1}}));
    expect_finite(share(this->csr({{0, 1}, {0, -2}})), this->dense({{1}, {1}}));
    expect_finite(share(this->csr({{-1, 0}, {4, 0}})), this->dense({{1}, {2}}));
    expect_finite(share(this->csr({{1, 0}, {1, 0}})), this->dense({{2}, {1}}));
    expect_finite(share(this->csr({{0, 1}, {0, 1}})), this->dense({{2}, {1}}));
    expect_finite(share(this->csr({{0, 1}, {0, 0}})), this->dense({{1}, {0}}));
}

REGISTER_TYPED_TEST_SUITE_P(LanczosSolver, SolvesRandomProblemsAccurately, SolvesPreconditionedProblems,
                            SolvesCircuitProblemAccurately, TransposedSolverTakesTransposedPreconditioner,
                            KeepsSolutionOfSingularSystemsFinite);

// In float, the residual of 1 in 64 columns becomes so large in between that x has no accurate
// digit. Such a column stops by stagnation.
#define SPRUCE_TEST_LANCZOS_SOLVER(_solver)           \
    SPRUCE_TEST_KRYLOV_SOLVER(_solver, solver_cases); \
    SPRUCE_TEST_UNSYMMETRIC_SOLVER(_solver);          \
    INSTANTIATE_TYPED_TEST_SUITE_P(_solver, LanczosSolver, solver_cases_in_double<spruce::solver::_solver>, type_names)

}  // namespace spruce::test
