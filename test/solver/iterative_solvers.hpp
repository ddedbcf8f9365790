// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <type_traits>

#include <gtest/gtest.h>

#include <spruce/spruce.hpp>

#include "core/base/kernel.hpp"

namespace spruce::test {

/// Lists all iterative solvers, for tests that treat all of them alike.
template <typename V>
using iterative_solvers =
    ::testing::Types<solver::Bicg<V>, solver::Bicgstab<V>, solver::CbGmres<V>, solver::Cg<V>, solver::Cgs<V>,
                     solver::Chebyshev<V>, solver::Fcg<V>, solver::Gcr<V>, solver::Gmres<V>, solver::Idr<V>,
                     solver::Ir<V>, solver::Minres<V>, solver::PipeCg<V>>;

/// Builds a solver for matrices with eigenvalues in [smallest, largest].
template <typename Solver>
auto build_for_spectrum(double smallest, double largest)
{
    using V = typename Solver::value_type;
    auto parameters = Solver::build();
    if constexpr (std::is_same_v<Solver, solver::Chebyshev<V>>) {
        parameters.with_foci(V(smallest), V(largest));
    } else if constexpr (std::is_same_v<Solver, solver::Ir<V>>) {
        parameters.with_relaxation_factor(V(2 / (smallest + largest)));
    }
    return parameters;
}

template <typename Function, typename... Solvers>
void for_each_of(::testing::Types<Solvers...>, Function function)
{
    spruce::detail::for_each_type(spruce::detail::type_list<Solvers...>{}, function);
}

/// Calls function(tag) for each iterative solver, whose type is decltype(tag)::type.
template <typename V, typename Function>
void for_each_iterative_solver(Function function)
{
    for_each_of(iterative_solvers<V>{}, function);
}

}  // namespace spruce::test
