// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Uses guards of the current device that are empty or moved.

#include <ginkgo/ginkgo.hpp>

#include <utility>

#include "check.hpp"

int main()
{
    const auto exec = gko::ReferenceExecutor::create();
    gko::scoped_device_id_guard guard;
    guard = exec->get_scoped_device_id_guard();
    gko::scoped_device_id_guard moved{std::move(guard)};
    guard = gko::scoped_device_id_guard{exec.get(), 0};
    guard = std::move(moved);
    if (gko::CudaExecutor::get_num_devices() > 0) {
        const auto cuda = gko::CudaExecutor::create(0, exec);
        guard = cuda->get_scoped_device_id_guard();
        gko::array<int> on_device{cuda, {1, 2, 3}};
        check(on_device.copy_to_host().back() == 3, "a device can be used meanwhile");
    }
    return exit_status();
}
