// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "cuda/base/backend.hpp"

#include "common/gpu/base/device_runtime.hpp"

namespace {

spruce::detail::DeviceRuntime* get_runtime(const void* probe)
{
    static spruce::kernels::cuda::Runtime runtime;
    return probe == &spruce::detail::probe_kernel ? &runtime : nullptr;
}

}  // namespace

spruce_backend_entry spruce_cuda_entry{spruce::detail::own_interface, &get_runtime,
                                       &spruce::kernels::cuda::register_kernels};
