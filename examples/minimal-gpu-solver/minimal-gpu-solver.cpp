// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Solves a system on a GPU in the fewest steps: read on the host, copy, solve, copy back. Without a
// GPU the program uses the cores of the processor.

#include <cmath>
#include <iostream>

#include <spruce/spruce.hpp>

int main()
{
    const auto host = spruce::OmpExecutor::create();
    const auto gpu = [&]() -> std::shared_ptr<spruce::Executor> {
        if (spruce::CudaExecutor::get_num_devices() > 0) {
            return spruce::CudaExecutor::create(0, host);
        }
        if (spruce::HipExecutor::get_num_devices() > 0) {
            return spruce::HipExecutor::create(0, host);
        }
        return host;
    }();
    using matrix = spruce::matrix::Csr<double, int>;
    using vector = spruce::matrix::Dense<double>;
    const auto a = spruce::share(matrix::create(gpu));
    a->read(spruce::matrix_data<double, int>{{2.0, -1.0, 0.0}, {-1.0, 2.0, -1.0}, {0.0, -1.0, 2.0}});
    const auto b = spruce::initialize<vector>({0.0, 0.0, 4.0}, gpu);
    const auto x = spruce::initialize<vector>({0.0, 0.0, 0.0}, gpu);

    spruce::solver::Cg<double>::build()
        .with_criteria(spruce::stop::Iteration::build().with_max_iters(10u),
                       spruce::stop::ResidualNorm<double>::build().with_reduction_factor(1e-12))
        .on(gpu)
        ->generate(a)
        ->apply(b, x);

    const auto solution = spruce::clone(host, x);
    std::cout << gpu->get_description() << ": " << solution->at(0, 0) << " " << solution->at(1, 0) << " "
              << solution->at(2, 0) << "\n";
    for (int i = 0; i < 3; ++i) {
        if (!(std::abs(solution->at(i, 0) - (i + 1.0)) < 1e-12)) {
            return 1;
        }
    }
    return 0;
}
