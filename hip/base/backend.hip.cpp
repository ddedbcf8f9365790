// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "hip/base/backend.hpp"

#include "common/gpu/base/device_runtime.hpp"

namespace {

spruce::detail::DeviceRuntime* get_runtime(const void* probe)
{
    static spruce::kernels::hip::Runtime runtime;
    return probe == &spruce::detail::probe_kernel ? &runtime : nullptr;
}

}  // namespace

// AddressSanitizer would change its size.
#if defined(__clang__)
__attribute__((no_sanitize("address")))
#endif
spruce_backend_entry spruce_hip_entry{spruce::detail::own_interface, &get_runtime,
                                      &spruce::kernels::hip::register_kernels};
