// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <cmath>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <spruce/log/convergence.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/diagonal.hpp>
#include <spruce/stop/combined.hpp>
#include <spruce/stop/iteration.hpp>
#include <spruce/stop/residual_norm.hpp>

#include "benchmark/solver/measurement.hpp"

namespace spruce::bench {
namespace {

using csr = matrix::Csr<double, int32>;
using vector = matrix::Dense<double>;

/// Returns the inverse of the diagonal, with 1 for zeros on it.
std::shared_ptr<const LinOp> inverse_of_diagonal(const csr& a)
{
    const auto exec = a.get_executor();
    const auto host = clone(exec->get_master(), a.extract_diagonal());
    for (size_type i = 0; i < host->get_size()[0]; ++i) {
        auto& value = host->get_values()[i];
        value = value == 0.0 ? 1.0 : 1.0 / value;
    }
    return clone(exec, host);
}

/// Returns b with b_i = sin(i), which has no structure and is equal on all machines.
std::unique_ptr<vector> create_rhs(std::shared_ptr<const Executor> exec, size_type num_rows)
{
    const auto host = vector::create(exec->get_master(), dim<2>{num_rows, 1});
    for (size_type i = 0; i < num_rows; ++i) {
        host->at(i, 0) = std::sin(static_cast<double>(i + 1));
    }
    return clone(exec, host);
}

double norm_of(const vector& v)
{
    const auto norm = vector::create(v.get_executor()->get_master(), dim<2>{1, 1});
    v.compute_norm2(norm);
    return norm->at(0, 0);
}

/// Solves a system until convergence, and describes how the solve ended.
class converging_solve {
public:
    converging_solve(const system_matrix& system, const solver_kind& kind, const solver_options& options)
        : entries_{system.entries},
          exec_{system.a->get_executor()},
          solver_{kind.generate(
              system.a,
              stop::combine(
                  {share(stop::Iteration::build().with_max_iters(options.max_iterations).on(exec_)),
                   share(stop::ResidualNorm<double>::build().with_reduction_factor(options.tolerance).on(exec_))}),
              options.diagonal ? inverse_of_diagonal(*system.entries) : nullptr)},
          b_{create_rhs(exec_, system.a->get_size()[0])},
          x_{clone(b_)}
    {
        solver_.op->add_logger(log_);
    }

    void reset() { x_->fill(0.0); }
    void solve() { solver_.op->apply(b_, x_); }

    std::string get_outcome() const
    {
        std::ostringstream outcome;
        outcome << solver_.iteration->get_stop_reasons().at(0);
        return outcome.str();
    }
    size_type get_num_iterations() const { return log_->get_num_iterations(); }
    double get_relative_residual() const
    {
        const auto r = clone(b_);
        entries_->apply(initialize<vector>({-1.0}, exec_), x_, initialize<vector>({1.0}, exec_), r);
        return norm_of(*r) / norm_of(*b_);
    }

private:
    std::shared_ptr<const csr> entries_;
    std::shared_ptr<const Executor> exec_;
    generated_solver solver_;
    std::shared_ptr<log::Convergence<double>> log_{log::Convergence<double>::create()};
    std::unique_ptr<vector> b_;
    std::unique_ptr<vector> x_;
};

}  // namespace

timed_operation create_solves(const system_matrix& system, const solver_kind& kind, const solver_options& options)
{
    const auto solve = std::make_shared<converging_solve>(system, kind, options);
    timed_operation op;
    op.call = [=] { solve->solve(); };
    op.prepare = [=] { solve->reset(); };
    op.check = [=, tolerance = options.tolerance]() -> std::optional<accuracy> {
        if (solve->get_outcome() != "converged") {
            return {};
        }
        return accuracy{solve->get_relative_residual(), 10 * tolerance};  // rounding errors change the residual
    };
    op.describe = [=] {
        return nlohmann::ordered_json{{"outcome", solve->get_outcome()},
                                      {"iterations", solve->get_num_iterations()},
                                      {"relative_residual", solve->get_relative_residual()}};
    };
    return op;
}

}  // namespace spruce::bench
