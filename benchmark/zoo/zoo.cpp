// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "benchmark/commands.hpp"
#include "benchmark/copy_bandwidth.hpp"
#include "benchmark/executors.hpp"
#include "benchmark/interrupt.hpp"
#include "benchmark/json_file.hpp"
#include "benchmark/progress.hpp"
#include "benchmark/run_options.hpp"
#include "benchmark/stopwatch.hpp"
#include "benchmark/zoo/operations.hpp"

namespace spruce::bench {
namespace {

struct zoo_options : run_options {
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

/// Contains the result of one operation on one matrix.
struct zoo_result {
    std::string structure;
    std::string operation;
    double seconds{};
    double bytes{};
    double ratio{};      ///< of the time to the shortest possible
    std::string reason;  ///< why there is no time
};

/// Returns the time of run() in seconds: the first one if it exceeds very_slow, the smaller of two
/// if the second exceeds slow, and otherwise the median of the repetitions.
double measure_operation(const zoo::operation& op, const std::shared_ptr<const Executor>& exec, int repetitions)
{
    constexpr double slow = 0.05;
    constexpr double very_slow = 0.5;
    stopwatch watch{exec};
    const auto once = [&] {
        if (op.prepare) {
            op.prepare();
        }
        return watch.measure(1, op.run);
    };
    const auto first = once();
    if (first > very_slow) {
        return first;
    }
    const auto second = once();
    if (second > slow) {
        return std::min(first, second);
    }
    std::vector<double> times;
    const auto num_calls = op.prepare ? int64{1} : watch.calls_per_measurement(op.run);
    for (int i = 0; i < repetitions; ++i) {
        times.push_back(op.prepare ? once() : watch.measure(num_calls, op.run));
    }
    return median(times);
}

/// Returns the time of an operation that moves almost no bytes.
double measure_call(const std::shared_ptr<const Executor>& exec, int repetitions)
{
    const auto x = zoo::filled<double>(exec, 1, 1);
    return measure_operation({"", 0, [=] { x->fill(1.0); }, {}}, exec, repetitions);
}

/// Holds what determines the shortest time of an operation.
struct bounds {
    double copy_bytes_per_second;
    double seconds_of_call;

    double seconds(double bytes) const { return seconds_of_call + bytes / copy_bytes_per_second; }
};

/// Measures operations and collects their results.
class zoo_benchmark {
public:
    zoo_benchmark(const zoo_options& options, std::shared_ptr<const Executor> exec, const bounds& least)
        : options_{options}, exec_{exec}, least_{least}
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
        std::shared_ptr<matrix::Csr<V, I>> a = clone(exec_, source.read<V, I>(exec_->get_master()));
        source.close();
        a->set_strategy(matrix::Csr<V, I>::create(exec_)->get_strategy());  // that of the host does not suit devices
        if (which.is_transposed) {
            a = as<matrix::Csr<V, I>>(share(a->transpose()));
        }
        zoo::visit_products<V, I>(a, visit);
        zoo::visit_formats<V, I>(a, visit);
        zoo::visit_algebra<V, I>(a, visit);
    }

    void add_failure(const std::string& structure_name, const std::string& reason)
    {
        results_.push_back({structure_name, "all", 0, 0, 0, reason});
    }

    /// Returns the results. The largest ratios come first, and operations without a time last.
    std::vector<zoo_result> sorted_results() const
    {
        auto result = results_;
        std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.ratio > b.ratio; });
        return result;
    }

private:
    zoo::visitor visitor_of(const std::string& name)
    {
        return {[this](const std::string& operation) {
                    return !was_interrupted() &&
                           (options_.operations.empty() || operation.find(options_.operations) != std::string::npos);
                },
                [this, name](const zoo::operation& op) {
                    const auto seconds = measure_operation(op, exec_, options_.repetitions);
                    results_.push_back({name, op.name, seconds, op.bytes, seconds / least_.seconds(op.bytes), ""});
                },
                [this, name](const std::string& operation, const std::string& reason) {
                    results_.push_back({name, operation, 0, 0, 0, reason});
                }};
    }

    const zoo_options& options_;
    std::shared_ptr<const Executor> exec_;
    bounds least_;
    std::vector<zoo_result> results_;
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

void print_results(const std::vector<zoo_result>& results, int num_shown)
{
    using align = table::align;
    table report{{{"structure", align::left},
                  {"operation", align::left},
                  {"time", align::right},
                  {"least bytes", align::right},
                  {"time / least", align::right}}};
    for (const auto& one : results) {
        if (num_shown-- <= 0 || !one.reason.empty()) {
            break;
        }
        report.add_row(
            {one.structure, one.operation, time_text(one.seconds), bytes_text(one.bytes), to_text(one.ratio, 3)});
    }
    report.print(std::cout);
}

int run_zoo(const zoo_options& options)
{
    const auto missing = missing_types(options.value_type, options.index_type);
    if (!missing.empty()) {
        throw usage_error(missing);
    }
    const auto structures = requested_structures(options);
    catch_interrupts();
    const auto exec = create_executor(options.executor, options.device);
    const auto where = describe_environment(exec);
    const bounds least{measure_copy(exec, 10).bytes_per_second, measure_call(exec, options.repetitions)};
    zoo_benchmark benchmark{options, exec, least};
    auto status = exit_code::success;
    with_zoo_types(options.value_type, options.index_type, [&](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        progress bar{structures.size()};
        for (const auto& one : structures) {
            bar.set_label(one.name);
            try {
                benchmark.template measure<V, I>(one);
            } catch (const std::exception& error) {
                benchmark.add_failure(one.name, message_of(error));
                status = exit_code::something_failed;
            }
            bar.advance();
        }
    });
    const auto results = benchmark.sorted_results();
    std::cout << where.device << ", " << options.value_type << '/' << options.index_type << ", about "
              << to_text(options.entries) << " entries, copy " << to_text(least.copy_bytes_per_second / 1e9)
              << " GB/s, a call " << time_text(least.seconds_of_call) << "\n\n";
    print_results(results, options.worst);
    if (!options.json.empty()) {
        auto document = start_document(where);
        document["value_type"] = options.value_type;
        document["index_type"] = options.index_type;
        document["entries"] = options.entries;
        document["copy_bytes_per_second"] = least.copy_bytes_per_second;
        document["seconds_of_call"] = least.seconds_of_call;
        for (const auto& one : results) {
            if (one.reason.empty()) {
                document["results"].push_back({{"structure", one.structure},
                                               {"operation", one.operation},
                                               {"seconds", one.seconds},
                                               {"least_bytes", one.bytes},
                                               {"time_over_least", one.ratio}});
            } else {
                document["results"].push_back(
                    {{"structure", one.structure}, {"operation", one.operation}, {"not_measured", one.reason}});
            }
        }
        write_json(options.json, document);
    }
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
    command->add_option("--structures", options->structures, "only these, such as arrow,r-mat,dense")->delimiter(',');
    command->add_option("--operations", options->operations, "only operations whose name contains this text");
    command->add_option("--worst", options->worst, "how many results are printed; --json has all")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
    command->add_option("--value-type", options->value_type, "double, float or cdouble")->capture_default_str();
    command->add_option("--index-type", options->index_type, "int32 or int64 (with double)")->capture_default_str();
    add_run_options(*command, *options);
    command->callback([options, &exit_code] { exit_code = run_zoo(*options); });
}

}  // namespace spruce::bench
