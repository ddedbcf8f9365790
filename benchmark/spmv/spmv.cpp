// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <iostream>
#include <memory>
#include <new>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "benchmark/commands.hpp"
#include "benchmark/errors.hpp"
#include "benchmark/executors.hpp"
#include "benchmark/interrupt.hpp"
#include "benchmark/json_file.hpp"
#include "benchmark/matrix_source.hpp"
#include "benchmark/progress.hpp"
#include "benchmark/spmv/formats.hpp"
#include "benchmark/spmv/measure.hpp"
#include "benchmark/spmv/report.hpp"
#include "benchmark/types.hpp"

namespace spruce::bench {
namespace {

/// Reads one matrix and measures all formats with it; it does not throw for a faulty matrix.
matrix_result measure_matrix(matrix_source& source, const std::vector<std::string>& formats,
                             const spmv_options& options, const std::shared_ptr<const Executor>& exec, progress& bar)
{
    matrix_result result;
    result.name = source.get_name();
    result.source = source.get_text();
    bar.set_label(result.name + ": reading");
    try {
        source.open();
        result.value_type = source.is_complex() ? complex_type_name(options.value_type) : options.value_type;
        result.skipped = missing_types(result.value_type, options.index_type);
        if (!result.skipped.empty()) {
            source.close();
            return result;
        }
        with_types(result.value_type, options.index_type, [&](auto types) {
            using V = typename decltype(types)::value_type;
            using I = typename decltype(types)::index_type;
            const std::shared_ptr<const matrix::Csr<V, I>> a = source.read<V, I>(exec->get_master());
            source.close();
            if (!source.get_faults().empty()) {
                bar.note(source.get_faults());
            }
            result.num_rows = a->get_size()[0];
            result.num_cols = a->get_size()[1];
            result.num_nonzeros = a->get_num_stored_elements();
            measure_formats<V, I>(formats, options, exec, a, bar, result);
        });
    } catch (const std::bad_alloc&) {
        result.failure = "out of memory";
    } catch (const std::exception& error) {
        result.failure = message_of(error);
    }
    source.close();
    return result;
}

/// Returns true if some format was measured and all results are correct, or if the matrix was
/// skipped.
bool was_served(const matrix_result& matrix)
{
    if (!matrix.skipped.empty()) {
        return true;
    }
    const auto is_wrong = [](const format_result& format) { return format.was_measured() && !format.is_correct(); };
    return matrix.winner() && std::none_of(matrix.formats.begin(), matrix.formats.end(), is_wrong);
}

std::vector<matrix_source> list_sources(const spmv_options& options)
{
    std::vector<matrix_source> sources;
    for (const auto& spec : options.families) {
        sources.push_back(matrix_source::family(spec));
    }
    for (const auto& path : options.files) {
        sources.push_back(matrix_source::file(path));
    }
    if (sources.empty()) {
        throw usage_error("no matrix is given: name files or use --gen (see spruce-bench spmv --help)");
    }
    return sources;
}

int run_spmv(const spmv_options& options)
{
    auto sources = list_sources(options);
    check_name("value type", options.value_type, value_type_names());
    check_name("index type", options.index_type, index_type_names());
    const auto missing = missing_types(options.value_type, options.index_type);
    if (!missing.empty()) {
        throw usage_error(missing);
    }
    check_name("executor", options.executor, executor_names());
    choose_formats(options.formats, backend::reference);  // reports unknown names before a device is opened
    const auto exec = create_executor(options.executor, options.device);
    const auto formats = choose_formats(options.formats, exec->get_backend());
    spmv_result result{describe_environment(exec), options, {}, false, {}};
    const auto save = [&] {
        if (!options.json_path.empty() && options.json_path != "-") {
            write_json(options.json_path, to_json(result));
        }
    };
    save();  // reports a path that cannot be written before the measurements
    catch_interrupts();

    const auto steps = steps_per_matrix(formats.size(), options.repetitions);
    {
        progress bar{steps * sources.size()};
        bar.set_label("copy bandwidth");
        try {
            result.copy = measure_copy(exec, options.repetitions);
        } catch (const std::exception& error) {
            bar.note("the copy bandwidth could not be measured: " + message_of(error));
        }
        for (auto& source : sources) {
            if (was_interrupted()) {
                break;
            }
            result.matrices.push_back(measure_matrix(source, formats, options, exec, bar));
            const auto& matrix = result.matrices.back();
            if (!matrix.failure.empty()) {
                bar.note(matrix.source + " failed: " + matrix.failure);
            }
            if (!matrix.skipped.empty()) {
                bar.note(matrix.source + " skipped: " + matrix.skipped);
            }
            bar.advance_to(steps * result.matrices.size());
            result.was_interrupted = was_interrupted();
            save();
        }
    }
    result.was_interrupted = was_interrupted();
    save();

    // If JSON is written to standard output, the table must not be mixed into it.
    print_report(options.json_path == "-" ? std::cerr : std::cout, result);
    if (options.json_path == "-") {
        write_json("-", to_json(result));
    }
    if (result.was_interrupted) {
        return exit_code::interrupted;
    }
    return std::all_of(result.matrices.begin(), result.matrices.end(), was_served) ? exit_code::success
                                                                                   : exit_code::something_failed;
}

std::string footer()
{
    std::string text = "Formats (--formats; 'all' for all that the executor has; *: measured by default):\n";
    for (const auto& format : formats()) {
        text += (format.is_default ? "* " : "  ") + format.name +
                std::string(20 - std::min<std::size_t>(format.name.size(), 19), ' ') + format.description + '\n';
    }
    text += "\nFamilies (--gen FAMILY:PARAMETERS):\n";
    for (const auto& family : families()) {
        text += std::string("  ") + family.name + ':' + family.parameters + "\n      " + family.description + '\n';
    }
    return text + R"(
Columns: time of one product (median of the repetitions; min: the fastest), GFLOP/s (2 operations for each nonzero and
right-hand side, 8 if complex), GB/s (the fewest bytes that a product must move: the matrix once, b and x once),
their fraction of the copy bandwidth measured in the same run, storage of the matrix, error (the largest |x - x_ref|
relative to sum |a||b| of its row, against the reference). Complex matrices are measured in the complex type of the
precision asked for.

Examples:
  spruce-bench spmv benchmark/matrices/*.mtx.gz
  spruce-bench spmv --gen poisson3d-7pt:160 --gen rmat:20,16 --formats csr,coo,eigen-csr
  spruce-bench spmv --executor cuda --formats all --gen poisson3d-27pt:128 --json result.json
  spruce-bench spmv --executor omp --value-type float --index-type int64 --nrhs 4 matrix.mtx
)";
}

}  // namespace

void add_spmv(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<spmv_options>();
    const auto command = program.add_subcommand("spmv", "measure the product of sparse matrices with vectors");
    command->add_option("files", options->files, "matrix files: Matrix Market or binary, also compressed by gzip");
    command->add_option("--gen", options->families, "a generated matrix, FAMILY:PARAMETERS; may be repeated")
        ->allow_extra_args(false);
    command->add_option("--executor", options->executor, "reference, omp, cuda or hip")->capture_default_str();
    command->add_option("--device", options->device, "which GPU")->capture_default_str()->check(CLI::NonNegativeNumber);
    command->add_option("--formats", options->formats, "formats, separated by commas (default: those with a * below)")
        ->delimiter(',')
        ->allow_extra_args(false);
    command->add_option("--value-type", options->value_type, "float, double, cfloat or cdouble")->capture_default_str();
    command->add_option("--index-type", options->index_type, "int32 or int64")->capture_default_str();
    command->add_option("--nrhs", options->num_rhs, "right-hand sides")
        ->capture_default_str()
        ->check(CLI::Range(1, 4096));
    command->add_option("--warmup", options->warmup, "products before the clock runs")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
    command->add_option("--repetitions", options->repetitions, "measurements of each format")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    command->add_option("--json", options->json_path, "write all facts to this file (- for standard output)");
    command->footer(footer);
    command->callback([options, &exit_code] { exit_code = run_spmv(*options); });
}

}  // namespace spruce::bench
