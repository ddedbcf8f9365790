// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/executors.hpp"

#include "benchmark/errors.hpp"

namespace spruce::bench {

const std::vector<std::string>& executor_names()
{
    static const std::vector<std::string> names{"reference", "omp", "cuda", "hip"};
    return names;
}

bool is_device(const Executor& exec)
{
    return exec.get_backend() == backend::cuda || exec.get_backend() == backend::hip;
}

int num_threads(const Executor& exec)
{
    return exec.get_backend() == backend::omp ? OmpExecutor::get_num_omp_threads() : 1;
}

std::shared_ptr<Executor> create_executor(const std::string& name, int device)
{
    check_name("executor", name, executor_names());
    try {
        if (name == "reference") {
            return ReferenceExecutor::create();
        }
        if (name == "omp") {
            return OmpExecutor::create();
        }
        if (name == "cuda") {
            return CudaExecutor::create(device, OmpExecutor::create());
        }
        return HipExecutor::create(device, OmpExecutor::create());
    } catch (const Error& error) {
        throw usage_error("the executor " + name + " cannot be used here: " + message_of(error));
    }
}

}  // namespace spruce::bench
