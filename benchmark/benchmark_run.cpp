// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/benchmark_run.hpp"

#include <algorithm>
#include <iostream>
#include <new>

#include "benchmark/copy_bandwidth.hpp"
#include "benchmark/environment.hpp"
#include "benchmark/executors.hpp"
#include "benchmark/interrupt.hpp"

namespace spruce::bench {
namespace {

constexpr size_type steps_per_part = 1000;

/// Returns a short description of a case without the matrix and the types.
std::string label_of(const nlohmann::ordered_json& identity)
{
    std::string label;
    for (const auto& [key, value] : identity.items()) {
        if (key != "matrix" && key != "value_type" && key != "index_type" && value.is_string()) {
            label += (label.empty() ? "" : " ") + value.get<std::string>();
        }
    }
    return label;
}

}  // namespace

/// Holds a case while it is measured.
struct benchmark_run::candidate {
    json identity;
    json result;  ///< has a failure or a reason why the case is skipped, if there is one
    sampled_operation operation;

    bool is_pending() const { return result.size() == 1 && !operation.is_finished; }
};

benchmark_run::benchmark_run(const CLI::App& command, const run_options& options, const run_size& size, bool needs_copy)
    : options_{options},
      exec_{create_executor(options.executor, options.device)},
      document_{describe_environment(exec_), options, values_of_options(command)},
      cases_per_part_{static_cast<double>(std::max<size_type>(size.cases_per_part, 1))},
      sampler_{exec_, options}
{
    document_.save();  // reports a path that cannot be written before the measurements
    catch_interrupts();
    bar_.emplace(steps_per_part * size.num_parts);
    if (needs_copy && document_.get_copy_bytes_per_second() == 0) {
        this->measure_copy_bandwidth();
    }
}

void benchmark_run::measure_copy_bandwidth()
{
    bar_->set_label("copy bandwidth");
    try {
        const auto copy = measure_copy(exec_, options_.repetitions);
        if (copy.bytes_per_second > 0) {
            document_.set_copy({{"gigabytes_per_second", 1e-9 * copy.bytes_per_second},
                                {"array_bytes", copy.array_bytes},
                                {"method", copy.method}});
        }
    } catch (const std::exception& error) {
        bar_->note("the copy bandwidth could not be measured: " + message_of(error));
    }
}

void benchmark_run::measure_each(std::vector<matrix_source>& sources,
                                 const std::function<void(matrix_source&)>& measure)
{
    for (auto& source : sources) {
        this->measure_part(source.get_name(),
                           {{"operation", document_.get()["command"]}, {"matrix", source.get_name()}}, [&] {
                               source.open();
                               measure(source);
                           });
        source.close();
    }
}

void benchmark_run::measure_part(const std::string& label, const json& identity, const std::function<void()>& measure)
{
    if (was_interrupted()) {
        return;
    }
    part_ = label;
    problem_ = nullptr;
    num_cases_done_ = 0;
    try {
        measure();
    } catch (const std::exception& error) {
        this->add_reason(identity, error);
    }
    ++num_parts_done_;
    bar_->advance_to(num_parts_done_ * steps_per_part);
    this->save();
}

void benchmark_run::advance(double num_cases)
{
    num_cases_done_ += num_cases;
    const auto fraction = std::min(num_cases_done_ / cases_per_part_, 1.0);
    bar_->advance_to(num_parts_done_ * steps_per_part + static_cast<size_type>(fraction * steps_per_part));
}

void benchmark_run::add_reason(const json& identity, const std::exception& error)
{
    if (document_.has(identity)) {
        document_.take(identity);
        return;
    }
    const auto is_skipped = dynamic_cast<const case_skipped*>(&error) != nullptr;
    const auto reason = dynamic_cast<const std::bad_alloc*>(&error) ? "out of memory" : message_of(error);
    json result{{"case", identity}, {is_skipped ? "skipped" : "failure", reason}};
    bar_->note(part_ + (is_skipped ? " skipped: " : " failed: ") + reason);
    document_.add(result);
}

void benchmark_run::set_up(const benchmark_case& which, candidate& next)
{
    const auto fail = [&](const char* kind, const std::string& reason) { next.result[kind] = reason; };
    try {
        next.operation.op = which.create();
        sampler_.warm_up(next.operation);
    } catch (const matrix_failed&) {
        throw;
    } catch (const case_skipped& reason) {
        fail("skipped", reason.what());
    } catch (const std::bad_alloc&) {
        fail("failure", "out of memory");
    } catch (const std::exception& error) {
        fail("failure", message_of(error));
    }
}

std::vector<nlohmann::ordered_json*> benchmark_run::measure(const std::vector<benchmark_case>& cases)
{
    const auto first = document_.get_results().size();
    const auto is_missing = [&](const benchmark_case& one) { return !document_.has(one.identity); };
    if (std::none_of(cases.begin(), cases.end(), is_missing)) {
        for (const auto& one : cases) {
            document_.take(one.identity);
        }
    } else {
        std::vector<candidate> candidates;
        for (const auto& one : cases) {
            candidates.push_back({one.identity, {{"case", one.identity}}, {}});
            if (is_missing(one) && !was_interrupted()) {
                bar_->set_label((part_.empty() ? "" : part_ + ": ") + label_of(one.identity));
                this->set_up(one, candidates.back());
            }
            this->advance(0.5);
        }
        this->sample(candidates);
        for (auto& one : candidates) {
            this->add_result(one);
        }
    }
    std::vector<json*> results;
    for (auto i = first; i < document_.get_results().size(); ++i) {
        results.push_back(&document_.get_results()[i]);
    }
    return results;
}

void benchmark_run::sample(std::vector<candidate>& candidates)
{
    const auto is_pending = [&](const candidate& one) { return one.is_pending() && !document_.has(one.identity); };
    if (std::none_of(candidates.begin(), candidates.end(), is_pending)) {
        this->advance(0.5 * static_cast<double>(candidates.size()));
        return;
    }
    const auto before = num_cases_done_;
    if (candidates.size() > 1) {
        bar_->set_label((part_.empty() ? "" : part_ + ": ") + "measuring");
    }
    for (int64 repetition = 0; std::any_of(candidates.begin(), candidates.end(), is_pending); ++repetition) {
        for (auto& one : candidates) {
            if (was_interrupted()) {
                return;
            }
            if (is_pending(one)) {
                try {
                    sampler_.measure(one.operation);
                } catch (const std::exception& error) {
                    one.result["failure"] = message_of(error);
                }
            }
        }
        if (repetition < options_.repetitions) {
            this->advance(0.5 * static_cast<double>(candidates.size()) / options_.repetitions);
        }
    }
    this->advance(before + 0.5 * static_cast<double>(candidates.size()) - num_cases_done_);
}

void benchmark_run::add_result(candidate& done)
{
    if (document_.has(done.identity)) {
        document_.take(done.identity);
        return;
    }
    auto& result = done.result;
    const auto is_measured = result.size() == 1;
    if (is_measured && done.operation.samples.seconds.empty()) {
        return;  // interrupted
    }
    if (!problem_.is_null()) {
        result["problem"] = problem_;
    }
    if (is_measured) {
        add_samples(result, done.operation, document_.get_copy_bytes_per_second());
        try {
            const auto facts = done.operation.op.describe ? done.operation.op.describe() : json::object();
            if (!facts.empty()) {
                result["facts"].update(facts);
            }
        } catch (const std::exception& error) {
            result = {{"case", done.identity}, {"failure", message_of(error)}};
        }
    }
    if (result.contains("failure")) {
        bar_->note(part_ + ": " + label_of(done.identity) + " failed: " + result["failure"].get<std::string>());
    }
    document_.add(result);
}

void benchmark_run::sort_by_fact(const std::string& fact)
{
    const auto value = [&](const json& result) {
        return result.contains("facts") ? result["facts"].value(fact, -1.0) : -1.0;
    };
    auto& results = document_.get_results();
    std::stable_sort(results.begin(), results.end(), [&](const json& a, const json& b) { return value(a) > value(b); });
}

void benchmark_run::save()
{
    try {
        document_.save();
        was_not_written_ = false;
    } catch (const std::exception& error) {
        bar_->note(error.what());
        was_not_written_ = true;
    }
}

int benchmark_run::finish(const std::vector<fact_column>& facts, std::size_t max_rows)
{
    document_.set_interrupted(was_interrupted());
    this->save();
    bar_.reset();
    // If JSON is written to standard output, the table must not be mixed into it.
    print_results(options_.json == "-" ? std::cerr : std::cout, document_.get(), facts, max_rows);
    document_.print();
    if (was_interrupted()) {
        return exit_code::interrupted;
    }
    const auto& results = document_.get()["results"];
    const auto is_bad = [](const json& result) { return result.contains("failure") || !result.value("correct", true); };
    return was_not_written_ || std::any_of(results.begin(), results.end(), is_bad) ? exit_code::something_failed
                                                                                   : exit_code::success;
}

}  // namespace spruce::bench
