// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>
#include <memory>

#include <CLI/CLI.hpp>

#include "benchmark/benchmark_run.hpp"
#include "benchmark/commands.hpp"
#include "benchmark/errors.hpp"
#include "benchmark/interrupt.hpp"
#include "benchmark/table.hpp"
#include "benchmark/types.hpp"
#include "benchmark/zoo/operations.hpp"

namespace spruce::bench {
namespace {

struct zoo_options : run_options {
    zoo_options() { max_seconds = 0.2; }

    double entries{4e6};
    std::vector<std::string> structures;
    std::string operations;
    std::string value_type{"double"};
    std::string index_type{"int32"};
    int worst{30};
};

/// Describes a matrix by a name and a generator. The transpose of the generated matrix is measured
/// if is_transposed.
struct structure {
    std::string name;
    std::string spec;
    bool is_transposed{};
};

/// The structure whose operations are those on dense matrices.
constexpr auto dense_name = "dense";

/// Returns structures that are scaled to about this number of entries. Those with few entries have
/// about this number of rows instead.
std::vector<structure> structures_of(double entries)
{
    const auto size = [&](double entries_per_row) {
        return std::to_string(static_cast<int64>(std::max(std::round(entries / entries_per_row), 4.0)));
    };
    const auto side = [&](double entries_per_row, double dimension) {
        const auto length = std::pow(entries / entries_per_row, 1 / dimension);
        return std::to_string(std::max<int64>(static_cast<int64>(std::round(length)), 2));
    };
    const auto scale = std::to_string(std::max<int64>(std::llround(std::log2(entries / 16)), 2));
    const auto dense_length = std::to_string(static_cast<int64>(std::max(entries / 40, 2.0)));
    return {{"7-point", "poisson3d-7pt:" + side(7, 3)},
            {"27-point", "poisson3d-27pt:" + side(27, 3)},
            {"fem", "fem-block:" + side(27 * 9, 3) + ",3"},
            {"tridiagonal", "tridiagonal:" + size(3)},
            {"chain", "road:" + size(2.6)},
            {"dense-row", "one-dense-row:" + size(4)},
            {"dense-column", "one-dense-column:" + size(4)},
            {"arrow", "arrow:" + size(3)},
            {"1-row", "full-row:" + size(1)},
            {"20-rows", "wide:20x" + size(2)},
            {"200-rows", "wide:200x" + size(2.5)},
            {"wide", "wide:4000x" + size(2.7)},
            {"tall", "wide:4000x" + size(2.7), true},
            {"1-column", "full-column:" + size(1)},
            {"empty-rows", "empty-rows:" + size(2.34)},
            {"hypersparse", "full-column:" + size(0.5) + ",200"},
            {"r-mat", "rmat:" + scale + ",16"},
            {"circuit", "circuit:" + size(6) + ",4," + dense_length},
            {"bimodal", "bimodal:" + size(420)},
            {"nearly-dense", "nearly-dense:" + size(410)}};
}

/// Returns the operations on a matrix of one structure as cases of a run.
class zoo_benchmark {
public:
    zoo_benchmark(const zoo_options& options, benchmark_run& run)
        : options_{options}, run_{run}, exec_{run.get_executor()}, seconds_of_call_{this->measure_call()}
    {}

    template <typename V, typename I>
    void measure(const structure& which)
    {
        const auto visit = this->visitor_of(which.name);
        if (which.name == dense_name) {
            zoo::visit_dense<V, I>(exec_, static_cast<size_type>(options_.entries), visit);
            return;
        }
        auto source = matrix_source::family(which.spec);
        source.open();
        matrix_input<V, I> input{run_, source};
        std::shared_ptr<const matrix::Csr<V, I>> a = input.on_executor();
        if (which.is_transposed) {
            a = as<matrix::Csr<V, I>>(share(a->transpose()));
        }
        zoo::visit_products<V, I>(a, visit);
        zoo::visit_formats<V, I>(a, visit);
        zoo::visit_algebra<V, I>(a, visit);
    }

private:
    /// Returns the time of an operation that moves almost no bytes.
    double measure_call()
    {
        const auto x = zoo::filled<double>(exec_, 1, 1);
        timed_operation op;
        op.call = [=] { x->fill(1.0); };
        const auto results = run_.measure({{{{"operation", "fill of one number"}}, [op] { return op; }}});
        return results.empty() ? 0.0 : results.front()->value("seconds_median", 0.0);
    }

    zoo::visitor visitor_of(const std::string& name)
    {
        return {[this](const std::string& operation) {
                    return !was_interrupted() &&
                           (options_.operations.empty() || operation.find(options_.operations) != std::string::npos);
                },
                [this, name](const std::string& operation, const std::function<zoo::operation()>& create) {
                    auto identity = matrix_case(operation, name, options_.value_type, options_.index_type);
                    identity["entries"] = static_cast<size_type>(options_.entries);
                    for (const auto result : run_.measure({{identity, [&] {
                                                                const auto [bytes, call, prepare] = create();
                                                                return timed_operation{call, bytes, 0, prepare,
                                                                                       {},   {},    {}};
                                                            }}})) {
                        this->add_ratio(*result);
                    }
                }};
    }

    /// Adds the ratio of the time to the least one, which is that of a call and of a copy of the
    /// bytes.
    void add_ratio(nlohmann::ordered_json& result) const
    {
        const auto copy = run_.get_copy_bytes_per_second();
        if (result.contains("seconds_median") && copy > 0) {
            const auto least = seconds_of_call_ + result.value("bytes", 0.0) / copy;
            result["facts"]["time_over_least"] = result["seconds_median"].get<double>() / least;
        }
    }

    const zoo_options& options_;
    benchmark_run& run_;
    std::shared_ptr<Executor> exec_;
    double seconds_of_call_;
};

/// Calls function(V, I) for the types that the command has.
template <typename Function>
void with_zoo_types(const std::string& value_type, const std::string& index_type, Function function)
{
    const auto types = value_type + "/" + index_type;
    if (types == "double/int32") {
        function(type_pair<double, int32>{});
    } else if (types == "double/int64") {
        function(type_pair<double, int64>{});
    } else if (types == "float/int32") {
        function(type_pair<float, int32>{});
    } else if (types == "cdouble/int32") {
        function(type_pair<std::complex<double>, int32>{});
    } else {
        throw usage_error("expected the types double/int32, double/int64, float/int32 or cdouble/int32, found " +
                          types);
    }
}

std::vector<structure> requested_structures(const zoo_options& options)
{
    auto all = structures_of(options.entries);
    all.push_back({dense_name, ""});
    std::vector<std::string> names;
    for (const auto& one : all) {
        names.push_back(one.name);
    }
    for (const auto& name : options.structures) {
        check_name("structure", name, names);
    }
    if (!options.structures.empty()) {
        all.erase(std::remove_if(all.begin(), all.end(),
                                 [&](const auto& one) {
                                     return std::find(options.structures.begin(), options.structures.end(), one.name) ==
                                            options.structures.end();
                                 }),
                  all.end());
    }
    return all;
}

int run_zoo(const CLI::App& command, const zoo_options& options)
{
    check_types(options.value_type, options.index_type);
    const auto structures = requested_structures(options);
    int status{};
    with_zoo_types(options.value_type, options.index_type, [&](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        constexpr size_type about = 150;
        benchmark_run run{command, options, {structures.size(), about}};
        zoo_benchmark benchmark{options, run};
        for (const auto& one : structures) {
            run.measure_part(one.name, {{"operation", "zoo"}, {"matrix", one.name}},
                             [&] { benchmark.template measure<V, I>(one); });
        }
        run.sort_by_fact("time_over_least");
        status = run.finish(
            {number_column("time / least", "time_over_least", [](double value) { return to_text(value, 3); })},
            static_cast<std::size_t>(options.worst));
    });
    return status;
}

}  // namespace

void add_zoo(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<zoo_options>();
    const auto command = program.add_subcommand(
        "zoo", "measure all operations with matrices of unusual structure, the slowest for their bytes first");
    command->add_option("--entries", options->entries, "about the number of entries of each matrix")
        ->capture_default_str()
        ->check(CLI::Range(100.0, 1e9));
    add_names_option(*command, "--structures", options->structures, "only these, such as arrow,r-mat,dense");
    command->add_option("--operations", options->operations, "only operations whose name contains this text");
    command->add_option("--worst", options->worst, "how many results are printed; --json has all")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
    command->add_option("--value-type", options->value_type, "double, float or cdouble")->capture_default_str();
    command->add_option("--index-type", options->index_type, "int32 or int64 (with double)")->capture_default_str();
    add_executor_options(*command, *options);
    add_measurement_options(*command, *options);
    command->callback([options, command, &exit_code] { exit_code = run_zoo(*command, *options); });
}

}  // namespace spruce::bench
