// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include <spruce/base/executor.hpp>
#include <spruce/log/logger.hpp>

namespace spruce::test {

/// A new executor of the kind that SPRUCE_TEST_EXECUTOR names: reference (the default), omp, cuda or hip.
/// Throws where it cannot be had: a test that was asked to run on a device fails without one, it does not pass by
/// doing nothing.
std::shared_ptr<Executor> test_executor();

/// One executor of every kind that this machine and build have.
std::vector<std::shared_ptr<Executor>> all_executors();

bool is_device(const Executor& exec);

/// Whether this is the host platform of HIP, which takes long for what others do in no time.
bool is_simulated(const Executor& exec);

/// Counts what is copied from one executor to another, not within one.
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

/// Host memory that counts what is taken and given back.
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
