// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "benchmark/benchmark_run.hpp"
#include "benchmark/commands.hpp"
#include "benchmark/errors.hpp"
#include "benchmark/executors.hpp"
#include "benchmark/groups/reductions.hpp"
#include "benchmark/stopwatch.hpp"
#include "benchmark/table.hpp"
#include "benchmark/time_difference.hpp"
#include "core/base/build_config.hpp"

namespace spruce::bench {
namespace {

constexpr int few_sums = 1000;
constexpr int many_sums = 2000;

std::vector<tile_reduction> create_reductions(const std::shared_ptr<const Executor>& exec)
{
#if SPRUCE_WITH_CUDA
    if (const auto cuda = std::dynamic_pointer_cast<const CudaExecutor>(exec)) {
        return create_cuda_reductions(cuda);
    }
#endif
#ifdef SPRUCE_BENCH_WITH_HIP_KERNELS
    if (const auto hip = std::dynamic_pointer_cast<const HipExecutor>(exec)) {
        return create_hip_reductions(hip);
    }
#endif
    throw usage_error(std::string("groups measures kernels on a GPU: expected --executor cuda or hip, found ") +
                      to_string(exec->get_backend()));
}

/// Returns the time of a sum: the difference between kernels with many and with few sums, so that
/// the launch, the loads and the stores cancel.
/// @throws std::runtime_error  if the noise hides it
sample_set sample(const tile_reduction& what, const std::shared_ptr<const Executor>& exec, const run_options& options)
{
    stopwatch watch{exec};
    for (int i = 0; i < options.warmup; ++i) {
        what.launch(many_sums);
    }
    const auto difference = measure_difference(
        [&](int64 num_calls) {
            const auto seconds_of = [&](int num_sums) {
                return watch.measure(num_calls, [&] { what.launch(num_sums); }) * static_cast<double>(num_calls);
            };
            const auto shorter = seconds_of(few_sums);
            return pair_times{shorter, seconds_of(many_sums)};
        },
        limits_of(options));
    if (!difference.is_significant()) {
        throw std::runtime_error("the noise hides the time of a sum; choose more --repetitions");
    }
    sample_set result;
    for (const auto seconds : difference.differences) {
        result.seconds.push_back(seconds / (many_sums - few_sums));
    }
    result.calls = difference.num_calls;
    return result;
}

/// Returns the number of shuffles of each thread for a sum over size threads.
int num_shuffles(int size)
{
    int result{};
    for (; size > 1; size /= 2) {
        ++result;
    }
    return result;
}

int run_groups(const CLI::App& command, const run_options& options)
{
    const auto reductions = create_reductions(create_executor(options.executor, options.device));
    benchmark_run run{command, options, {1, reductions.size()}, false};
    run.measure_part("", {{"operation", "reduce"}}, [&] {
        std::vector<benchmark_case> cases;
        for (const auto& what : reductions) {
            cases.push_back({{{"operation", "reduce"},
                              {"value_type", what.value_type},
                              {"tile_size", what.size},
                              {"shuffles", what.shuffles}},
                             [&] {
                                 timed_operation op;
                                 op.sample = [&] { return sample(what, run.get_executor(), options); };
                                 op.check = [&] { return accuracy{what.error(), 0}; };
                                 op.describe = [&] {
                                     return nlohmann::ordered_json{{"num_shuffles", num_shuffles(what.size)}};
                                 };
                                 return op;
                             }});
        }
        run.measure(cases);
    });
    return run.finish({number_column("steps", "num_shuffles", [](double value) { return to_text(value, 1); })});
}

}  // namespace

void add_groups(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<run_options>();
    options->warmup = 10;
    options->repetitions = 100;
    const auto command =
        program.add_subcommand("groups", "measure sums over the threads of a tile (cooperative groups) on a GPU");
    add_executor_options(*command, *options);
    add_measurement_options(*command, *options);
    command->footer(R"(
Each thread of a full device takes part in 1000 and in 2000 sums over its tile of 2 to 32 or 64 threads. The time of a
sum is the difference divided by 1000. 'groups' are the shuffles of Spruce's groups, 'vendor' those of CUDA or HIP.

Examples:
  spruce-bench groups --executor cuda --json groups_cuda.json
  spruce-bench groups --executor hip --json groups_hip.json
)");
    command->callback([options, command, &exit_code] { exit_code = run_groups(*command, *options); });
}

}  // namespace spruce::bench
