// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Solves the heat equation u_t = u_xx + u_yy on the unit square, where u = 0 on the boundary, by
// implicit Euler steps. Each step solves (I + dt / h^2 L) u_new = u by conjugate gradients, with
// the last solution as initial guess. The decay of sin(pi x) sin(pi y) is known exactly, also for
// the discrete equation.
// usage: heat-equation [EXECUTOR]

#include <cmath>

#include "../shared.hpp"

namespace {

using namespace example;

int step_through_time(std::shared_ptr<spruce::Executor> exec)
{
    constexpr index_type n = 31;  // inner points in each direction
    constexpr double pi = 3.14159265358979323846;
    constexpr double h = 1.0 / (n + 1);
    constexpr double dt = 1e-3;
    constexpr int num_steps = 20;

    auto data = laplacian(n);
    for (auto& entry : data.nonzeros) {
        entry.value = (entry.row == entry.column ? 1.0 : 0.0) + dt / (h * h) * entry.value;
    }
    const auto a = spruce::share(spruce::matrix::Csr<double, index_type>::create(exec));
    a->read(data);
    const auto solver = spruce::solver::Cg<double>::build()
                            .with_criteria(spruce::stop::Iteration::build().with_max_iters(500u),
                                           spruce::stop::ResidualNorm<double>::build().with_reduction_factor(1e-12))
                            .on(exec)
                            ->generate(a);

    const auto start = vector::create(exec->get_master(), spruce::dim<2>(n * n, 1));
    for (index_type i = 0; i < n; ++i) {
        for (index_type j = 0; j < n; ++j) {
            start->at(i * n + j, 0) = std::sin(pi * (i + 1) * h) * std::sin(pi * (j + 1) * h);
        }
    }
    auto u = spruce::clone(exec, start);
    auto next = spruce::clone(u);
    for (int step = 0; step < num_steps; ++step) {
        solver->apply(u, next);
        u->copy_from(next);
    }

    // The initial value is an eigenvector of L with this eigenvalue.
    const auto eigenvalue = 8 * std::pow(std::sin(pi * h / 2), 2);
    const auto decay = std::pow(1 / (1 + dt / (h * h) * eigenvalue), num_steps);
    const auto on_host = spruce::clone(exec->get_master(), u);
    double error{};
    for (spruce::size_type row = 0; row < on_host->get_size()[0]; ++row) {
        const auto here = std::abs(on_host->at(row, 0) - decay * start->at(row, 0));
        error = here <= error ? error : here;  // NaN counts as an error
    }
    std::cout << "after t = " << num_steps * dt << " the peak is " << on_host->at(n * n / 2, 0) << ", error " << error
              << "\n";
    return conclude(error < 1e-9);
}

}  // namespace

int main(int argc, char* argv[]) { return run(argc, argv, step_through_time); }
