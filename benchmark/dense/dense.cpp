// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/dense_blas.hpp>

#include "benchmark/commands.hpp"
#include "benchmark/copy_bandwidth.hpp"
#include "benchmark/dense/cublas.hpp"
#include "benchmark/executors.hpp"
#include "benchmark/json_file.hpp"
#include "benchmark/run_options.hpp"
#include "benchmark/stopwatch.hpp"
#include "benchmark/types.hpp"

namespace spruce::bench {
namespace {

/// Describes an operation by its name, the number of its sizes and its formula.
struct operation {
    const char* name;
    std::size_t num_sizes;
    const char* formula;
};
constexpr operation operations[]{{"apply", 3, "Dense::apply: m x n times n x k"},
                                 {"gemm-own", 3, "the same by Spruce's kernels"},
                                 {"gemm-vendor", 3, "the same by the vendor's library"},
                                 {"symv", 1, "a symmetric n x n matrix times a vector"},
                                 {"symm", 2, "a symmetric n x n matrix times n x k"},
                                 {"syrk", 2, "a triangle of a a^T for a of n x k"},
                                 {"syr2k", 2, "a triangle of a b^T + b a^T for a and b of n x k"},
                                 {"trmm", 2, "a triangular n x n matrix times n x k, in place"}};

/// Specifies an operation and its sizes.
struct task {
    const operation* what;
    std::array<size_type, 3> size;
};

struct dense_options : run_options {
    std::vector<std::string> tasks{"1024x1024x1",    "4096x4096x1",     "16384x16384x1", "symv:16384",
                                   "4x4000000x1",    "64x262144x1",     "1000000x4x1",   "1000000x16x1",
                                   "1000000x16x4",   "256x256x256",     "512x512x512",   "1024x1024x1024",
                                   "2048x2048x2048", "4096x4096x4096",  "4096x64x4096",  "symm:4096x4096",
                                   "syrk:4096x4096", "syr2k:4096x4096", "trmm:4096x4096"};
    std::string value_type{"double"};
};

/// Parses a task such as "symv:4096", "trmm:4096x512", or "4096x4096x1" for a general product.
task parse_task(const std::string& text)
{
    const auto colon = text.find(':');
    const auto name = colon == std::string::npos ? "apply" : text.substr(0, colon);
    std::vector<std::string> names;
    task result{};
    for (const auto& one : operations) {
        names.emplace_back(one.name);
        result.what = name == one.name ? &one : result.what;
    }
    check_name("operation", name, names);
    auto begin = colon == std::string::npos ? 0 : colon + 1;
    for (std::size_t i = 0; i < result.what->num_sizes; ++i) {
        const auto is_last = i + 1 == result.what->num_sizes;
        const auto end = is_last ? text.size() : std::min(text.find('x', begin), text.size());
        const auto digits = text.substr(begin, end - begin);
        if (digits.empty() || digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos ||
            std::stoul(digits) == 0) {
            throw usage_error("the sizes in '" + text + "' are not " + std::to_string(result.what->num_sizes) +
                              " numbers like 4096x512, none of them 0: " + result.what->formula);
        }
        result.size[i] = std::stoul(digits);
        begin = std::min(end + 1, text.size());
    }
    return result;
}

double as_double(size_type size) { return static_cast<double>(size); }

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
    double vendor_seconds{};  ///< 0 without a vendor's library
    double bytes{};           ///< minimum: operands are read once, and the result is written
    double operations{};      ///< real additions and multiplications
};

template <typename V>
dense_result measure(const task& mine, const dense_options& options, const std::shared_ptr<const Executor>& exec,
                     vendor_blas* vendor)
{
    using dense = matrix::Dense<V>;
    const auto create = [&](size_type rows, size_type cols, V value) {
        auto result = dense::create(exec, dim<2>{rows, cols});
        result->fill(value);
        return result;
    };
    dense_result result;
    const auto run = [&](double entries, double operations, auto function, auto vendor_function) {
        result.bytes = entries * sizeof(V);
        result.operations = (is_complex<V>() ? 4.0 : 1.0) * operations;
        result.seconds = median_time(exec, options.repetitions, function);
        if constexpr (!is_complex<V>()) {
            if (vendor) {
                result.vendor_seconds = median_time(exec, options.repetitions, [&] { vendor_function(*vendor); });
            }
        }
    };
    constexpr auto lower = blas::triangle::lower;
    constexpr auto left = blas::side::left;
    constexpr auto as_is = blas::transposition::none;
    const auto alpha = create(1, 1, one<V>());
    const auto beta = create(1, 1, zero<V>());
    const std::string name = mine.what->name;
    if (mine.what->num_sizes == 3) {
        const auto [m, n, k] = mine.size;
        const auto a = create(m, n, V(0.5));
        const auto b = create(n, k, V(0.25));
        const auto c = create(m, k, V{});
        const auto which = name == "gemm-own" ? blas::implementation::own : blas::implementation::vendor;
        run(
            as_double(m * n + n * k + m * k), 2 * as_double(m) * as_double(n) * as_double(k),
            [&] {
                if (name == "apply") {
                    a->apply(b, c);
                } else {
                    blas::gemm(as_is, as_is, alpha, a, b, beta, c, which);
                }
            },
            [&](auto& library) { library.multiply(*a, *b, *c); });
        return result;
    }
    const auto n = mine.size[0];
    const auto k = name == "symv" ? 1 : mine.size[1];
    const auto triangle = as_double(n) * as_double(n + 1) / 2;
    const auto thin = as_double(n) * as_double(k);
    // The in-place product uses zeros and a unit diagonal, so that repetitions do not change b.
    const auto a = name == "syrk" || name == "syr2k" ? create(n, k, V(0.5)) : create(n, n, V(name == "trmm" ? 0 : 0.5));
    const auto b = create(n, k, V(0.25));
    if (name == "symv") {
        const auto y = create(n, 1, V{});
        run(
            triangle + 2 * thin, 4 * triangle, [&] { blas::symv(lower, alpha, a, b, beta, y); },
            [&](auto& library) { library.symv(*a, *b, *y); });
    } else if (name == "symm") {
        const auto c = create(n, k, V{});
        run(
            triangle + 2 * thin, 2 * as_double(n) * thin, [&] { blas::symm(left, lower, alpha, a, b, beta, c); },
            [&](auto& library) { library.symm(*a, *b, *c); });
    } else if (name == "trmm") {
        run(
            triangle + 2 * thin, as_double(n) * thin,
            [&] { blas::trmm(left, lower, as_is, blas::diagonal::unit, alpha, a, b); },
            [&](auto& library) { library.trmm(*a, *b); });
    } else {
        const auto c = create(n, n, V{});
        if (name == "syrk") {
            run(
                triangle + thin, 2 * triangle * as_double(k), [&] { blas::syrk(lower, as_is, alpha, a, beta, c); },
                [&](auto& library) { library.syrk(*a, *c); });
        } else {
            run(
                triangle + 2 * thin, 4 * triangle * as_double(k),
                [&] { blas::syr2k(lower, as_is, alpha, a, b, beta, c); },
                [&](auto& library) { library.syr2k(*a, *b, *c); });
        }
    }
    return result;
}

int run_dense(const dense_options& options)
{
    std::vector<task> tasks;
    for (const auto& text : options.tasks) {
        tasks.push_back(parse_task(text));
    }
    const auto exec = create_executor(options.executor, options.device);
    const auto where = describe_environment(exec);
    const auto vendor = create_vendor_blas(exec);
    using align = table::align;
    table report{{{"operation", align::left},
                  {"time", align::right},
                  {"GB/s", align::right},
                  {"of copy", align::right},
                  {"GFLOP/s", align::right},
                  {"vendor", align::right},
                  {"vendor / ours", align::right}}};
    auto document = start_document(where);
    document["value_type"] = options.value_type;
    auto status = exit_code::success;
    const auto copy = measure_copy(exec, options.repetitions);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        try {
            const auto one = with_types(options.value_type, "int32", [&](auto types) {
                return measure<typename decltype(types)::value_type>(tasks[i], options, exec, vendor.get());
            });
            const auto bandwidth = one.bytes / one.seconds;
            const auto has_vendor = one.vendor_seconds > 0;
            report.add_row({options.tasks[i], time_text(one.seconds), to_text(1e-9 * bandwidth),
                            to_text(100 * bandwidth / copy.bytes_per_second, 3) + " %",
                            to_text(1e-9 * one.operations / one.seconds),
                            has_vendor ? time_text(one.vendor_seconds) : "-",
                            has_vendor ? to_text(one.vendor_seconds / one.seconds, 3) : "-"});
            const auto& size = tasks[i].size;
            document["results"].push_back(
                {{"operation", tasks[i].what->name},
                 {"size", std::vector<size_type>(size.begin(), size.begin() + tasks[i].what->num_sizes)},
                 {"seconds", one.seconds},
                 {"vendor_seconds", one.vendor_seconds},
                 {"bytes", one.bytes},
                 {"operations", one.operations},
                 {"copy_bytes_per_second", copy.bytes_per_second}});
        } catch (const std::exception& error) {
            report.add_row({options.tasks[i], message_of(error)});
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
    std::string description{"operation:sizes, or just sizes for apply"};
    for (const auto& one : operations) {
        description += std::string("; ") + one.name + ": " + one.formula;
    }
    const auto command = program.add_subcommand("dense", "measure products of dense matrices and vectors");
    command->add_option("tasks", options->tasks, description);
    command->add_option("--value-type", options->value_type, "float, double, cfloat or cdouble")->capture_default_str();
    add_run_options(*command, *options);
    command->callback([options, &exit_code] { exit_code = run_dense(*options); });
}

}  // namespace spruce::bench
