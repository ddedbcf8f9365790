// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Keeps the finest level of a multigrid preconditioner in double precision and the coarser levels
// in single precision, whose matrices take a third less memory, and compares iterations with a
// hierarchy in double precision.
// usage: mixed-multigrid-solver [EXECUTOR]

#include "../shared.hpp"

namespace {

using namespace example;
using cg = spruce::solver::Cg<double>;

template <typename ValueType>
using level_of = spruce::multigrid::Sa<ValueType, index_type>;

/// Returns the factory of two steps x = x + 0.8 D^-1 (b - A x).
template <typename ValueType>
std::shared_ptr<const spruce::LinOpFactory> smoother(std::shared_ptr<spruce::Executor> exec)
{
    using jacobi = spruce::preconditioner::Jacobi<ValueType, index_type>;
    return spruce::share(spruce::solver::build_smoother<ValueType>(
        spruce::share(jacobi::build().with_max_block_size(1u).on(exec)), 2u, ValueType(0.8)));
}

int solve(std::shared_ptr<spruce::Executor> exec)
{
    const auto data = laplacian(64);
    const auto a = spruce::share(spruce::matrix::Csr<double, index_type>::create(exec));
    a->read(data);
    const auto in_double = spruce::share(spruce::solver::Multigrid::build()
                                             .with_mg_level(level_of<double>::build())
                                             .with_pre_smoother(smoother<double>(exec))
                                             .on(exec)
                                             ->generate(a));
    // Smoothers belong to the factories of levels: those in float smooth on levels in float.
    const auto mixed = spruce::share(spruce::solver::Multigrid::build()
                                         .with_mg_level(level_of<double>::build(), level_of<float>::build())
                                         .with_level_selector([](auto level, auto) { return level == 0 ? 0 : 1; })
                                         .with_pre_smoother(smoother<double>(exec), smoother<float>(exec))
                                         .on(exec)
                                         ->generate(a));

    const auto iterations = count_iterations<cg>(data, a, in_double);
    const auto iterations_mixed = count_iterations<cg>(data, a, mixed);

    const auto levels = mixed->get_mg_level_list();
    const auto is_mixed = levels.size() > 1 && dynamic_cast<const level_of<double>*>(levels.front().get()) != nullptr &&
                          dynamic_cast<const level_of<float>*>(levels.back().get()) != nullptr;
    std::cout << "levels: " << levels.size() << "\n"
              << "iterations in double precision: " << iterations << ", in mixed precision: " << iterations_mixed
              << "\n";
    return conclude(is_mixed && iterations_mixed <= iterations + 1);
}

}  // namespace

int main(int argc, char* argv[]) { return run(argc, argv, solve); }
