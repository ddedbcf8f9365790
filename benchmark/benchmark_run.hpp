// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <spruce/base/executor.hpp>
#include <spruce/matrix/csr.hpp>

#include "benchmark/benchmark_case.hpp"
#include "benchmark/errors.hpp"
#include "benchmark/matrix_source.hpp"
#include "benchmark/progress.hpp"
#include "benchmark/result_document.hpp"
#include "benchmark/result_table.hpp"
#include "benchmark/run_options.hpp"
#include "benchmark/sampler.hpp"

namespace spruce::bench {

/// Estimates the work of a run.
struct run_size {
    size_type num_parts;       ///< matrices, or other parts that measure_part() performs
    size_type cases_per_part;  ///< about
};

/// Measures the cases of a subcommand, shows the progress, and writes the results as a table and as
/// JSON. An interrupt ends the measurements; what was done until then is written.
class benchmark_run {
public:
    using json = nlohmann::ordered_json;

    /// Creates the executor and begins the document.
    /// @param size        for the progress
    /// @param needs_copy  whether the bandwidth of copies is measured, to which others are compared
    /// @throws usage_error  if the executor is not available, or --json cannot be resumed
    benchmark_run(const CLI::App& command, const run_options& options, const run_size& size, bool needs_copy = true);

    const std::shared_ptr<Executor>& get_executor() const { return exec_; }
    const json& get_document() const { return document_.get(); }
    double get_copy_bytes_per_second() const { return document_.get_copy_bytes_per_second(); }

    /// Calls measure(source) for each matrix, and writes the file after each. If a matrix cannot be
    /// read, the reason becomes a result, and the next matrix follows.
    void measure_each(std::vector<matrix_source>& sources, const std::function<void(matrix_source&)>& measure);
    /// Performs a part of the run. An exception becomes a result with this identity.
    void measure_part(const std::string& label, const json& identity, const std::function<void()>& measure);

    /// Measures the cases. Each repetition measures all of them, so that changes of the machine's
    /// speed affect all equally. If a case fails, its result has the reason, and others continue.
    /// @return pointers to the results in the document, in the order of the cases, including failed
    ///         and skipped ones; valid until the next result is added. After an interrupt, cases
    ///         without a sample are absent.
    std::vector<json*> measure(const std::vector<benchmark_case>& cases);

    /// Sets what is known of the matrix of the next results.
    void set_problem(const json& problem) { problem_ = problem; }
    void set_label(const std::string& label) { bar_->set_label(label); }
    /// Prints a line that remains visible.
    void note(const std::string& line) { bar_->note(line); }

    /// Sorts the results, the largest value of this fact first.
    void sort_by_fact(const std::string& fact);
    /// Writes the results and returns the exit code of the program.
    int finish(const std::vector<fact_column>& facts, std::size_t max_rows = std::numeric_limits<std::size_t>::max());

private:
    struct candidate;

    void measure_copy_bandwidth();
    void set_up(const benchmark_case& which, candidate& next);
    void sample(std::vector<candidate>& candidates);
    void add_result(candidate& done);
    void advance(double num_cases);
    void add_reason(const json& identity, const std::exception& error);
    void save();

    const run_options& options_;
    std::shared_ptr<Executor> exec_;
    result_document document_;
    std::optional<progress> bar_;
    double cases_per_part_;
    size_type num_parts_done_{};
    double num_cases_done_{};  ///< of the current part
    sampler sampler_;
    json problem_;
    std::string part_;
    bool was_not_written_{};
};

/// Reads a matrix when it is first needed, so that a resumed run reads no matrix without need.
template <typename ValueType, typename IndexType>
class matrix_input {
public:
    using csr = matrix::Csr<ValueType, IndexType>;

    /// @param needs_square  whether the matrix must be square
    matrix_input(benchmark_run& run, matrix_source& source, bool needs_square = false)
        : run_{run}, source_{source}, needs_square_{needs_square}
    {}

    /// Returns the matrix on the host.
    /// @throws matrix_failed  if it cannot be read, or has a wrong shape
    const std::shared_ptr<const csr>& on_host()
    {
        if (!on_host_) {
            this->read();
        }
        return on_host_;
    }
    /// Returns the matrix on the executor of the run, with its default strategy.
    const std::shared_ptr<const csr>& on_executor()
    {
        if (!on_executor_) {
            const auto exec = run_.get_executor();
            auto copy = clone(exec, this->on_host());
            copy->set_strategy(csr::create(exec)->get_strategy());  // that of the host does not suit devices
            on_executor_ = std::move(copy);
        }
        return on_executor_;
    }

private:
    void read()
    {
        run_.set_label(source_.get_name() + ": reading");
        std::shared_ptr<const csr> a;
        try {
            a = source_.template read<ValueType, IndexType>(run_.get_executor()->get_master());
        } catch (const std::bad_alloc&) {
            throw matrix_failed("out of memory");
        } catch (const std::exception& error) {
            throw matrix_failed(message_of(error));
        }
        source_.close();
        if (!source_.get_faults().empty()) {
            run_.note(source_.get_faults());
        }
        const auto [rows, columns] = std::make_pair(a->get_size()[0], a->get_size()[1]);
        if (needs_square_ && rows != columns) {
            throw matrix_failed("expected a square matrix, found one of " + std::to_string(rows) + " x " +
                                std::to_string(columns));
        }
        IndexType longest{};
        for (size_type row = 0; row < rows; ++row) {
            longest = std::max(longest, a->get_const_row_ptrs()[row + 1] - a->get_const_row_ptrs()[row]);
        }
        run_.set_problem({{"source", source_.get_text()},
                          {"rows", rows},
                          {"columns", columns},
                          {"nonzeros", a->get_num_stored_elements()},
                          {"longest_row", longest}});
        on_host_ = std::move(a);
    }

    benchmark_run& run_;
    matrix_source& source_;
    bool needs_square_;
    std::shared_ptr<const csr> on_host_;
    std::shared_ptr<const csr> on_executor_;
};

}  // namespace spruce::bench
