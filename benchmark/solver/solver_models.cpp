// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/solver/solver_models.hpp"

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

using model_function = decltype(solver_kind::model);

/// Returns a model in which all iterations are equal.
model_function steady(const iteration_traffic& least, const iteration_traffic& moved)
{
    return [=](const measured_iterations&) { return iteration_model{least, moved}; };
}

/// Returns a model with one product per iteration, in which kernels move only the minimum. If the
/// inner product with A p is not computed by the product, its two vectors are added.
model_function with_dot(double vectors)
{
    return [=](const measured_iterations& iterations) {
        return iteration_model{{1, vectors}, {1, vectors + (iterations.has_dots ? 0 : 2)}};
    };
}

/// Returns the mean model of a method with restarts. It has least(size) and moved(size) vectors,
/// where size is the size of the basis at the end of a step.
template <typename Least, typename Moved>
model_function growing(Least least, Moved moved)
{
    return [=](const measured_iterations& iterations) {
        iteration_model sum{};
        for (auto iteration = iterations.begin; iteration < iterations.end; ++iteration) {
            const auto size = static_cast<int>(iteration % solver::gmres_default_krylov_dim) + 1;
            sum.least.vectors += least(size);
            sum.moved.vectors += moved(size);
        }
        const auto number = static_cast<double>(iterations.end - iterations.begin);
        return iteration_model{{1, sum.least.vectors / number}, {1, sum.moved.vectors / number}};
    };
}

template <template <typename> class Solver>
solver_kind kind(model_function model)
{
    return {std::move(model),
            [](std::shared_ptr<const LinOp> matrix, std::shared_ptr<const stop::CriterionFactory> criterion,
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

/// Returns the largest sum of a row's absolute values, an upper bound for the eigenvalues of A, or
/// of M A.
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

/// Generates a Chebyshev iteration for positive definite matrices. The smallest eigenvalue is
/// guessed, because the cost of an iteration does not depend on it.
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

/// Generates Richardson's iteration for positive definite matrices.
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

/// Returns the solvers and their models.
///
/// The minimum for cg consists of: p and q in the product; z, p and p in the update of p; x, x, r,
/// r, p and q in the update of x and r. The last update also computes the norm of r, and the
/// product could compute the inner product of p and q. The other methods are counted by the rule
/// that an inner product costs nothing if the last pass over one of its vectors can compute it.
///
/// The moved vectors are the sum over the kernels in their order. Restarts are not counted, except
/// for the basis vectors in the update of x. Occasional comparisons of x to the best iterate are
/// not counted, either.
const std::map<std::string, solver_kind>& solver_kinds()
{
    const auto rounds = [](int size, int at_once) { return (size + at_once - 1) / at_once; };
    // The terms are: the product; the products of w with eight vectors at a time and their
    // subtraction; the normalization of w with its products with the vectors of its own group of
    // eight; the update of x.
    const auto gmres = growing([](int size) { return 2 * size + 6; },
                               [=](int size) { return 2 + 2 * (size + rounds(size, 8) + 1) + 2 + size % 8 + 1; });
    // Vectors have half the bits, and 16 are processed at a time. The orthogonalization is repeated
    // if less than 1 / sqrt(2) of A v is left. This happens in almost all steps for positive
    // definite A with a broad spectrum.
    const auto cb_gmres = growing([](int size) { return size + 6; },
                                  [=](int size) { return 2 + 2 * (size + 3 * rounds(size, 16)) + 2.5 + 0.5; });
    // The terms are: the product; its inner products with all images; the subtraction of 16
    // directions and images at a time from p and q, with r; the update of x and r.
    const auto gcr =
        growing([](int size) { return 3 * size + 10; },
                [=](int size) {
                    const auto times = rounds(size - 1, 16);
                    return 2 + (size - 1 + times) + 2 * (size - 1) + 4 * std::max(times, 1) + (times > 1) + 6;
                });
    static const std::map<std::string, solver_kind> kinds{
        {"cg", kind<solver::Cg>(with_dot(3 + 2 + 6))},
        {"fcg", kind<solver::Fcg>(with_dot(3 + 2 + 6))},
        // Each 50th step computes the true residual, three more products and inner products.
        {"pipe_cg", kind<solver::PipeCg>(steady({1, 15}, {1 + 4 / 50.0, 2 + 13 + (6 + 6 + 4) / 50.0}))},
        {"minres", kind<solver::Minres>(steady({1, 14}, {1, 2 + 2 + 4 + 6}))},
        {"bicg", kind<solver::Bicg>(steady({2, 20}, {2, 6 + 4 + 2 + 9}))},
        {"bicgstab", kind<solver::Bicgstab>(steady({2, 20}, {2, 4 + 2 + 2 + 3 + 2 + 2 + 7}))},
        {"cgs", kind<solver::Cgs>(steady({2, 21}, {2, 5 + 2 + 2 + 4 + 2 + 7}))},
        {"cb_gmres", kind<solver::CbGmres>(cb_gmres)},
        {"gmres", kind<solver::Gmres>(gmres)},
        {"gcr", kind<solver::Gcr>(gcr)},
        // The sum consists of two directions and the end of the cycle.
        {"idr", kind<solver::Idr>(steady({3, 43}, {3, 6 + 2 + 3 + 6 + 4 + 2 + 3 + 10 + 2 + 2 + 7}))},
        {"chebyshev", {steady({1, 11}, {1, 3 + 2 + 6}), make_chebyshev}},
        // The residual r = b - A x reads x and b and writes r. The update reads x and r and writes
        // x.
        {"ir", {steady({1, 6}, {1, 3 + 2 + 3}), make_ir}},
    };
    return kinds;
}

}  // namespace spruce::bench
