// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Contains functions of several examples: executors by name, a matrix, and products by a simple
// loop for checks of results.

#pragma once

#include <cmath>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <spruce/spruce.hpp>

namespace example {

using value_type = double;
using index_type = spruce::int32;
using data_type = spruce::matrix_data<value_type, index_type>;
using vector = spruce::matrix::Dense<value_type>;

/// Runs body(executor) on the executor that the first argument names (default: omp), and reports
/// exceptions.
inline int run(int argc, char* argv[], const std::function<int(std::shared_ptr<spruce::Executor>)>& body)
{
    const std::map<std::string, std::function<std::shared_ptr<spruce::Executor>()>> executors{
        {"reference", [] { return spruce::ReferenceExecutor::create(); }},
        {"omp", [] { return spruce::OmpExecutor::create(); }},
        {"cuda", [] { return spruce::CudaExecutor::create(0, spruce::OmpExecutor::create()); }},
        {"hip", [] { return spruce::HipExecutor::create(0, spruce::OmpExecutor::create()); }}};
    const auto found = executors.find(argc > 1 ? argv[1] : "omp");
    if (found == executors.end()) {
        std::cerr << "usage: " << argv[0] << " [reference|omp|cuda|hip]...\n";
        return 2;
    }
    try {
        const auto exec = found->second();
        std::cout << "executor: " << exec->get_description() << "\n";
        return body(exec);
    } catch (const std::exception& error) {
        std::cerr << argv[0] << ": " << error.what() << "\n";
        return 1;
    }
}

/// Returns the discretization of -u_xx - u_yy on a square with n x n inner points.
inline data_type laplacian(index_type n)
{
    data_type data{spruce::dim<2>(n * n)};
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

/// Returns a vector with entries between -1 and 1.
inline std::unique_ptr<vector> wave(std::shared_ptr<const spruce::Executor> exec, spruce::size_type size)
{
    auto host = vector::create(exec->get_master(), spruce::dim<2>(size, 1));
    for (spruce::size_type i = 0; i < size; ++i) {
        host->at(i, 0) = std::sin(static_cast<value_type>(i));
    }
    return host->clone(exec);
}

/// Returns the largest |x - A b| / (|A| |b|) over all rows. Rounding errors give about 1e-16.
inline value_type relative_error(const data_type& a, const vector& b, const vector& x)
{
    const auto host_b = b.clone(b.get_executor()->get_master());
    const auto host_x = x.clone(x.get_executor()->get_master());
    std::vector<value_type> product(a.size[0]);
    std::vector<value_type> size(a.size[0]);
    for (const auto& entry : a.nonzeros) {
        const auto part = entry.value * host_b->at(entry.column, 0);
        product[entry.row] += part;
        size[entry.row] += std::abs(part);
    }
    value_type worst{};
    for (spruce::size_type row = 0; row < a.size[0]; ++row) {
        const auto error = std::abs(host_x->at(row, 0) - product[row]);
        worst = error <= worst * size[row] ? worst : error / size[row];  // NaN counts as an error
    }
    return worst;
}

/// Returns ||b - A x|| / ||b||.
inline value_type relative_residual(const data_type& a, const vector& b, const vector& x)
{
    const auto host_b = b.clone(b.get_executor()->get_master());
    const auto host_x = x.clone(x.get_executor()->get_master());
    std::vector<value_type> residual(a.size[0]);
    for (spruce::size_type row = 0; row < a.size[0]; ++row) {
        residual[row] = host_b->at(row, 0);
    }
    for (const auto& entry : a.nonzeros) {
        residual[entry.row] -= entry.value * host_x->at(entry.column, 0);
    }
    value_type squares{};
    value_type squares_of_b{};
    for (spruce::size_type row = 0; row < a.size[0]; ++row) {
        squares += residual[row] * residual[row];
        squares_of_b += host_b->at(row, 0) * host_b->at(row, 0);
    }
    return std::sqrt(squares / squares_of_b);
}

/// Solves A x = b from x = 0, until the residual is 1e-8 times as long as b.
/// @param preconditioner  may be null
/// @return  the number of iterations
/// @throws std::runtime_error  if the solver does not converge, or its result is wrong
template <typename Solver>
spruce::size_type count_iterations(const data_type& data, std::shared_ptr<const spruce::LinOp> a,
                                   std::shared_ptr<const spruce::LinOp> preconditioner)
{
    const auto exec = a->get_executor();
    const auto solver = Solver::build()
                            .with_criteria(spruce::stop::Iteration::build().with_max_iters(5000u),
                                           spruce::stop::ResidualNorm<value_type>::build().with_reduction_factor(1e-8))
                            .with_generated_preconditioner(preconditioner)
                            .on(exec)
                            ->generate(a);
    const auto log = spruce::share(spruce::log::Convergence<value_type>::create());
    solver->add_logger(log);
    const auto b = wave(exec, data.size[0]);
    const auto x = vector::create(exec, b->get_size());
    x->fill(0.0);
    solver->apply(b, x);
    if (!log->has_converged() || relative_residual(data, *b, *x) > 1.1e-8) {
        throw std::runtime_error("the solver has not converged");
    }
    return log->get_num_iterations();
}

/// Prints the outcome. Returns the exit code of the program.
inline int conclude(bool good)
{
    std::cout << (good ? "correct" : "WRONG") << "\n";
    return good ? 0 : 1;
}

}  // namespace example
