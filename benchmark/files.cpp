// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <spruce/base/mtx_io.hpp>
#include <spruce/base/timer.hpp>

#include "benchmark/commands.hpp"
#include "benchmark/errors.hpp"
#include "benchmark/executors.hpp"
#include "benchmark/matrix_source.hpp"
#include "benchmark/stopwatch.hpp"
#include "benchmark/table.hpp"

namespace spruce::bench {
namespace {

struct files_options {
    std::vector<std::string> families;
    std::vector<std::string> files;
    int repetitions{5};
};

/// Measures reading and writing of matrices as text and binary in memory, which excludes the cost
/// of the disk.
class files_benchmark {
public:
    explicit files_benchmark(const files_options& options)
        : options_{options}, exec_{create_executor("reference", 0)}, watch_{exec_}
    {}

    void measure(matrix_source& source)
    {
        source.open();
        const auto matrix = source.read<double, int32>(exec_);
        matrix_data<double, int32> data;
        matrix->write(data);
        this->measure(source.get_name(), data, "text", [](std::ostream& os, const auto& from) { write_raw(os, from); });
        this->measure(source.get_name(), data, "binary",
                      [](std::ostream& os, const auto& from) { write_binary_raw(os, from); });
        source.close();
        if (!source.get_faults().empty()) {
            std::cerr << source.get_faults() << '\n';
        }
    }

    void print(std::ostream& os) const { report_.print(os); }

private:
    template <typename Write>
    void measure(const std::string& name, const matrix_data<double, int32>& data, const std::string& format,
                 Write write)
    {
        std::ostringstream written;
        const auto writing = this->median_of([&] {
            written = std::ostringstream{};
            write(written, data);
        });
        const auto content = written.str();
        const auto reading = this->median_of([&] {
            std::istringstream is{content};
            read_generic_raw<double, int32>(is);
        });
        const auto megabytes = 1e-6 * static_cast<double>(content.size());
        report_.add_row({name, std::to_string(data.nonzeros.size()), format,
                         bytes_text(static_cast<double>(content.size())), to_text(megabytes / reading),
                         to_text(megabytes / writing)});
    }

    double median_of(const std::function<void()>& run)
    {
        std::vector<double> seconds;
        for (int i = 0; i < options_.repetitions; ++i) {
            seconds.push_back(watch_.measure(1, run));
        }
        return median(std::move(seconds));
    }

    const files_options& options_;
    std::shared_ptr<Executor> exec_;
    stopwatch watch_;
    table report_{{{"matrix", table::align::left},
                   {"nonzeros", table::align::right},
                   {"format", table::align::left},
                   {"size", table::align::right},
                   {"read MB/s", table::align::right},
                   {"written MB/s", table::align::right}}};
};

int run_files(const files_options& options)
{
    files_benchmark benchmark{options};
    for (auto& source : collect_sources(options.families, options.files, "files")) {
        benchmark.measure(source);
    }
    std::cout << "On one core, double/int32, median of " << options.repetitions << " repetitions\n\n";
    benchmark.print(std::cout);
    return exit_code::success;
}

}  // namespace

void add_files(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<files_options>();
    const auto command =
        program.add_subcommand("files", "measure how fast matrices are read and written as text and binary, in memory");
    command->add_option("--gen", options->families, "a generated matrix, FAMILY:PARAMETERS; may be repeated")
        ->allow_extra_args(false);
    command->add_option("--repetitions", options->repetitions, "measurements of each")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    command->add_option("file", options->files, "Matrix Market files, also compressed (.mtx.gz)");
    command->footer("example: spruce-bench files --gen poisson3d-7pt:64 benchmark/matrices/add20.mtx.gz");
    command->callback([options, &exit_code] { exit_code = run_files(*options); });
}

}  // namespace spruce::bench
