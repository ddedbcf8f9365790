// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Contains a backend with a device that does not answer.

#include <spruce/base/exception.hpp>

#include "core/base/backends.hpp"
#include "test/base/idle_runtime.hpp"

namespace {

class BrokenRuntime final : public spruce::test::IdleRuntime {
public:
    spruce::detail::gpu_properties get_properties(int) override
    {
        throw spruce::HipError(__FILE__, __LINE__, "get_properties", 1, "the device does not answer");
    }
};

spruce::detail::DeviceRuntime* get_runtime(const void*)
{
    static BrokenRuntime runtime;
    return &runtime;
}

}  // namespace

spruce_backend_entry spruce_hip_entry{spruce::detail::own_interface, &get_runtime, [] {}};
