// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <sstream>
#include <string>

#include <CLI/CLI.hpp>

#include <spruce/base/mtx_io.hpp>

#include "benchmark/benchmark_run.hpp"
#include "benchmark/commands.hpp"

namespace spruce::bench {
namespace {

using data_type = matrix_data<double, int32>;
using writer = std::function<void(std::ostream&, const data_type&)>;

/// Returns the largest difference between the entries of two matrices, relative to the entry. It is
/// infinite if they have different entries.
accuracy compare(const data_type& read, const data_type& written)
{
    constexpr auto bound = 2 * std::numeric_limits<double>::epsilon();
    const auto have_equal_places = [](const auto& a, const auto& b) { return a.row == b.row && a.column == b.column; };
    if (read.size != written.size || !std::equal(read.nonzeros.begin(), read.nonzeros.end(), written.nonzeros.begin(),
                                                 written.nonzeros.end(), have_equal_places)) {
        return {std::numeric_limits<double>::infinity(), bound};
    }
    double worst{};
    for (size_type i = 0; i < read.nonzeros.size(); ++i) {
        const auto difference = std::abs(read.nonzeros[i].value - written.nonzeros[i].value);
        worst = std::max(worst, difference == 0 ? 0 : difference / std::abs(written.nonzeros[i].value));
    }
    return {worst, bound};
}

/// Holds a matrix, its content as a file in memory, and what was read of it.
struct file_content {
    data_type data;
    std::string text;
    data_type read;
};

/// Measures writing and reading of a matrix in one format in memory, which excludes the cost of the
/// disk.
void measure_format(benchmark_run& run, const std::string& name, matrix_input<double, int32>& input,
                    const std::string& format, const writer& write)
{
    const auto content = std::make_shared<file_content>();
    const auto write_text = [=] {
        std::ostringstream os;
        write(os, content->data);
        content->text = os.str();
    };
    const auto create = [&](const std::function<void()>& call) {
        if (content->text.empty()) {
            input.on_host()->write(content->data);
            write_text();
        }
        timed_operation op;
        op.call = call;
        op.bytes = static_cast<double>(content->text.size());
        return op;
    };
    const auto identity = [&](const std::string& operation) {
        auto result = matrix_case(operation, name);
        result["format"] = format;
        return result;
    };
    const auto read = [=] {
        std::istringstream is{content->text};
        content->read = read_generic_raw<double, int32>(is);
    };
    run.measure({{identity("write"), [&] { return create(write_text); }}});
    run.measure({{identity("read"), [&] {
                      auto op = create(read);
                      op.check = [=] { return compare(content->read, content->data); };
                      return op;
                  }}});
}

int run_files(const CLI::App& command, const matrix_run_options& options)
{
    auto sources = collect_sources(options, "files");
    benchmark_run run{command, options, {sources.size(), 4}, false};
    run.measure_each(sources, [&](matrix_source& source) {
        matrix_input<double, int32> input{run, source};
        measure_format(run, source.get_name(), input, "text",
                       [](std::ostream& os, const data_type& data) { write_raw(os, data); });
        measure_format(run, source.get_name(), input, "binary",
                       [](std::ostream& os, const data_type& data) { write_binary_raw(os, data); });
    });
    return run.finish({});
}

}  // namespace

void add_files(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<matrix_run_options>();
    options->executor = "reference";  // on one core
    const auto command =
        program.add_subcommand("files", "measure how fast matrices are read and written as text and binary, in memory");
    add_matrix_options(*command, *options);
    add_measurement_options(*command, *options);
    command->footer("example: spruce-bench files --gen poisson3d-7pt:64 benchmark/matrices/add20.mtx.gz");
    command->callback([options, command, &exit_code] { exit_code = run_files(*command, *options); });
}

}  // namespace spruce::bench
