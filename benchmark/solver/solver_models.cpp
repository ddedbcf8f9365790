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

/// The same in each iteration.
model_function steady(const iteration_traffic& least, const iteration_traffic& moved)
{
    return [=](const measured_iterations&) { return iteration_model{least, moved}; };
}

/// Kernels move no more than is needed, but for the two vectors of an inner product where that does not come with A p.
model_function with_dot(double vectors)
{
    return [=](const measured_iterations& iterations) {
        return iteration_model{{1, vectors}, {1, vectors + (iterations.has_dots ? 0 : 2)}};
    };
}

/// With restarts: least(size) and moved(size) vectors, where the basis has this many in the end of the step.
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

/// What a method needs, for cg: p and q in the product; z, p and p in the update of p; x, x, r, r, p and q in that of x and r, whose norm is
/// taken on the way; p's product with q could be taken in the product. The others are counted in the same way: inner products cost
/// nothing where the last pass over one of their vectors can take them. What is moved is added up from the kernels, in their order.
/// Not counted: restarts, but for the basis that x takes in; and that x is compared with the best one now and then.
const std::map<std::string, solver_kind>& solver_kinds()
{
    const auto rounds = [](int size, int at_once) { return (size + at_once - 1) / at_once; };
    // The product; w and its products with eight vectors, less those eight; normalised, with products of its own eight; x in the end.
    const auto gmres = growing([](int size) { return 2 * size + 6; },
                               [=](int size) { return 2 + 2 * (size + rounds(size, 8) + 1) + 2 + size % 8 + 1; });
    // The same in half the bits, for 16 vectors. It is done twice where less than 1 / sqrt(2) of A v is left: in 74 of the first 75
    // steps on 7-point 60^3, and so for other positive definite A with a broad spectrum.
    const auto cb_gmres = growing([](int size) { return size + 6; },
                                  [=](int size) { return 2 + 2 * (size + 3 * rounds(size, 16)) + 2.5 + 0.5; });
    // The product; its products with all images; p and q less 16 directions and images at a time, with r; x and r.
    const auto gcr =
        growing([](int size) { return 3 * size + 10; },
                [=](int size) {
                    const auto times = rounds(size - 1, 16);
                    return 2 + (size - 1 + times) + 2 * (size - 1) + 4 * std::max(times, 1) + (times > 1) + 6;
                });
    static const std::map<std::string, solver_kind> kinds{
        {"cg", kind<solver::Cg>(with_dot(3 + 2 + 6))},
        {"fcg", kind<solver::Fcg>(with_dot(3 + 2 + 6))},
        // Each 50th step the true residual, three more products, and inner products.
        {"pipe_cg", kind<solver::PipeCg>(steady({1, 15}, {1 + 4 / 50.0, 2 + 13 + (6 + 6 + 4) / 50.0}))},
        {"minres", kind<solver::Minres>(steady({1, 14}, {1, 2 + 2 + 4 + 6}))},
        {"bicg", kind<solver::Bicg>(steady({2, 20}, {2, 6 + 4 + 2 + 9}))},
        {"bicgstab", kind<solver::Bicgstab>(steady({2, 20}, {2, 4 + 2 + 2 + 3 + 2 + 2 + 7}))},
        {"cgs", kind<solver::Cgs>(steady({2, 21}, {2, 5 + 2 + 2 + 4 + 2 + 7}))},
        {"cb_gmres", kind<solver::CbGmres>(cb_gmres)},
        {"gmres", kind<solver::Gmres>(gmres)},
        {"gcr", kind<solver::Gcr>(gcr)},
        // Two directions, and the end of the cycle.
        {"idr", kind<solver::Idr>(steady({3, 43}, {3, 6 + 2 + 3 + 6 + 4 + 2 + 3 + 10 + 2 + 2 + 7}))},
        {"chebyshev", {steady({1, 11}, {1, 3 + 2 + 6}), make_chebyshev}},
        // r = b - A x needs x and b and writes r; the update reads x and r and writes x.
        {"ir", {steady({1, 6}, {1, 3 + 2 + 3}), make_ir}},
    };
    return kinds;
}

}  // namespace spruce::bench
