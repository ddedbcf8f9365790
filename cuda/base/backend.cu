// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/base/backends.hpp"
#include "core/base/topology.hpp"

#include "cuda/base/binding.hpp"
#include "cuda/base/blas_binding.hpp"
#include "cuda/base/prelude.hpp"

namespace spruce::kernels::cuda {
#include "common/base/device_runtime.inc.hpp"
}  // namespace spruce::kernels::cuda

namespace {

spruce::detail::DeviceRuntime* get_runtime(const void* probe)
{
    static spruce::kernels::cuda::Runtime runtime;
    return probe == &spruce::detail::probe_kernel ? &runtime : nullptr;
}

}  // namespace

spruce_backend_entry spruce_cuda_entry{spruce::detail::own_interface, &get_runtime,
                                       &spruce::kernels::cuda::register_kernels};
