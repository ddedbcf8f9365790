// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/base/backends.hpp"
#include "core/base/topology.hpp"

#include "hip/base/binding.hpp"
#include "hip/base/blas_binding.hpp"
#include "hip/base/prelude.hpp"

namespace spruce::kernels::hip {
#include "common/base/device_runtime.inc.hpp"
}  // namespace spruce::kernels::hip

namespace {

spruce::detail::DeviceRuntime* get_runtime(const void* probe)
{
    static spruce::kernels::hip::Runtime runtime;
    return probe == &spruce::detail::probe_kernel ? &runtime : nullptr;
}

}  // namespace

spruce_backend_entry spruce_hip_entry{spruce::detail::own_interface, &get_runtime,
                                      &spruce::kernels::hip::register_kernels};
