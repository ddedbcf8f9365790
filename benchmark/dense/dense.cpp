// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <array>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <spruce/matrix/dense.hpp>

#include "benchmark/commands.hpp"
#include "benchmark/copy_bandwidth.hpp"
#include "benchmark/dense/cublas.hpp"
#include "benchmark/environment.hpp"
#include "benchmark/executors.hpp"
#include "benchmark/json_file.hpp"
#include "benchmark/stopwatch.hpp"
#include "benchmark/table.hpp"
#include "benchmark/types.hpp"
#include "benchmark/usage.hpp"

namespace spruce::bench {
namespace {

/// An m x n matrix times an n x k one.
using product_size = std::array<size_type, 3>;

struct dense_options {
    std::vector<std::string> sizes{"1024x1024x1",    "4096x4096x1",    "16384x16384x1",  "1000000x16x1",
                                   "64x262144x1",    "1000000x16x4",   "256x256x256",    "512x512x512",
                                   "1024x1024x1024", "2048x2048x2048", "4096x4096x4096", "4096x64x4096"};
    std::string executor{"omp"};
    int device{};
    std::string value_type{"double"};
    int repetitions{5};
    std::string json;
};

product_size parse_size(const std::string& text)
{
    product_size size{};
    std::size_t begin = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const auto end = i < 2 ? text.find('x', begin) : text.size();
        const auto digits = end == std::string::npos ? std::string{} : text.substr(begin, end - begin);
        if (digits.empty() || digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos ||
            std::stoul(digits) == 0) {
            throw usage_error("the size '" + text +
                              "' is not like 4096x4096x1: rows x depth x columns, none of them 0");
        }
        size[i] = std::stoul(digits);
        begin = end + 1;
    }
    return size;
}

template <typename Function>
double median_time(const std::shared_ptr<const Executor>& exec, int repetitions, Function function)
{
    stopwatch watch{exec};
    const auto num_calls = watch.calls_per_measurement(function);
    std::vector<double> times;
    for (int repetition = 0; repetition < repetitions; ++repetition) {
        times.push_back(watch.measure(num_calls, function));
    }
    return median(times);
}

struct dense_result {
    double seconds{};
    double vendor_seconds{};  ///< 0 where there is no vendor
    double bytes{};           ///< the fewest: operands once, and the result
    double operations{};      ///< real additions and multiplications
};

template <typename V>
dense_result measure_product(const product_size& size, const dense_options& options,
                             const std::shared_ptr<const Executor>& exec, vendor_blas* vendor)
{
    using dense = matrix::Dense<V>;
    const auto [m, n, k] = size;
    const auto a = dense::create(exec, dim<2>{m, n});
    const auto b = dense::create(exec, dim<2>{n, k});
    const auto c = dense::create(exec, dim<2>{m, k});
    a->fill(V(0.5));
    b->fill(V(0.25));
    dense_result result;
    const auto entries = static_cast<double>(m * n + n * k + m * k);
    result.bytes = entries * sizeof(V);
    result.operations =
        (is_complex<V>() ? 8.0 : 2.0) * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    result.seconds = median_time(exec, options.repetitions, [&] { a->apply(b, c); });
    if constexpr (!is_complex<V>()) {
        if (vendor) {
            result.vendor_seconds = median_time(exec, options.repetitions, [&] { vendor->multiply(*a, *b, *c); });
        }
    }
    return result;
}

int run_dense(const dense_options& options)
{
    std::vector<product_size> sizes;
    for (const auto& text : options.sizes) {
        sizes.push_back(parse_size(text));
    }
    const auto exec = create_executor(options.executor, options.device);
    const auto where = describe_environment(exec);
    const auto vendor = create_vendor_blas(exec);
    using align = table::align;
    table report{{{"rows x depth x columns", align::left},
                  {"time", align::right},
                  {"GB/s", align::right},
                  {"of copy", align::right},
                  {"GFLOP/s", align::right},
                  {"vendor", align::right},
                  {"vendor / ours", align::right}}};
    nlohmann::ordered_json document{
        {"version", where.version}, {"compiler", where.compiler},       {"executor", where.executor},
        {"device", where.device},   {"processor", where.processor},     {"threads", where.num_threads},
        {"date", where.date},       {"value_type", options.value_type}, {"results", nlohmann::ordered_json::array()}};
    auto status = exit_code::success;
    const auto copy = measure_copy(exec, options.repetitions);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        try {
            const auto one = with_types(options.value_type, "int32", [&](auto types) {
                return measure_product<typename decltype(types)::value_type>(sizes[i], options, exec, vendor.get());
            });
            const auto bandwidth = one.bytes / one.seconds;
            const auto has_vendor = one.vendor_seconds > 0;
            report.add_row({options.sizes[i], time_text(one.seconds), to_text(1e-9 * bandwidth),
                            to_text(100 * bandwidth / copy.bytes_per_second, 3) + " %",
                            to_text(1e-9 * one.operations / one.seconds),
                            has_vendor ? time_text(one.vendor_seconds) : "-",
                            has_vendor ? to_text(one.vendor_seconds / one.seconds, 3) : "-"});
            document["results"].push_back({{"size", sizes[i]},
                                           {"seconds", one.seconds},
                                           {"vendor_seconds", one.vendor_seconds},
                                           {"bytes", one.bytes},
                                           {"operations", one.operations},
                                           {"copy_bytes_per_second", copy.bytes_per_second}});
        } catch (const std::exception& error) {
            report.add_row({options.sizes[i], message_of(error)});
            status = exit_code::something_failed;
        }
    }
    std::cout << where.device << ", " << options.value_type << "; GB/s: operands and result once; copy "
              << to_text(1e-9 * copy.bytes_per_second) << " GB/s\n\n";
    report.print(std::cout);
    if (!options.json.empty()) {
        write_json(options.json, document);
    }
    return status;
}

}  // namespace

void add_dense(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<dense_options>();
    const auto command = program.add_subcommand("dense", "measure products of dense matrices and vectors");
    command->add_option("sizes", options->sizes, "rows x depth x columns, like 4096x4096x1 for a matrix and a vector");
    command->add_option("--executor", options->executor, "reference, omp, cuda or hip")->capture_default_str();
    command->add_option("--device", options->device, "which GPU")->capture_default_str()->check(CLI::NonNegativeNumber);
    command->add_option("--value-type", options->value_type, "float, double, cfloat or cdouble")->capture_default_str();
    command->add_option("--repetitions", options->repetitions, "measurements")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    command->add_option("--json", options->json, "write all facts to this file (- for standard output)");
    command->callback([options, &exit_code] { exit_code = run_dense(*options); });
}

}  // namespace spruce::bench
