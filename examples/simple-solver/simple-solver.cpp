// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Solves A x = b by conjugate gradients for a symmetric positive definite matrix from a file, on
// any executor.

#include <chrono>
#include <cmath>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include <spruce/spruce.hpp>

namespace {

using value_type = double;
using index_type = spruce::int32;
using vector = spruce::matrix::Dense<value_type>;
using matrix = spruce::matrix::Csr<value_type, index_type>;

constexpr auto usage = R"(usage: simple-solver [EXECUTOR [FILE.mtx[.gz]]]
  EXECUTOR  reference, omp (default), cuda or hip
  FILE      symmetric positive definite matrix in the Matrix Market format;
            default: the 5-point Laplacian on a grid of 200 x 200
)";

const std::map<std::string, std::function<std::shared_ptr<spruce::Executor>()>> executors{
    {"reference", [] { return spruce::ReferenceExecutor::create(); }},
    {"omp", [] { return spruce::OmpExecutor::create(); }},
    {"cuda", [] { return spruce::CudaExecutor::create(0, spruce::OmpExecutor::create()); }},
    {"hip", [] { return spruce::HipExecutor::create(0, spruce::OmpExecutor::create()); }}};

/// Returns the discretization of -u_xx - u_yy on a square with n x n inner points.
spruce::matrix_data<value_type, index_type> laplacian(index_type n)
{
    spruce::matrix_data<value_type, index_type> data{spruce::dim<2>(n * n)};
    for (index_type i = 0; i < n; ++i) {
        for (index_type j = 0; j < n; ++j) {
            const auto row = i * n + j;
            data.nonzeros.emplace_back(row, row, 4.0);
            if (i > 0) {
                data.nonzeros.emplace_back(row, row - n, -1.0);
            }
            if (i < n - 1) {
                data.nonzeros.emplace_back(row, row + n, -1.0);
            }
            if (j > 0) {
                data.nonzeros.emplace_back(row, row - 1, -1.0);
            }
            if (j < n - 1) {
                data.nonzeros.emplace_back(row, row + 1, -1.0);
            }
        }
    }
    data.sort_row_major();
    return data;
}

/// Returns the 2-norm of a vector as a number on the host. It is computed on the executor of the
/// vector.
value_type norm(const vector& v)
{
    const auto exec = v.get_executor();
    const auto result = vector::create(exec, spruce::dim<2>(1, 1));
    v.compute_norm2(result);
    return exec->copy_val_to_host(result->get_const_values());
}

int solve(const std::shared_ptr<spruce::Executor>& exec, const spruce::matrix_data<value_type, index_type>& data)
{
    const auto a = spruce::share(matrix::create(exec));
    a->read(data);
    const auto size = a->get_size();
    std::cout << "matrix: " << size[0] << " x " << size[1] << ", " << a->get_num_stored_elements() << " entries\n"
              << "executor: " << exec->get_description() << "\n";

    const auto b = vector::create(exec, spruce::dim<2>(size[0], 1));
    b->fill(1.0);
    const auto x = vector::create(exec, spruce::dim<2>(size[1], 1));
    x->fill(0.0);

    // The solver stops when ||b - A x|| <= 1e-8 ||b||, or after too many iterations.
    const value_type tolerance = 1e-8;
    const auto solver = spruce::solver::Cg<value_type>::build()
                            .with_criteria(spruce::stop::Combined::build().with_criteria(
                                spruce::stop::Iteration::build().with_max_iters(20000u),
                                spruce::stop::ResidualNorm<value_type>::build().with_reduction_factor(tolerance)))
                            .on(exec)
                            ->generate(a);
    const auto log = spruce::share(spruce::log::Convergence<value_type>::create());
    solver->add_logger(log);

    const auto start = std::chrono::steady_clock::now();
    solver->apply(b, x);
    exec->synchronize();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

    // The residual b - A x is computed explicitly instead of being taken from the solver.
    const auto one = spruce::initialize<vector>({1.0}, exec);
    const auto minus_one = spruce::initialize<vector>({-1.0}, exec);
    const auto residual = spruce::clone(b);
    a->apply(minus_one, x, one, residual);
    const auto relative = norm(*residual) / norm(*b);

    std::cout << "iterations: " << log->get_num_iterations() << " in " << seconds.count() << " s\n"
              << "converged: " << (log->has_converged() ? "yes" : "no") << "\n"
              << "||b - A x|| / ||b||: " << relative << "\n";
    // Rounding causes differences between the residual of the recurrence and the true one.
    const bool good = log->has_converged() && std::isfinite(relative) && relative <= 10 * tolerance;
    std::cout << (good ? "solved" : "NOT SOLVED") << "\n";
    return good ? 0 : 1;
}

}  // namespace

int main(int argc, char* argv[])
{
    const std::string name = argc > 1 ? argv[1] : "omp";
    if (argc > 3 || executors.count(name) == 0) {
        std::cerr << usage;
        return 2;
    }
    try {
        std::cout << spruce::version_info::get() << "\n";
        const auto data = argc > 2 ? spruce::read_file<value_type, index_type>(argv[2]) : laplacian(200);
        return solve(executors.at(name)(), data);
    } catch (const std::exception& error) {
        std::cerr << "simple-solver: " << error.what() << "\n";
        return 1;
    }
}
