// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "test/utils/executors.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "core/base/build_config.hpp"

namespace spruce::test {

std::shared_ptr<Executor> test_executor()
{
    const auto asked = std::getenv("SPRUCE_TEST_EXECUTOR");
    const std::string name = asked ? asked : "reference";
    if (name == "reference") {
        return ReferenceExecutor::create();
    }
    if (name == "omp") {
        return OmpExecutor::create();
    }
    if (name == "cuda") {
        return CudaExecutor::create(0, ReferenceExecutor::create());
    }
    if (name == "hip") {
        return HipExecutor::create(0, ReferenceExecutor::create());
    }
    throw std::invalid_argument("SPRUCE_TEST_EXECUTOR is '" + name + "'; it can be reference, omp, cuda or hip");
}

std::vector<std::shared_ptr<Executor>> all_executors()
{
    const auto reference = ReferenceExecutor::create();
    std::vector<std::shared_ptr<Executor>> result{reference};
#if SPRUCE_WITH_OMP
    result.push_back(OmpExecutor::create());
#endif
    if (CudaExecutor::get_num_devices() > 0) {
        result.push_back(CudaExecutor::create(0, reference));
    }
    if (HipExecutor::get_num_devices() > 0) {
        result.push_back(HipExecutor::create(0, reference));
    }
    return result;
}

bool is_device(const Executor& exec)
{
    return exec.get_backend() == backend::cuda || exec.get_backend() == backend::hip;
}

bool is_simulated(const Executor& exec)
{
    return exec.get_description().find("Spruce host platform") != std::string::npos;
}

void* counting_allocator::allocate(size_type num_bytes)
{
    const auto result = allocator_.allocate(num_bytes);
    ++num_allocations_;
    return result;
}

void counting_allocator::deallocate(void* ptr)
{
    ++num_frees_;
    allocator_.deallocate(ptr);
}

}  // namespace spruce::test
