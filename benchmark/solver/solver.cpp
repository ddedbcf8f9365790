// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <spruce/log/convergence.hpp>
#include <spruce/matrix/coo.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/ell.hpp>
#include <spruce/matrix/hybrid.hpp>
#include <spruce/matrix/sellp.hpp>
#include <spruce/stop/combined.hpp>
#include <spruce/stop/iteration.hpp>
#include <spruce/stop/residual_norm.hpp>

#include "benchmark/commands.hpp"
#include "benchmark/copy_bandwidth.hpp"
#include "benchmark/executors.hpp"
#include "benchmark/json_file.hpp"
#include "benchmark/run_options.hpp"
#include "benchmark/solver/solver_models.hpp"
#include "benchmark/spmv/formats.hpp"
#include "benchmark/stopwatch.hpp"

namespace spruce::bench {
namespace {

struct solver_options : matrix_run_options {
    size_type iterations{100};
    std::vector<std::string> solvers{"cg"};
    std::vector<std::string> formats{"csr"};
    bool detailed{};
};

using csr = matrix::Csr<double, int32>;

template <typename Format>
std::shared_ptr<const LinOp> convert(const std::shared_ptr<const csr>& a)
{
    auto result = Format::create(a->get_executor());
    result->copy_from(a);
    return result;
}

using converter = std::shared_ptr<const LinOp> (*)(const std::shared_ptr<const csr>&);

/// Returns the conversions to the storage formats of the system matrix, by name.
const std::map<std::string, converter>& converters()
{
    static const std::map<std::string, converter> all{
        {"coo", convert<matrix::Coo<double, int32>>},
        {"csr", [](const std::shared_ptr<const csr>& a) -> std::shared_ptr<const LinOp> { return a; }},
        {"ell", convert<matrix::Ell<double, int32>>},
        {"hybrid", convert<matrix::Hybrid<double, int32>>},
        {"sellp", convert<matrix::Sellp<double, int32>>}};
    return all;
}

/// Throws an error if a solve performed fewer iterations than requested.
void require_iterations(const log::Convergence<double>& log, size_type wanted)
{
    if (log.get_num_iterations() != wanted) {
        throw std::runtime_error("the solve ended after " + std::to_string(log.get_num_iterations()) + " of " +
                                 std::to_string(wanted) +
                                 " iterations, because no further progress was possible; choose fewer (--iterations)");
    }
}

struct solver_result {
    double seconds_per_iteration{};
    double bytes_per_iteration{};  ///< minimum for the method
    double moved_per_iteration{};  ///< bytes that the kernels move
    iteration_model model{};
    double kernels_per_iteration{};
};

/// Pairs of solves are repeated until they have taken this many seconds in total. The difference of
/// two short solves is smaller than the noise of a single measurement.
constexpr double min_seconds = 0.2;
constexpr std::size_t max_pairs = 400;

/// Measures the time of one iteration by the difference between solves of different length. This
/// excludes the operations that a solve performs once.
solver_result measure_solver(const solver_kind& kind, std::shared_ptr<const LinOp> a, double matrix_bytes,
                             const solver_options& options)
{
    using vector = matrix::Dense<double>;
    const auto exec = a->get_executor();
    const auto num_rows = a->get_size()[0];
    const auto rows = static_cast<double>(num_rows);
    solver_result result;
    const auto has_dots = is_device(*exec) && dynamic_cast<const DotApplicable<double>*>(a.get());
    const auto bytes = [&](const iteration_traffic& traffic) {
        return traffic.products * matrix_bytes + traffic.vectors * rows * sizeof(double);
    };
    result.model = kind.model({options.iterations / 4, options.iterations, has_dots});
    result.bytes_per_iteration = bytes(result.model.least);
    result.moved_per_iteration = bytes(result.model.moved);

    const auto b = vector::create(exec, dim<2>{num_rows, 1});
    const auto x = vector::create(exec, dim<2>{num_rows, 1});
    b->fill(1.0);
    const auto solve_with = [&](size_type iterations) {
        return kind
            .generate(
                a,
                stop::combine({share(stop::Iteration::build().with_max_iters(iterations).on(exec)),
                               share(stop::ResidualNorm<double>::build().with_reduction_factor(1e-300).on(exec))}),
                nullptr)
            .op;
    };
    const auto short_solver = solve_with(options.iterations / 4);
    const auto long_solver = solve_with(options.iterations);
    const auto difference = static_cast<double>(options.iterations - options.iterations / 4);
    stopwatch watch{exec};
    std::vector<double> differences;
    size_type short_kernels{};
    size_type long_kernels{};
    const auto log = share(log::Convergence<double>::create());
    short_solver->add_logger(log);
    long_solver->add_logger(log);
    const auto time_of = [&](const LinOp& solver, size_type iterations, size_type& num_kernels) {
        x->fill(0.0);
        const auto before = exec->get_counters();
        const auto seconds = watch.measure(1, [&] { solver.apply(b, x); });
        const auto done = exec->get_counters() - before;
        num_kernels = is_device(*exec) ? done.launches : done.kernels;
        require_iterations(*log, iterations);
        return seconds;
    };
    const auto measure_pair = [&] {
        const auto short_time = time_of(*short_solver, options.iterations / 4, short_kernels);
        const auto long_time = time_of(*long_solver, options.iterations, long_kernels);
        differences.push_back(long_time - short_time);
        return short_time + long_time;
    };
    measure_pair();  // warms up
    differences.clear();
    const auto min_pairs = static_cast<std::size_t>(options.repetitions);
    for (double elapsed = 0;
         differences.size() < min_pairs || (elapsed < min_seconds && differences.size() < max_pairs);) {
        elapsed += measure_pair();
    }
    result.kernels_per_iteration =
        (static_cast<double>(long_kernels) - static_cast<double>(short_kernels)) / difference;
    result.seconds_per_iteration = median(differences) / difference;
    return result;
}

int run_solver(const solver_options& options)
{
    auto sources = collect_sources(options.families, options.files, "solver");
    const auto exec = create_executor(options.executor, options.device);
    const auto where = describe_environment(exec);
    using align = table::align;
    std::vector<table::column> columns{
        {"matrix", align::left}, {"rows", align::right},  {"nonzeros", align::right},
        {"format", align::left}, {"solver", align::left}, {"per iteration", align::right},
        {"GB/s", align::right},  {"model", align::right}, {"of model", align::right}};
    if (options.detailed) {
        for (const auto name : {"kernels", "products", "vectors", "MB moved"}) {
            columns.push_back({name, align::right});
        }
    }
    table report{columns};
    auto document = start_document(where);
    bool has_failed{};
    const auto status = measure_each(sources, report, [&](matrix_source& source) {
        source.open();
        const std::shared_ptr<const csr> entries = source.read<double, int32>(exec->get_master())->clone(exec);
        source.close();
        const auto measure = [&](const std::string& format, const std::string& name, std::shared_ptr<const LinOp> a,
                                 double matrix_bytes) {
            // The copy bandwidth is measured for each solver, because the speed of shared machines
            // varies.
            const auto copy = measure_copy(exec, options.repetitions);
            const auto& kind = solver_kinds().at(name);
            const auto one = measure_solver(kind, a, matrix_bytes, options);
            const auto model = one.bytes_per_iteration / copy.bytes_per_second;
            std::vector<std::string> row{source.get_name(),
                                         std::to_string(a->get_size()[0]),
                                         std::to_string(entries->get_num_stored_elements()),
                                         format,
                                         name,
                                         time_text(one.seconds_per_iteration),
                                         to_text(1e-9 * one.bytes_per_iteration / one.seconds_per_iteration),
                                         time_text(model),
                                         to_text(one.seconds_per_iteration / model, 3) + " x"};
            if (options.detailed) {
                row.insert(row.end(), {to_text(one.kernels_per_iteration, 3), to_text(one.model.moved.products),
                                       to_text(one.model.moved.vectors), to_text(1e-6 * one.moved_per_iteration)});
            }
            report.add_row(row);
            document["results"].push_back({{"matrix", source.get_name()},
                                           {"rows", a->get_size()[0]},
                                           {"nonzeros", entries->get_num_stored_elements()},
                                           {"format", format},
                                           {"solver", name},
                                           {"seconds_per_iteration", one.seconds_per_iteration},
                                           {"bytes_per_iteration", one.bytes_per_iteration},
                                           {"bytes_moved_per_iteration", one.moved_per_iteration},
                                           {"copy_bytes_per_second", copy.bytes_per_second},
                                           {"time_over_model", one.seconds_per_iteration / model},
                                           {"kernels_per_iteration", one.kernels_per_iteration}});
        };
        for (const auto& format : options.formats) {
            const auto a = converters().at(format)(entries);
            const auto bytes = create_product<double, int32>(format, entries)->get_storage_bytes();
            for (const auto& name : options.solvers) {
                try {
                    measure(format, name, a, static_cast<double>(bytes));
                } catch (const std::exception& error) {
                    report.add_row({source.get_name(), std::to_string(a->get_size()[0]),
                                    std::to_string(entries->get_num_stored_elements()), format, name,
                                    message_of(error)});
                    has_failed = true;
                }
            }
        }
    });
    std::cout << where.device << ", double/int32, " << options.iterations
              << " iterations; model: the matrix for each product, and the vectors that the method needs, at copy "
                 "bandwidth\n\n";
    report.print(std::cout);
    if (!options.json.empty()) {
        write_json(options.json, document);
    }
    return has_failed ? exit_code::something_failed : status;
}

}  // namespace

void add_solver(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<solver_options>();
    const auto command = program.add_subcommand("solver", "measure an iteration of iterative solvers");
    command->add_option("--iterations", options->iterations, "iterations of a solve")
        ->capture_default_str()
        ->check(CLI::Range(4, 1000000));
    std::vector<std::string> names;
    for (const auto& [name, kind] : solver_kinds()) {
        names.push_back(name);
    }
    command->add_option("--solvers", options->solvers, "which, separated by commas")
        ->capture_default_str()
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember(names));
    std::vector<std::string> formats;
    for (const auto& [name, convert] : converters()) {
        formats.push_back(name);
    }
    command->add_option("--formats", options->formats, "of the system matrix, separated by commas")
        ->capture_default_str()
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember(formats));
    command->add_flag("--detailed", options->detailed, "what an iteration launches and moves, too");
    add_matrix_run_options(*command, *options);
    command->callback([options, &exit_code] { exit_code = run_solver(*options); });
}

}  // namespace spruce::bench
