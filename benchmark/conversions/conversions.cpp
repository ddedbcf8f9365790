// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <iostream>
#include <memory>
#include <random>

#include <CLI/CLI.hpp>

#include <spruce/base/device_matrix_data.hpp>
#include <spruce/matrix/coo.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/ell.hpp>
#include <spruce/matrix/fbcsr.hpp>
#include <spruce/matrix/hybrid.hpp>
#include <spruce/matrix/sellp.hpp>
#include <spruce/matrix/sparsity_csr.hpp>

#include "benchmark/commands.hpp"
#include "benchmark/conversions/vendor_sort.hpp"
#include "benchmark/executors.hpp"
#include "benchmark/json_file.hpp"
#include "benchmark/run_options.hpp"
#include "benchmark/stopwatch.hpp"
#include "common/numeric/radix_digits.hpp"

namespace spruce::bench {
namespace {

using V = double;
using I = int32;
using csr_matrix = matrix::Csr<V, I>;
using triples = device_matrix_data<V, I>;

struct conversion_options : matrix_run_options {
    double max_dense_bytes{4e9};
};

struct operation_time {
    std::string operation;
    double seconds;
};

/// Measures all operations with one matrix.
class conversion_benchmark {
public:
    conversion_benchmark(std::unique_ptr<csr_matrix> host_csr, std::shared_ptr<const Executor> exec,
                         const conversion_options& options)
        : host_csr_{std::move(host_csr)},
          csr_{clone(exec, host_csr_.get())},
          exec_{exec},
          options_{options},
          watch_{exec}
    {
        csr_->set_strategy(csr_matrix::create(exec)->get_strategy());  // the host's strategy does not suit devices
    }

    const csr_matrix& get_csr() const { return *csr_; }
    const std::vector<operation_time>& get_times() const { return times_; }

    double measure_spmv()
    {
        const auto b = matrix::Dense<V>::create(exec_, dim<2>{csr_->get_size()[1], 1});
        const auto x = matrix::Dense<V>::create(exec_, dim<2>{csr_->get_size()[0], 1});
        b->fill(1.0);
        const auto apply = [&] { csr_->apply(b, x); };
        const auto num_calls = watch_.calls_per_measurement(apply);
        std::vector<double> seconds;
        for (int i = 0; i < options_.repetitions; ++i) {
            seconds.push_back(watch_.measure(num_calls, apply));
        }
        return median(seconds);
    }

    void measure_all()
    {
        const auto num_rows = static_cast<double>(csr_->get_size()[0]);
        const auto num_columns = static_cast<double>(csr_->get_size()[1]);
        const auto nnz = static_cast<double>(csr_->get_num_stored_elements());
        this->measure_format("coo", matrix::Coo<V, I>::create(exec_));
        // Formats in which most of the result would be padding are of no practical use.
        constexpr double max_padding = 4.0;
        if (num_rows * static_cast<double>(csr_->compute_max_row_length()) <= max_padding * nnz) {
            this->measure_format("ell", matrix::Ell<V, I>::create(exec_));
            this->measure_format("sellp", matrix::Sellp<V, I>::create(exec_));
        }
        this->measure_format("hybrid", matrix::Hybrid<V, I>::create(exec_));
        this->measure_format("sparsity_csr", matrix::SparsityCsr<V, I>::create(exec_));
        const auto block_size = this->find_block_size();
        this->measure_format("fbcsr, blocks of " + std::to_string(block_size),
                             matrix::Fbcsr<V, I>::create(exec_, block_size));
        if (num_rows * num_columns * static_cast<double>(sizeof(V)) <= options_.max_dense_bytes) {
            this->measure_format("dense", matrix::Dense<V>::create(exec_));
        }
        this->measure_order();
        this->measure_assembly();
    }

private:
    /// Records the median of the times of run(), without the times of prepare(), which precedes
    /// each call. A first run is not counted: it also allocates memory for the result, which later
    /// runs overwrite.
    template <typename Prepare, typename Run>
    void measure(const std::string& operation, Prepare prepare, Run run)
    {
        std::vector<double> seconds;
        for (int i = -1; i < options_.repetitions; ++i) {
            prepare();
            const auto time = watch_.measure(1, run);
            if (i >= 0) {
                seconds.push_back(time);
            }
        }
        times_.push_back({operation, median(seconds)});
    }
    template <typename Run>
    void measure(const std::string& operation, Run run)
    {
        this->measure(
            operation, [] {}, run);
    }

    /// Returns 3, which suits meshes with three unknowns at each point, if it divides the size, or
    /// else 2 or 1.
    int find_block_size() const
    {
        const auto size = csr_->get_size();
        for (const int candidate : {3, 2}) {
            if (size[0] % candidate == 0 && size[1] % candidate == 0) {
                return candidate;
            }
        }
        return 1;
    }

    template <typename Format>
    void measure_format(const std::string& name, std::unique_ptr<Format> other)
    {
        const auto back = csr_matrix::create(exec_);
        this->measure("csr -> " + name, [&] { csr_->convert_to(other); });
        this->measure(name + " -> csr", [&] { other->convert_to(back); });
    }

    void measure_order()
    {
        std::unique_ptr<LinOp> transposed;
        this->measure("transpose", [&] { transposed = csr_->transpose(); });
        transposed.reset();
        const auto shuffled = clone(exec_, this->with_shuffled_rows());
        const auto work = csr_matrix::create(exec_);
        this->measure(
            "sort shuffled rows", [&] { work->copy_from(shuffled); }, [&] { work->sort_by_column_index(); });
        this->measure("sort sorted rows", [&] { work->sort_by_column_index(); });
        this->measure_vendor_sort("as many by CUB's radix sort", csr_->get_num_stored_elements());
    }

    void measure_assembly()
    {
        const auto shuffled = this->shuffled_triples();
        triples work{exec_};
        const auto copy = [&] { work = triples{exec_, shuffled}; };
        this->measure("sort triples", copy, [&] { work.sort_row_major(); });
        this->measure_vendor_sort("as many triples by CUB's radix sort", shuffled.get_num_stored_elements());
        this->measure("sum duplicates, 2 each", copy, [&] { work.sum_duplicates(); });
        this->measure("remove zeros", copy, [&] { work.remove_zeros(); });
    }

    /// Measures the vendor's sort of num keys with values. Each key contains a row and a column.
    void measure_vendor_sort(const std::string& operation, size_type num)
    {
        const auto size = csr_->get_size();
        const auto num_bits = num_bits_below(size[0]) + num_bits_below(size[1]);
        if (const auto sort = make_vendor_sort(exec_, num, num_bits)) {
            this->measure(operation, sort);
        }
    }

    std::unique_ptr<csr_matrix> with_shuffled_rows() const
    {
        auto result = host_csr_->clone();
        std::mt19937_64 engine{1};
        for (size_type row = 0; row < result->get_size()[0]; ++row) {
            // Values are not permuted, because the time of the sort does not depend on them.
            std::shuffle(result->get_col_idxs() + result->get_const_row_ptrs()[row],
                         result->get_col_idxs() + result->get_const_row_ptrs()[row + 1], engine);
        }
        return result;
    }

    /// Returns every entry twice, in random order. One of eight values is zero.
    triples shuffled_triples() const
    {
        matrix_data<V, I> data;
        host_csr_->write(data);
        auto& entries = data.nonzeros;
        const auto nnz = host_csr_->get_num_stored_elements();
        entries.resize(2 * nnz);
        std::copy_n(entries.begin(), nnz, entries.begin() + static_cast<std::ptrdiff_t>(nnz));
        std::mt19937_64 engine{2};
        std::shuffle(entries.begin(), entries.end(), engine);
        for (size_type i = 0; i < entries.size(); i += 8) {
            entries[i].value = 0;
        }
        return triples::create_from_host(exec_, data);
    }

    std::unique_ptr<csr_matrix> host_csr_;
    std::unique_ptr<csr_matrix> csr_;
    std::shared_ptr<const Executor> exec_;
    const conversion_options& options_;
    stopwatch watch_;
    std::vector<operation_time> times_;
};

int run_conversions(const conversion_options& options)
{
    auto sources = collect_sources(options.families, options.files, "conversions");
    const auto exec = create_executor(options.executor, options.device);
    const auto where = describe_environment(exec);
    using align = table::align;
    table report{
        {{"matrix", align::left}, {"operation", align::left}, {"time", align::right}, {"SpMVs", align::right}}};
    auto document = start_document(where);
    const auto status = measure_each(sources, report, [&](matrix_source& source) {
        source.open();
        conversion_benchmark benchmark{source.read<V, I>(exec->get_master()), exec, options};
        source.close();
        const auto spmv = benchmark.measure_spmv();
        benchmark.measure_all();
        const auto& csr = benchmark.get_csr();
        report.add_row({source.get_name(), "SpMV of csr", time_text(spmv), "1"});
        nlohmann::ordered_json result{{"matrix", source.get_name()},  {"rows", csr.get_size()[0]},
                                      {"columns", csr.get_size()[1]}, {"nonzeros", csr.get_num_stored_elements()},
                                      {"spmv_seconds", spmv},         {"operations", nlohmann::ordered_json::array()}};
        for (const auto& one : benchmark.get_times()) {
            report.add_row({"", one.operation, time_text(one.seconds), to_text(one.seconds / spmv, 3)});
            result["operations"].push_back(
                {{"operation", one.operation}, {"seconds", one.seconds}, {"spmvs", one.seconds / spmv}});
        }
        document["results"].push_back(result);
    });
    std::cout << where.device << ", double/int32\n\n";
    report.print(std::cout);
    if (!options.json.empty()) {
        write_json(options.json, document);
    }
    return status;
}

}  // namespace

void add_conversions(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<conversion_options>();
    const auto command =
        program.add_subcommand("conversions", "measure conversions, sorting and assembly in units of an SpMV");
    command->add_option("--max-dense-bytes", options->max_dense_bytes, "the largest Dense to convert to")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
    add_matrix_run_options(*command, *options);
    command->callback([options, &exit_code] { exit_code = run_conversions(*options); });
}

}  // namespace spruce::bench
