// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Shows a user-defined logger that records the residual norm after each iteration of a solver.
// usage: custom-logger [EXECUTOR]

#include <vector>

#include "../shared.hpp"

namespace {

using namespace example;

/// Records residual norms. It overrides the handlers of the requested events, and the mask excludes
/// all other events.
struct residual_history : spruce::log::Logger {
    residual_history() : Logger(iteration_complete_mask) {}

    void on_iteration_complete(const spruce::LinOp*, const spruce::LinOp*, const spruce::LinOp*,
                               const spruce::size_type& iteration, const spruce::LinOp*,
                               const spruce::LinOp* residual_norm, const spruce::LinOp*,
                               const spruce::array<spruce::stopping_status>*, bool) const override
    {
        const auto norm = spruce::as<vector>(residual_norm);
        norms.push_back(norm->get_executor()->copy_val_to_host(norm->get_const_values()));
        last_iteration = iteration;
    }

    mutable std::vector<double> norms;
    mutable spruce::size_type last_iteration{};
};

int solve(std::shared_ptr<spruce::Executor> exec)
{
    const auto data = laplacian(30);
    const auto a = spruce::share(spruce::matrix::Csr<double, index_type>::create(exec));
    a->read(data);
    const auto b = wave(exec, data.size[0]);
    const auto x = vector::create(exec, b->get_size());
    x->fill(0.0);
    const auto history = std::make_shared<residual_history>();
    const auto solver = spruce::solver::Cg<double>::build()
                            .with_criteria(spruce::stop::Iteration::build().with_max_iters(1000u),
                                           spruce::stop::ResidualNorm<double>::build().with_reduction_factor(1e-8))
                            .on(exec)
                            ->generate(a);
    solver->add_logger(history);

    solver->apply(b, x);

    for (spruce::size_type i = 0; i < history->norms.size(); i += 10) {
        std::cout << "iteration " << i << ": " << history->norms[i] << "\n";
    }
    return conclude(history->norms.size() == history->last_iteration + 1 &&
                    history->norms.back() <= 1e-8 * history->norms.front() &&
                    relative_residual(data, *b, *x) <= 1.1e-8);
}

}  // namespace

int main(int argc, char* argv[]) { return run(argc, argv, solve); }
