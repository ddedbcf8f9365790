// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/solver/kinds.hpp"

#include <spruce/solver/bicg.hpp>
#include <spruce/solver/bicgstab.hpp>
#include <spruce/solver/cb_gmres.hpp>
#include <spruce/solver/cg.hpp>
#include <spruce/solver/cgs.hpp>
#include <spruce/solver/fcg.hpp>
#include <spruce/solver/gcr.hpp>
#include <spruce/solver/gmres.hpp>
#include <spruce/solver/idr.hpp>
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
    };
    return kinds;
}

}  // namespace spruce::bench
