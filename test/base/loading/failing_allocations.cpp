// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Makes each allocation fail in turn that precedes opening the file of a backend. The first attempt
// without a failure opens it.

#include <cstdio>
#include <cstring>

#include <dlfcn.h>

#include <spruce/spruce.hpp>

#include "test/utils/failing_allocations.hpp"

namespace {

using spruce::test::allocation_failure;

bool was_reached;

}  // namespace

/// Replaces dlopen() of the C library and disarms failures: initialization of a library cannot
/// report that memory is exhausted.
extern "C" __attribute__((visibility("default"))) void* dlopen(const char* file, int mode) noexcept
{
    if (file && std::strstr(file, "libspruce_hip")) {
        was_reached = allocation_failure::disarm();
    }
    return reinterpret_cast<decltype(&dlopen)>(dlsym(RTLD_NEXT, "dlopen"))(file, mode);
}

int main()
{
    constexpr int enough = 1000;
    int num_devices{};
    int num_attempts{};
    while (num_devices == 0 && num_attempts < enough) {
        allocation_failure::arm(++num_attempts);
        num_devices = spruce::HipExecutor::get_num_devices();
        allocation_failure::disarm();
    }
    std::printf("%d attempts; hip devices: %d\n", num_attempts, num_devices);
    return num_attempts > 1 && !was_reached && num_devices > 0 ? 0 : 1;
}
