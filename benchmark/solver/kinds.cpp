// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/solver/kinds.hpp"

#include <algorithm>

#include <spruce/solver/bicg.hpp>
#include <spruce/solver/bicgstab.hpp>
#include <spruce/solver/cb_gmres.hpp>
#include <spruce/solver/cg.hpp>
#include <spruce/solver/cgs.hpp>
#include <spruce/solver/chebyshev.hpp>
#include <spruce/solver/fcg.hpp>
#include <spruce/solver/gcr.hpp>
#include <spruce/solver/gmres.hpp>
#include <spruce/solver/idr.hpp>
#include <spruce/solver/ir.hpp>
#include <spruce/solver/minres.hpp>
#include <spruce/solver/pipe_cg.hpp>

namespace spruce::bench {
namespace {

template <template <typename> class Solver>
solver_kind kind(iteration_model model)
{
    return {model, [](std::shared_ptr<const LinOp> matrix, std::shared_ptr<const stop::CriterionFactory> criterion,
                      std::shared_ptr<const LinOp> preconditioner) {
                const auto exec = matrix->get_executor();
                auto solver = Solver<double>::build()
                                  .with_criteria(std::move(criterion))
                                  .with_generated_preconditioner(std::move(preconditioner))
                                  .on(exec)
                                  ->generate(std::move(matrix));
                const auto iteration = solver.get();
                return generated_solver{std::move(solver), iteration};
            }};
}

/// The largest sum of a row's absolute values, no smaller than any eigenvalue of A, or of M A.
double row_sum_norm(const LinOp& a, const LinOp* preconditioner)
{
    using vector = matrix::Dense<double>;
    const auto exec = a.get_executor();
    const auto absolute_product = [&](const LinOp& op, const vector* factor) {
        auto result = vector::create(exec, dim<2>{op.get_size()[0], 1});
        const auto absolute = as<AbsoluteComputable>(&op)->compute_absolute_linop();
        absolute->apply(factor, result);
        return result;
    };
    auto ones = vector::create(exec, dim<2>{a.get_size()[1], 1});
    ones->fill(1.0);
    auto sums = absolute_product(a, ones.get());
    if (preconditioner) {
        sums = absolute_product(*preconditioner, sums.get());
    }
    const auto on_host = clone(exec->get_master(), sums);
    double largest{};
    for (size_type row = 0; row < on_host->get_size()[0]; ++row) {
        largest = std::max(largest, on_host->at(row, 0));
    }
    return largest;
}

/// For positive definite matrices. The smallest eigenvalue is guessed: an iteration costs the same whatever it is.
generated_solver make_chebyshev(std::shared_ptr<const LinOp> matrix,
                                std::shared_ptr<const stop::CriterionFactory> criterion,
                                std::shared_ptr<const LinOp> preconditioner)
{
    constexpr double guessed_condition = 1000.0;
    const auto exec = matrix->get_executor();
    const auto largest = row_sum_norm(*matrix, preconditioner.get());
    auto solver = solver::Chebyshev<double>::build()
                      .with_foci(std::pair<double, double>{largest / guessed_condition, largest})
                      .with_criteria(std::move(criterion))
                      .with_generated_preconditioner(std::move(preconditioner))
                      .on(exec)
                      ->generate(std::move(matrix));
    const auto iteration = solver.get();
    return {std::move(solver), iteration};
}

/// Richardson's iteration, for positive definite matrices.
generated_solver make_ir(std::shared_ptr<const LinOp> matrix, std::shared_ptr<const stop::CriterionFactory> criterion,
                         std::shared_ptr<const LinOp> preconditioner)
{
    const auto exec = matrix->get_executor();
    const auto largest = row_sum_norm(*matrix, preconditioner.get());
    auto solver = solver::Ir<double>::build()
                      .with_relaxation_factor(1.0 / largest)
                      .with_criteria(std::move(criterion))
                      .with_generated_solver(std::move(preconditioner))
                      .on(exec)
                      ->generate(std::move(matrix));
    const auto iteration = solver.get();
    return {std::move(solver), iteration};
}

}  // namespace

/// Vectors of cg: p and q in the product; z, p and p in the update of p; x, x, r, r, p and q in that of x and r, whose norm is taken on
/// the way; p's product with q could be taken in the product. The others are counted in the same way: inner products cost nothing
/// where the last pass over one of their vectors can take them.
const std::map<std::string, solver_kind>& solver_kinds()
{
    // A step of Gmres between restarts of 100 has 50.5 basis vectors in the mean, read twice; w is read and written three times.
    constexpr double mean_basis = 50.5;
    static const std::map<std::string, solver_kind> kinds{
        {"cg", kind<solver::Cg>({1, 11})},
        {"fcg", kind<solver::Fcg>({1, 11})},
        {"pipe_cg", kind<solver::PipeCg>({1, 15})},
        {"minres", kind<solver::Minres>({1, 14})},
        {"bicg", kind<solver::Bicg>({2, 20})},
        {"bicgstab", kind<solver::Bicgstab>({2, 20})},
        {"cgs", kind<solver::Cgs>({2, 21})},
        // Half the bits of Gmres: the second orthogonalisation is not counted, since few steps need it.
        {"cb_gmres", kind<solver::CbGmres>({1, mean_basis + 6})},
        {"gmres", kind<solver::Gmres>({1, 2 * mean_basis + 6})},
        // All images are read for their inner products, then once more with all directions.
        {"gcr", kind<solver::Gcr>({1, 3 * (mean_basis - 1) + 13})},
        {"idr", kind<solver::Idr>({3, 43})},
        {"chebyshev", {{1, 11}, make_chebyshev}},
        // r = b - A x reads x and b and writes r; the update reads x and r and writes x.
        {"ir", {{1, 6}, make_ir}},
    };
    return kinds;
}

}  // namespace spruce::bench
