// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include <spruce/base/executor.hpp>
#include <spruce/log/logger.hpp>

namespace spruce::test {

/// Creates an executor of the kind that SPRUCE_TEST_EXECUTOR names: reference (the default), omp,
/// cuda or hip. Throws if it is not available: a test on a device fails without one instead of
/// passing without any work.
std::shared_ptr<Executor> test_executor();

/// Creates one executor of each kind that this machine and build have.
std::vector<std::shared_ptr<Executor>> all_executors();

bool is_device(const Executor& exec);

/// Returns true if this is the host platform of HIP, which is much slower than the other executors.
bool is_simulated(const Executor& exec);

/// Counts copies from one executor to another, but not copies within one executor.
class copy_meter : public log::Logger {
public:
    void on_copy_completed(const Executor* from, const Executor* to, const uintptr&, const uintptr&,
                           const size_type& num_bytes) const override
    {
        if (from != to) {
            num_bytes_ += num_bytes;
        }
    }
    size_type get_num_bytes() const { return num_bytes_; }

private:
    mutable std::atomic<size_type> num_bytes_{};
};

/// Counts allocations and deallocations of host memory.
class counting_allocator : public CpuAllocatorBase {
public:
    void* allocate(size_type num_bytes) override;
    void deallocate(void* ptr) override;

    int get_num_allocations() const { return num_allocations_; }
    int get_num_live() const { return num_allocations_ - num_frees_; }

private:
    CpuAllocator allocator_;
    std::atomic<int> num_allocations_{};
    std::atomic<int> num_frees_{};
};

}  // namespace spruce::test
