// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>

#include <spruce/log/logger.hpp>
#include <spruce/matrix/csr.hpp>

#include "benchmark/commands.hpp"
#include "benchmark/executors.hpp"
#include "benchmark/json_file.hpp"
#include "benchmark/run_options.hpp"
#include "benchmark/spgemm/vendor_spgemm.hpp"
#include "benchmark/stopwatch.hpp"

namespace spruce::bench {
namespace {

using csr_matrix = matrix::Csr<double, int32>;

/// Records the peak of the memory that is allocated on an executor after this logger was added.
class peak_memory : public log::Logger {
public:
    peak_memory() : Logger{allocation_completed_mask | free_completed_mask} {}

    size_type get_peak() const { return peak_; }

    void on_allocation_completed(const Executor*, const size_type& num_bytes, const uintptr& location) const override
    {
        sizes_[location] = num_bytes;
        now_ += num_bytes;
        peak_ = std::max(peak_, now_);
    }
    void on_free_completed(const Executor*, const uintptr& location) const override
    {
        const auto found = sizes_.find(location);
        if (found != sizes_.end()) {
            now_ -= found->second;
            sizes_.erase(found);
        }
    }

private:
    mutable std::map<uintptr, size_type> sizes_;
    mutable size_type now_{};
    mutable size_type peak_{};
};

struct measurement {
    double seconds{};
    double num_entries{};
    double result_bytes{};
    double workspace_bytes{};  ///< peak without the result
};

template <typename Multiply>
measurement measure(const std::shared_ptr<Executor>& exec, int repetitions, Multiply multiply)
{
    measurement result;
    const auto memory = std::make_shared<peak_memory>();
    exec->add_logger(memory);
    const auto first = multiply();
    exec->remove_logger(memory);
    result.num_entries = static_cast<double>(first->get_num_stored_elements());
    result.result_bytes = result.num_entries * (sizeof(double) + sizeof(int32)) +
                          static_cast<double>(first->get_size()[0] + 1) * sizeof(int32);
    result.workspace_bytes = std::max(0.0, static_cast<double>(memory->get_peak()) - result.result_bytes);
    stopwatch watch{exec};
    std::vector<double> seconds;
    for (int i = 0; i < repetitions; ++i) {
        seconds.push_back(watch.measure(1, multiply));
    }
    result.seconds = median(seconds);
    return result;
}

int run_spgemm(const matrix_run_options& options)
{
    auto sources = collect_sources(options.families, options.files, "spgemm");
    const auto exec = create_executor(options.executor, options.device);
    const auto where = describe_environment(exec);
    using align = table::align;
    table report{{{"matrix", align::left},
                  {"by", align::left},
                  {"time", align::right},
                  {"GFLOP/s", align::right},
                  {"entries", align::right},
                  {"workspace / result", align::right}}};
    auto document = start_document(where);
    const auto status = measure_each(sources, report, [&](matrix_source& source) {
        source.open();
        const auto host = source.read<double, int32>(exec->get_master());
        source.close();
        const auto a = clone(exec, host.get());
        // Each entry in column k costs a multiplication and an addition for each entry of row k.
        double operations{};
        for (size_type nz = 0; nz < host->get_num_stored_elements(); ++nz) {
            const auto row = host->get_const_row_ptrs() + host->get_const_col_idxs()[nz];
            operations += 2.0 * static_cast<double>(row[1] - row[0]);
        }
        auto name = source.get_name();
        const auto add = [&](const std::string& by, const measurement& result) {
            report.add_row({name, by, time_text(result.seconds), to_text(1e-9 * operations / result.seconds),
                            to_text(result.num_entries), to_text(result.workspace_bytes / result.result_bytes, 3)});
            document["results"].push_back({{"matrix", source.get_name()},
                                           {"by", by},
                                           {"seconds", result.seconds},
                                           {"operations", operations},
                                           {"entries", result.num_entries},
                                           {"result_bytes", result.result_bytes},
                                           {"workspace_bytes", result.workspace_bytes}});
            name.clear();
        };
        add("Csr::multiply", measure(exec, options.repetitions, [&] { return a->multiply(a); }));
        auto [product, reuse] = a->multiply_reuse(a);
        add("with its structure", measure(exec, options.repetitions, [&, &plan = reuse, &result = product] {
                plan.update_values(a, a, result);
                return result.get();
            }));
        if (multiply_by_vendor(*a, *a)) {
            add("cuSPARSE", measure(exec, options.repetitions, [&] { return multiply_by_vendor(*a, *a); }));
        }
    });
    std::cout << where.device << ", double/int32, A A for each matrix A\n\n";
    report.print(std::cout);
    if (!options.json.empty()) {
        write_json(options.json, document);
    }
    return status;
}

}  // namespace

void add_spgemm(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<matrix_run_options>();
    const auto command =
        program.add_subcommand("spgemm", "measure products of sparse matrices, their time and workspace");
    add_matrix_run_options(*command, *options);
    command->callback([options, &exit_code] { exit_code = run_spgemm(*options); });
}

}  // namespace spruce::bench
