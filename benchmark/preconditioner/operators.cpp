// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>

#include <spruce/base/refreshable.hpp>
#include <spruce/factorization/ic.hpp>
#include <spruce/factorization/ilu.hpp>
#include <spruce/log/convergence.hpp>
#include <spruce/preconditioner/ic.hpp>
#include <spruce/preconditioner/ilu.hpp>
#include <spruce/preconditioner/jacobi.hpp>
#include <spruce/solver/bicgstab.hpp>
#include <spruce/solver/cg.hpp>
#include <spruce/stop/combined.hpp>
#include <spruce/stop/iteration.hpp>
#include <spruce/stop/residual_norm.hpp>

#include "benchmark/preconditioner/measurements.hpp"
#include "benchmark/stopwatch.hpp"

namespace spruce::bench {
namespace {

using jacobi = preconditioner::Jacobi<double, int32>;

struct preconditioner_kind {
    std::string name;
    bool needs_symmetry;
    /// Returns null for no preconditioner.
    std::function<std::shared_ptr<const LinOpFactory>(const csr_matrix&)> create_factory;
};

array<int32> consecutive_blocks(const std::shared_ptr<const Executor>& host, size_type num_rows, int32 block_size)
{
    std::vector<int32> result;
    for (int64 row = 0; row < static_cast<int64>(num_rows); row += block_size) {
        result.push_back(static_cast<int32>(row));
    }
    result.push_back(static_cast<int32>(num_rows));
    return {host, result.begin(), result.end()};
}

preconditioner_kind jacobi_of_consecutive_rows(int32 block_size, bool is_adaptive)
{
    return {(is_adaptive ? "adaptive-jacobi-" : "jacobi-") + std::to_string(block_size), false,
            [block_size, is_adaptive](const csr_matrix& a) -> std::shared_ptr<const LinOpFactory> {
                const auto exec = a.get_executor();
                auto parameters = jacobi::build().with_max_block_size(static_cast<uint32>(block_size));
                if (block_size > 1) {
                    parameters.with_block_pointers(consecutive_blocks(exec->get_master(), a.get_size()[0], block_size));
                }
                if (is_adaptive) {
                    parameters.with_storage_optimization(precision_reduction::autodetect());
                }
                return parameters.on(exec);
            }};
}

const std::vector<preconditioner_kind>& preconditioner_kinds()
{
    static const std::vector<preconditioner_kind> kinds{
        {"none", false, [](const csr_matrix&) { return nullptr; }},
        jacobi_of_consecutive_rows(1, false),
        {"jacobi-natural", false,
         [](const csr_matrix& a) -> std::shared_ptr<const LinOpFactory> {
             return jacobi::build().with_max_block_size(32u).on(a.get_executor());
         }},
        jacobi_of_consecutive_rows(8, false),
        jacobi_of_consecutive_rows(16, false),
        jacobi_of_consecutive_rows(32, false),
        jacobi_of_consecutive_rows(8, true),
        jacobi_of_consecutive_rows(16, true),
        jacobi_of_consecutive_rows(32, true),
        {"ilu", false,
         [](const csr_matrix& a) -> std::shared_ptr<const LinOpFactory> {
             const auto exec = a.get_executor();
             return preconditioner::Ilu<solver::LowerTrs<double, int32>>::build()
                 .with_factorization(factorization::Ilu<double, int32>::build())
                 .on(exec);
         }},
        {"ic", true,
         [](const csr_matrix& a) -> std::shared_ptr<const LinOpFactory> {
             const auto exec = a.get_executor();
             return preconditioner::Ic<solver::LowerTrs<double, int32>>::build()
                 .with_factorization(factorization::Ic<double, int32>::build())
                 .on(exec);
         }},
    };
    return kinds;
}

bool is_symmetric(const csr_matrix& a)
{
    const auto host = clone(a.get_executor()->get_master(), &a);
    host->sort_by_column_index();
    const auto transposed = as<csr_matrix>(host->transpose());
    const auto n = host->get_size()[0];
    const auto nnz = host->get_num_stored_elements();
    return std::equal(host->get_const_row_ptrs(), host->get_const_row_ptrs() + n + 1,
                      transposed->get_const_row_ptrs()) &&
           std::equal(host->get_const_col_idxs(), host->get_const_col_idxs() + nnz, transposed->get_const_col_idxs()) &&
           std::equal(host->get_const_values(), host->get_const_values() + nnz, transposed->get_const_values());
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

template <typename Function>
double median_seconds(const std::shared_ptr<const Executor>& exec, int repetitions, int64 num_calls, Function function)
{
    stopwatch watch{exec};
    std::vector<double> seconds;
    for (int i = 0; i < repetitions; ++i) {
        seconds.push_back(watch.measure(num_calls, function));
    }
    return median(std::move(seconds));
}

struct solve_result {
    double seconds{};
    size_type iterations{};
    std::string outcome;
    double residual{};
};

template <typename Solver>
solve_result measure_solve(const std::shared_ptr<const csr_matrix>& a, const std::shared_ptr<const LinOp>& m,
                           const preconditioner_options& options)
{
    const auto exec = a->get_executor();
    auto parameters = Solver::build().with_criteria(
        stop::Iteration::build().with_max_iters(static_cast<size_type>(options.max_iterations)),
        stop::ResidualNorm<double>::build().with_reduction_factor(options.tolerance));
    if (m) {
        parameters.with_generated_preconditioner(m);
    }
    const auto solver = parameters.on(exec)->generate(a);
    const std::shared_ptr<log::Convergence<double>> log = log::Convergence<double>::create();
    solver->add_logger(log);
    const auto b = create_rhs(exec, a->get_size()[0]);
    const auto x = clone(b);
    solve_result result;
    result.seconds = median_seconds(exec, options.repetitions, 1, [&] {
        x->fill(0.0);
        solver->apply(b, x);
    });
    std::ostringstream outcome;
    outcome << solver->get_stop_reasons().at(0);
    result.outcome = outcome.str();
    result.iterations = log->get_num_iterations();
    const auto r = clone(b);
    a->apply(initialize<vector>({-1.0}, exec), x, initialize<vector>({1.0}, exec), r);
    const auto norms = vector::create(exec->get_master(), dim<2>{1, 1});
    r->compute_norm2(norms);
    result.residual = norms->at(0, 0);
    b->compute_norm2(norms);
    result.residual /= norms->at(0, 0);
    return result;
}

void measure_kind(const std::string& name, const std::shared_ptr<const csr_matrix>& a, bool symmetric,
                  const preconditioner_kind& kind, const preconditioner_options& options, const copy_bandwidth& copy,
                  preconditioner_report& report)
{
    const auto exec = a->get_executor();
    const auto factory = kind.create_factory(*a);
    double generate{};
    double refresh{};
    double apply{};
    std::shared_ptr<const LinOp> m;
    if (factory) {
        auto generated = share(factory->generate(a));
        generate = median_seconds(exec, options.repetitions, 1, [&] {
            generated.reset();
            generated = share(factory->generate(a));
        });
        const auto refreshable = dynamic_cast<Refreshable*>(generated.get());
        refresh = median_seconds(exec, options.repetitions, 1, [&] { refreshable->refresh(a); });
        const auto b = create_rhs(exec, a->get_size()[0]);
        const auto x = clone(b);
        const auto call = [&, op = generated.get()] { op->apply(b, x); };
        apply = median_seconds(exec, options.repetitions, stopwatch{exec}.calls_per_measurement(call), call);
        m = generated;
    }
    const auto solve = symmetric ? measure_solve<solver::Cg<double>>(a, m, options)
                                 : measure_solve<solver::Bicgstab<double>>(a, m, options);
    report.rows.add_row(
        {name, kind.name, factory ? time_text(generate) : "", factory ? time_text(refresh) : "",
         factory ? time_text(apply) : "",
         factory ? to_text(apply * copy.bytes_per_second / (16.0 * static_cast<double>(a->get_size()[0])), 3) : "",
         symmetric ? "Cg" : "Bicgstab", std::to_string(solve.iterations), solve.outcome,
         scientific_text(solve.residual), time_text(solve.seconds), time_text(generate + solve.seconds)});
    report.results.push_back({{"matrix", name},
                              {"operator", kind.name},
                              {"rows", a->get_size()[0]},
                              {"entries", a->get_num_stored_elements()},
                              {"generate_seconds", generate},
                              {"refresh_seconds", refresh},
                              {"apply_seconds", apply},
                              {"solver", symmetric ? "Cg" : "Bicgstab"},
                              {"iterations", solve.iterations},
                              {"outcome", solve.outcome},
                              {"relative_residual", solve.residual},
                              {"solve_seconds", solve.seconds}});
}

}  // namespace

std::vector<std::string> operator_names()
{
    std::vector<std::string> result{"lower-triangle", "upper-triangle"};
    for (const auto& kind : preconditioner_kinds()) {
        result.push_back(kind.name);
    }
    return result;
}

preconditioner_report report_of_preconditioners(nlohmann::ordered_json& results)
{
    using align = table::align;
    return {table{{{"matrix", align::left},
                   {"preconditioner", align::left},
                   {"generate", align::right},
                   {"refresh", align::right},
                   {"apply", align::right},
                   {"copies of b", align::right},
                   {"solver", align::left},
                   {"iterations", align::right},
                   {"outcome", align::left},
                   {"residual", align::right},
                   {"solve", align::right},
                   {"generate + solve", align::right}}},
            results};
}

void measure_preconditioners(const std::string& name, const std::shared_ptr<const csr_matrix>& a,
                             const preconditioner_options& options, const copy_bandwidth& copy,
                             preconditioner_report& report)
{
    const auto symmetric = is_symmetric(*a);
    for (const auto& kind : preconditioner_kinds()) {
        if (!options.contain(kind.name) || (kind.needs_symmetry && !symmetric)) {
            continue;
        }
        try {
            measure_kind(name, a, symmetric, kind, options, copy, report);
        } catch (const std::exception& error) {
            report.rows.add_row({name, kind.name, message_of(error)});
            report.results.push_back({{"matrix", name}, {"operator", kind.name}, {"error", error.what()}});
        }
    }
}

}  // namespace spruce::bench
